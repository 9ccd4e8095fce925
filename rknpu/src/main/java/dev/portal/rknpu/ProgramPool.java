package dev.portal.rknpu;

import dev.portal.rknpu.DeviceBuffer.Use;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Programs that are encoded once, of which each run takes some (seed section 6, regime B): a mixture of experts encodes
 * all of them and links, for each token, those that the router chose. A run writes two link words and one task record a
 * step; no program is encoded again.
 *
 * <pre>
 *   pool      p0  p1  p2  p3  p4 ... p63
 *   token 1       p1 ───────► p4 ──► p63 ▌
 *   token 2   p0 ───► p2 ──► p4 ▌
 * </pre>
 *
 * <p>One thread at a time. Closing gives the programs back; B and C are the caller's.
 */
public final class ProgramPool implements AutoCloseable {
    /** Programs of a pool. */
    public static final int MAX_PROGRAMS = 4096;

    private final StepTable table;
    private final int programs;
    private final DeviceBuffer words;
    private final DeviceBuffer staging;
    private final Track[] tracks;
    private final int[] start;
    private final @Nullable JointJob joint;
    private final Flight flight;
    private final BitSet chosenBefore = new BitSet();
    private boolean closed;

    private ProgramPool(RknpuDevice device, List<ChainStep> steps, ChainOptions options) {
        table = new StepTable(steps);
        programs = steps.size();
        int cores = options.cores();
        tracks = new Track[cores];
        start = new int[cores + 1];
        DeviceBuffer[] stagings = new DeviceBuffer[cores];
        words = device.allocate(programs * MatmulProgram.Form.ROW_MAJOR.bytes(), Use.DATA);
        staging = device.allocate(table.aBytes(), Use.DATA);
        int most = Math.min(programs, Chain.MAX_STEPS);
        for (int i = 0; i < cores; i++) {
            tracks[i] = new Track(device, options.firstCore() + i, most, words);
            stagings[i] = staging;
        }
        MatmulEncoder encoder = new MatmulEncoder(device.soc());
        for (int i = 0; i < programs; i++) {
            encoder.encode(
                    table.program(i),
                    staging.iova() + table.aOffset(i),
                    table.b(i),
                    table.c(i),
                    MatmulEncoder.TERMINAL,
                    words.memory(),
                    i * MatmulProgram.Form.ROW_MAJOR.bytes());
        }
        words.toDevice(SyncPoint.PROGRAMS_TO_DEVICE, 0, words.sizeBytes());
        joint = options.oneSubmit() && cores > 1 ? new JointJob(device, most) : null;
        flight =
                new Flight(device, table, tracks, start, stagings, joint, false, "a pool of " + programs + " programs");
    }

    static ProgramPool compile(RknpuDevice device, List<ChainStep> steps, ChainOptions options) {
        if (steps.isEmpty() || steps.size() > MAX_PROGRAMS) {
            throw new IllegalArgumentException(steps.size() + " programs; a pool has 1 to " + MAX_PROGRAMS);
        }
        Chain.checkCores(device, options);
        if (steps.getFirst().shape().type() != MatmulType.INT8_INT32 && !options.asynchronousHalf()) {
            throw new ProgramRefusedException("a pool of fp16 programs runs without waiting, which is not reliable on"
                    + " boards (seed section 7b); use Matmul, or ask for asynchronousHalf");
        }
        return new ProgramPool(device, steps, options);
    }

    /** How many programs it has. */
    public int programs() {
        return programs;
    }

    /**
     * Links the chosen programs in this order, copies their A, submits and waits; their C have the results then.
     *
     * @param chosen indices, each at most once: a program has one link, so it cannot come twice in a chain
     */
    public void run(int... chosen) {
        begin(chosen);
        end();
    }

    /** As {@link #run}, and returns at once. */
    public void begin(int... chosen) {
        check(chosen);
        flight.revive();
        table.select(chosen);
        int cores = tracks.length;
        for (int i = 0; i < cores; i++) {
            start[i + 1] = (i + 1) * chosen.length / cores;
            tracks[i].compose(chosen, start[i], start[i + 1]);
        }
        if (joint != null) {
            joint.describe(tracks);
        }
        flight.rewind();
        table.stageSelected(staging);
        flight.launch(Chain.MAX_STEPS);
    }

    private void check(int[] chosen) {
        if (closed || flight.isFlying()) {
            throw new IllegalStateException(flight + (closed ? " is closed" : " is in flight; end it first"));
        }
        if (!table.isOpen()) {
            throw new IllegalStateException(
                    flight + " names a buffer that was closed: another one may be at its address now. Make it again");
        }
        if (chosen.length < 1 || chosen.length > Math.min(programs, Chain.MAX_STEPS)) {
            throw new IllegalArgumentException(chosen.length + " programs chosen; 1 to "
                    + Math.min(programs, Chain.MAX_STEPS) + " of " + programs + " can be");
        }
        chosenBefore.clear();
        for (int program : chosen) {
            if (program < 0 || program >= programs || chosenBefore.get(program)) {
                throw new IllegalArgumentException("program " + program + " is not in the pool of " + programs
                        + ", or chosen twice: it has one link and one result");
            }
            chosenBefore.set(program);
        }
    }

    /** How many of the chosen programs, from the first on, are done. */
    public int done() {
        flight.poll();
        return flight.progress() + 1;
    }

    /** Waits for the end; the results are visible then. */
    public void end() {
        flight.await();
        table.writeBack(0, table.size());
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        // Until a reset something may touch the memory of a run that never ended.
        flight.revive();
        flight.await();
        for (Track track : tracks) {
            track.close();
        }
        if (joint != null) {
            joint.close();
        }
        words.close();
        staging.close();
    }
}
