package dev.portal.rknpu;

import dev.portal.base.Clock;
import dev.portal.hardware.rk3588.CnaRegisters;
import dev.portal.hardware.rk3588.RegisterCommand;
import dev.portal.kernel.DeviceException;
import dev.portal.rknpu.DeviceBuffer.Use;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * The seed's experiments on what a submission can and cannot do, also those that fail (seed sections 1, 2, 5 and 7b).
 *
 * <p>{@link #extend} and {@link #spin} redirect a running chain. On boards that aborts the job, resets the device, and may
 * wedge the board until its power is cycled: they are for those who ask for them by name.
 *
 * <p>All run on core 0, which must be free. One thread at a time.
 */
public final class Experiments {
    private static final int K = 512;
    private static final int N = 512;
    private static final MatmulShape SHAPE = new MatmulShape(MatmulType.INT8_INT32, 1, K, N);

    /** Long enough for every chain here, which takes a millisecond. */
    private static final long QUIET_NANOS = 20_000_000;

    private final RknpuDevice device;
    private final Clock clock;

    public Experiments(RknpuDevice device) {
        this.device = device;
        this.clock = device.clock();
    }

    /**
     * What came of a job.
     *
     * @param declared task_number
     * @param landed indices whose output has a value
     * @param correct indices whose output is the right one
     */
    public record Ran(int declared, BitSet landed, BitSet correct) {}

    /** A doorbell as it was seen: which, what program its value tells of, when (ns after the submit). */
    public record Ring(int index, int program, long nanos) {}

    /**
     * What came of a redirected chain.
     *
     * @param ran the chain itself
     * @param errno of a job that waited behind it; 0 when it ran
     * @param waitedNanos how long that waited
     * @param usableAfterwards whether a plain chain runs after our own reset
     */
    public record Redirected(Ran ran, int errno, long waitedNanos, boolean usableAfterwards) {}

    /**
     * What the fp16 output looked like at the moment its doorbells were rung.
     *
     * @param words of the output
     * @param unwritten words that still held the seed then
     * @param diagnosis of the final result
     */
    public record Order(int words, int unwritten, Fp16Diagnosis diagnosis) {}

    /** Registers of the reduction, of the chained path and of a program that stands alone. */
    public record Schedule(String register, int offset, int chained, int alone) {}

    /** Steps whose results are K * (index + 1) everywhere: an output tells which program wrote it. */
    private final class Bench implements AutoCloseable {
        final DeviceBuffer b = device.allocate(SHAPE.bBytes(), Use.DATA);
        final DeviceBuffer c;
        final StepTable table;
        final Track track;

        Bench(int programs, int distinct) {
            c = device.allocate(programs * SHAPE.cBytes(), Use.DATA);
            b.memory().fill((byte) 1);
            b.toDevice(SyncPoint.WEIGHTS_TO_DEVICE, 0, b.sizeBytes());
            List<ChainStep> steps = new ArrayList<>();
            for (int i = 0; i < programs; i++) {
                int own = Math.min(i, distinct - 1);
                if (own < i) {
                    steps.add(steps.get(own));
                } else {
                    byte[] a = new byte[K];
                    Arrays.fill(a, (byte) (i + 1));
                    steps.add(new ChainStep(SHAPE, MemorySegment.ofArray(a), b, 0, c, i * SHAPE.cBytes()));
                }
            }
            table = new StepTable(steps);
            track = new Track(device, 0, programs);
            DeviceBuffer staging = track.features(table.aBytes());
            table.stage(staging);
            track.encode(table, 0, programs, staging);
        }

        /** Warms the core, seeds the outputs. */
        void prepare(int outputs) {
            device.makeUsable(track.core());
            if (device.options().warmUp()) {
                new WarmUp(device).warm(0, table.type().input());
            }
            table.seed(0, outputs);
        }

        int program(int output) {
            int value = c.memory().get(ValueLayout.JAVA_INT, output * SHAPE.cBytes() + SHAPE.cBytes() - 4);
            return value % K == 0 ? value / K - 1 : -1;
        }

        /** Waits until {@code outputs} have landed or nothing happens for a while. */
        Ran observe(int declared, int outputs, long nanos) {
            long deadline = clock.nanos() + nanos;
            BitSet landed = new BitSet();
            while (landed.cardinality() < outputs && clock.nanos() < deadline) {
                for (int i = 0; i < outputs; i++) {
                    if (!landed.get(i) && table.isDone(i)) {
                        landed.set(i);
                    }
                }
                clock.spinUntil(deadline);
            }
            table.writeBack(0, outputs);
            BitSet correct = new BitSet();
            for (int i = 0; i < outputs; i++) {
                correct.set(i, landed.get(i) && program(i) == i);
            }
            return new Ran(declared, landed, correct);
        }

        /** Ends whatever may be left of the job, so that the memory can be given back. */
        void clear() {
            if (!track.fence()) {
                device.reset();
                track.flush();
            }
        }

        @Override
        public void close() {
            track.close();
            c.close();
            b.close();
        }
    }

    /** A chain whose programs are written once and never touched: which program wrote which output. */
    public int[] staticIds(int steps) {
        try (Bench bench = new Bench(steps, steps)) {
            bench.prepare(steps);
            bench.track.submitAsync(0, steps);
            bench.observe(steps, steps, QUIET_NANOS);
            int[] ids = new int[steps];
            for (int i = 0; i < steps; i++) {
                ids[i] = bench.program(i);
            }
            bench.clear();
            return ids;
        }
    }

    /** The doorbells of a chain in the order in which they were seen to ring. */
    public List<Ring> doorbellIds(int steps) {
        try (Bench bench = new Bench(steps, steps)) {
            bench.prepare(steps);
            long start = clock.nanos();
            bench.track.submitAsync(0, steps);
            List<Ring> rings = new ArrayList<>();
            BitSet rung = new BitSet();
            long deadline = start + QUIET_NANOS;
            while (rung.cardinality() < steps && clock.nanos() < deadline) {
                for (int i = 0; i < steps; i++) {
                    if (!rung.get(i) && bench.table.isDone(i)) {
                        rung.set(i);
                        rings.add(new Ring(i, bench.program(i), clock.nanos() - start));
                    }
                }
                clock.spinUntil(deadline);
            }
            bench.clear();
            return rings;
        }
    }

    /** {@code linked} programs in a chain, of which {@code declared} are counted: as many run as are counted. */
    public Ran taskNumber(int declared, int linked) {
        try (Bench bench = new Bench(linked, linked)) {
            bench.prepare(linked);
            bench.track.submitAsync(0, declared);
            Ran ran = bench.observe(declared, linked, QUIET_NANOS);
            bench.clear();
            return ran;
        }
    }

    /** More programs are counted than the chain has: those beyond its end are terminal, and never reached. */
    public Ran reserve(int steps, int reserve) {
        try (Bench bench = new Bench(reserve, reserve)) {
            bench.prepare(reserve);
            for (int i = steps - 1; i < reserve; i++) {
                bench.track.cut(i);
            }
            bench.track.submitAsync(0, reserve);
            Ran ran = bench.observe(reserve, steps, QUIET_NANOS);
            bench.clear();
            return ran;
        }
    }

    /** As {@link #reserve}, where the slots beyond the end run minimal programs: the job lives on, bounded by the reserve. */
    public Ran dedicatedSpin(int steps, int reserve) {
        try (Bench bench = new Bench(reserve, reserve)) {
            bench.prepare(reserve);
            bench.track.seedDrain();
            for (int i = steps; i < reserve; i++) {
                bench.track.drain(i, i == reserve - 1, MatmulType.INT8_INT32);
            }
            bench.track.submitAsync(0, reserve);
            Ran ran = bench.observe(reserve, steps, QUIET_NANOS);
            bench.clear();
            return ran;
        }
    }

    /** As {@link #reserve}, where the slots beyond the end do the last step again: the whole job yields nothing. */
    public Redirected spinByRerun(int steps, int reserve) {
        try (Bench bench = new Bench(reserve, steps)) {
            bench.prepare(steps);
            bench.track.submitAsync(0, reserve);
            return abandoned(bench, bench.observe(reserve, steps, QUIET_NANOS));
        }
    }

    /** The last counted program is linked to one more while the chain runs (the seed's append). */
    public Redirected extend(int steps) {
        try (Bench bench = new Bench(steps + 1, steps + 1)) {
            bench.prepare(steps + 1);
            bench.track.cut(steps - 1);
            bench.track.submitAsync(0, steps);
            while (!bench.table.isDone(0)) {
                clock.spinUntil(clock.nanos() + QUIET_NANOS);
            }
            bench.track.mend(steps - 1);
            return abandoned(bench, bench.observe(steps, steps + 1, QUIET_NANOS));
        }
    }

    /** Program 0 is linked to itself, to keep a job alive for ever (the seed's persistent spin). */
    public Redirected spin(int steps) {
        try (Bench bench = new Bench(steps, steps)) {
            bench.prepare(steps);
            bench.track.link(0, 0);
            bench.track.submitAsync(0, steps);
            return abandoned(bench, bench.observe(steps, steps, QUIET_NANOS));
        }
    }

    /** A job behind one that never ends, what it is told, and whether the device can be used again. */
    private Redirected abandoned(Bench bench, Ran ran) {
        long start = clock.nanos();
        int errno = bench.track.submitBehind();
        long waited = clock.nanos() - start;
        device.reset();
        boolean usable;
        try {
            usable = taskNumber(4, 4).correct().cardinality() == 4;
        } catch (DeviceException wedged) {
            usable = false;
        }
        return new Redirected(ran, errno, waited, usable);
    }

    /**
     * An fp16 product whose every word is seeded; looks at all of them at the moment that the last column of every row has
     * a value.
     */
    public Order halfOrder(int m, int n) {
        MatmulShape shape = new MatmulShape(MatmulType.FP16_FP32, m, K, n);
        try (DeviceBuffer b = device.allocate(shape.bBytes(), Use.DATA);
                DeviceBuffer c = device.allocate(shape.cBytes(), Use.DATA);
                Track track = new Track(device, 0, 1)) {
            MemorySegment a = ones(shape.aBytes());
            MemorySegment.copy(ones(shape.bBytes()), 0, b.memory(), 0, shape.bBytes());
            b.toDevice(SyncPoint.WEIGHTS_TO_DEVICE, 0, shape.bBytes());
            StepTable table = new StepTable(List.of(ChainStep.of(shape, a, b, c)));
            DeviceBuffer staging = track.features(table.aBytes());
            table.stage(staging);
            track.encode(table, 0, 1, staging);
            device.makeUsable(track.core());
            if (device.options().warmUp()) {
                new WarmUp(device).warm(0, shape.type().input());
            }
            table.seed(0, 1);
            track.submitAsync(0, 1);
            long deadline = clock.nanos() + QUIET_NANOS;
            while (!rowsDone(shape, c) && clock.nanos() < deadline) {
                clock.spinUntil(deadline);
            }
            c.fromDevice(SyncPoint.RESULT_FROM_DEVICE, 0, shape.cBytes());
            int unwritten = 0;
            for (long at = 0; at < shape.cBytes(); at += 4) {
                if (c.memory().get(ValueLayout.JAVA_INT, at) == StepTable.SENTINEL) {
                    unwritten++;
                }
            }
            while (!table.isDone(0) && clock.nanos() < deadline) {
                clock.spinUntil(deadline);
            }
            if (!track.fence()) {
                device.reset();
            }
            track.flush();
            c.fromDevice(SyncPoint.RESULT_FROM_DEVICE, 0, shape.cBytes());
            Fp16Diagnosis diagnosis = Fp16Diagnosis.ofOnes(shape, c.memory());
            return new Order((int) (shape.cBytes() / 4), unwritten, diagnosis);
        }
    }

    private static boolean rowsDone(MatmulShape shape, DeviceBuffer c) {
        long rowBytes = 4L * shape.n();
        for (int row = 0; row < shape.m(); row++) {
            if (!StepTable.isRung(c, c.memory(), row * rowBytes + rowBytes - 4)) {
                return false;
            }
        }
        return true;
    }

    private static MemorySegment ones(long bytes) {
        MemorySegment ones = MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]);
        short one = Float.floatToFloat16(1);
        for (long at = 0; at < bytes; at += 2) {
            ones.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, one);
        }
        return ones;
    }

    /** The K-schedule registers of an fp16 product in a chain and alone: they are the same. */
    public List<Schedule> halfSchedule(int m, int k, int n) {
        MatmulProgram program = MatmulProgram.rowMajor(new MatmulShape(MatmulType.FP16_FP32, m, k, n));
        MatmulEncoder encoder = new MatmulEncoder(device.soc());
        long[] chained = new long[program.form().words()];
        long[] alone = new long[program.form().words()];
        encoder.encode(program, 0x10000, 0x20000, 0x30000, 0x40000, MemorySegment.ofArray(chained), 0);
        encoder.encode(program, 0x10000, 0x20000, 0x30000, MatmulEncoder.TERMINAL, MemorySegment.ofArray(alone), 0);
        return List.of(
                schedule("CBUF_CON0", CnaRegisters.CNA_CBUF_CON0, chained, alone),
                schedule("CONV_CON2", CnaRegisters.CNA_CONV_CON2, chained, alone),
                schedule("CBUF_CON1", CnaRegisters.CNA_CBUF_CON1, chained, alone));
    }

    private static Schedule schedule(String name, int offset, long[] chained, long[] alone) {
        return new Schedule(name, offset, value(chained, offset), value(alone, offset));
    }

    private static int value(long[] words, int offset) {
        int found = 0;
        for (long word : words) {
            if (RegisterCommand.offset(word) == offset) {
                found = RegisterCommand.value(word);
            }
        }
        return found;
    }
}
