package dev.portal.rknpu;

import dev.portal.rknpu.DeviceBuffer.Use;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds out what a board's driver does with the job of a halted chain, which no source tells (spec 7.2, OPEN): halts one,
 * then waits for a small job behind it. If that returns, the halted one has retired; otherwise the driver's timeout and
 * our own reset clear the device.
 */
public final class HaltProbe {
    private static final int STEPS = 32;
    private static final int HALT_AT = 8;
    private static final int TRIES = 3;

    private HaltProbe() {}

    /**
     * What was found.
     *
     * @param behaviour from now on that of the device; {@link HaltBehaviour#UNKNOWN} when no chain could be halted in time
     * @param steps of the chain
     * @param haltedAfter the step after which it was made to end
     * @param computed steps that were computed
     * @param resets that the probe needed, the driver's own not counted
     */
    public record Finding(HaltBehaviour behaviour, int steps, int haltedAfter, int computed, long resets) {}

    /** Measures; the core must be free. The device remembers the answer. */
    public static Finding measure(RknpuDevice device, int core) {
        AsyncJobs jobs = device.jobs();
        MatmulShape shape = new MatmulShape(MatmulType.INT8_INT32, 1, 512, 512);
        long before = device.counters().get(Counters.Recovery.RESET);
        HaltBehaviour known = jobs.haltBehaviour();
        int haltedAfter = STEPS - 1;
        int computed = STEPS;
        try (DeviceBuffer b = device.allocate(shape.bBytes(), Use.DATA);
                DeviceBuffer c = device.allocate(STEPS * shape.cBytes(), Use.DATA)) {
            MemorySegment a = MemorySegment.ofArray(new byte[shape.k()]);
            b.memory().fill((byte) 0);
            b.toDevice(SyncPoint.WEIGHTS_TO_DEVICE, 0, shape.bBytes());
            List<ChainStep> steps = new ArrayList<>();
            for (int i = 0; i < STEPS; i++) {
                steps.add(new ChainStep(shape, a, b, 0, c, i * shape.cBytes()));
            }
            for (int i = 0; i < TRIES && computed == STEPS; i++) {
                // Taken as retiring, a halted chain ends by an interrupt behind it; where none comes, it is known to
                // stick.
                jobs.haltBehaviour(HaltBehaviour.RETIRES);
                try (Chain chain = device.begin(steps, ChainOptions.DEFAULT.onCore(core))) {
                    haltedAfter = chain.halt(HALT_AT);
                    computed = chain.end();
                } catch (RuntimeException e) {
                    jobs.haltBehaviour(known);
                    throw e;
                }
            }
        }
        if (computed == STEPS) {
            jobs.haltBehaviour(known);
            return new Finding(HaltBehaviour.UNKNOWN, STEPS, haltedAfter, computed, 0);
        }
        long resets = device.counters().get(Counters.Recovery.RESET) - before;
        return new Finding(jobs.haltBehaviour(), STEPS, haltedAfter, computed, resets);
    }
}
