package dev.portal.rknpu;

import dev.portal.base.Clock;
import dev.portal.hardware.rk3588.Block;
import dev.portal.hardware.rk3588.PcRegisters;
import dev.portal.hardware.rk3588.RegisterCommand;
import dev.portal.hardware.rk3588.RknpuTask;
import dev.portal.rknpu.DeviceBuffer.Use;
import dev.portal.rknpu.MatmulProgram.Form;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Linked programs of one core with their task array: the seed's fixed-length track. Any stretch of it can be submitted,
 * since each task names its own program and a link beyond the last counted program is never followed (spec 7.2).
 *
 * <pre>
 *   task array   t0    t1    t2    t3          task_number programs run, then the job is done
 *                 │     │     │     │
 *   programs     p0 ─► p1 ─► p2 ─► p3 ─▌       each ends in a link: address 0x0010, length 0x0014; length 0 ends the walk
 * </pre>
 *
 * <p>While it runs, two things may be written: a link length ({@link #cut}), and whole programs that were not fetched yet
 * ({@link #drain}). Not safe for several threads.
 */
final class Track implements AutoCloseable {
    /** The controller runs one program and has fetched the next: what lies before is out of reach (spec 7.1). */
    static final int FETCHED_AHEAD = 2;

    /** Longer than the programs that may have to end before it. */
    private static final long FENCE_NANOS = 100_000_000;

    /** Longer than the ten seconds after which boards give a redirected chain up. */
    private static final int BEHIND_TIMEOUT_MS = 15_000;

    private static final long PROGRAM_BYTES = Form.ROW_MAJOR.bytes();
    private static final long LINK_AT = 8L * Form.ROW_MAJOR.bodyWords();
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    // The scratch page: zero operands of the minimal program, where its results go, the doorbell of the last one, and a
    // minimal program that stands alone.
    private static final long ZEROS = 0;
    private static final long RESULTS = 2048;
    private static final long LAST_RESULTS = 2304;
    private static final long FENCE = 2560;
    private static final long FENCE_RESULTS = 3584;
    private static final long SCRATCH_BYTES = 4096;

    private final RknpuDevice device;
    private final CoreState home;
    private final int capacity;
    private final MatmulEncoder encoder;
    private final DeviceBuffer programs;
    private final boolean ownPrograms;
    private final DeviceBuffer tasks;
    private final RknpuTask[] records;

    /** Which program of the buffer comes at a place; the place itself unless the track is composed. */
    private final int[] slots;

    private final DeviceBuffer scratch;
    private final SubmitCall call;
    private final long linkLength;
    private DeviceBuffer features;
    private CoreState core;
    private int size;

    Track(RknpuDevice device, int core, int capacity) {
        this(device, core, capacity, device.allocate(capacity * PROGRAM_BYTES, Use.DATA), true);
    }

    /** A track that is composed of programs which others have, too ({@link #compose}). */
    Track(RknpuDevice device, int core, int capacity, DeviceBuffer programs) {
        this(device, core, capacity, programs, false);
    }

    private Track(RknpuDevice device, int core, int capacity, DeviceBuffer programs, boolean ownPrograms) {
        this.device = device;
        home = device.core(core);
        this.core = home;
        this.capacity = capacity;
        this.programs = programs;
        this.ownPrograms = ownPrograms;
        encoder = new MatmulEncoder(device.soc());
        linkLength = RegisterCommand.word(
                Block.PC,
                PcRegisters.PC_REGISTER_AMOUNTS,
                RegisterCommand.encodedLength(
                        Form.ROW_MAJOR.bodyWords(), device.soc().lengthScale()));
        tasks = device.allocate((capacity + 1) * RknpuTask.LAYOUT.byteSize(), Use.TASKS);
        scratch = device.allocate(SCRATCH_BYTES, Use.DATA);
        features = device.allocate(SCRATCH_BYTES, Use.DATA);
        scratch.memory().fill((byte) 0);
        minimal(scratch, FENCE, FENCE_RESULTS, MatmulEncoder.TERMINAL, MatmulType.INT8_INT32);
        scratch.toDevice(SyncPoint.FEATURES_TO_DEVICE, 0, SCRATCH_BYTES);
        call = new SubmitCall(device, tasks);
        records = records(tasks, capacity + 1);
        slots = new int[capacity];
        for (int i = 0; i < capacity; i++) {
            records[i].regcmdAddr(programs.iova() + i * PROGRAM_BYTES);
        }
        records[capacity].regcmdAddr(scratch.iova() + FENCE);
        for (int i = 0; i < capacity; i++) {
            slots[i] = i;
        }
        tasks.toDevice(SyncPoint.TASKS_TO_DEVICE, 0, (capacity + 1) * RknpuTask.LAYOUT.byteSize());
    }

    /** The records of a task array, complete but for the programs' addresses. */
    static RknpuTask[] records(DeviceBuffer tasks, int count) {
        RknpuTask[] records = new RknpuTask[count];
        MemorySegment memory = tasks.memory();
        for (int i = 0; i < count; i++) {
            RknpuTask record =
                    new RknpuTask(memory.asSlice(i * RknpuTask.LAYOUT.byteSize(), RknpuTask.LAYOUT.byteSize()));
            record.opIdx(i);
            record.enableMask(Submission.ENABLE);
            record.intMask(Submission.INTERRUPT_MASK);
            record.intClear(Submission.INTERRUPT_CLEAR);
            record.regcfgAmount(Form.ROW_MAJOR.bodyWords());
            records[i] = record;
        }
        return records;
    }

    int capacity() {
        return capacity;
    }

    int size() {
        return size;
    }

    /** The core that it is made for. */
    CoreState home() {
        return home;
    }

    /** The core that runs it. */
    CoreState core() {
        return core;
    }

    /**
     * Runs it on another core from now on: nothing in a program names its core, the driver sets what does (spec 8.3). Only
     * while nothing is in flight.
     */
    void moveTo(CoreState other) {
        core = other;
    }

    /** Staging of features, at least so many bytes; only while nothing is in flight. */
    DeviceBuffer features(long bytes) {
        if (features.sizeBytes() < bytes) {
            features.close();
            features = device.allocate(bytes, Use.DATA);
        }
        return features;
    }

    DeviceBuffer features() {
        return features;
    }

    /** Encodes the stretch {@code from} to {@code to - 1} of a table as this track's programs, the last one terminal. */
    void encode(StepTable table, int from, int to, DeviceBuffer staging) {
        size = to - from;
        for (int i = 0; i < size; i++) {
            write(table, from + i, i, staging);
        }
        programs.toDevice(SyncPoint.PROGRAMS_TO_DEVICE, 0, size * PROGRAM_BYTES);
    }

    /** Makes the track of programs that lie in the buffer, in the order {@code chosen[from]} to {@code chosen[to - 1]}. */
    void compose(int[] chosen, int from, int to) {
        size = to - from;
        for (int i = 0; i < size; i++) {
            slots[i] = chosen[from + i];
            records[i].regcmdAddr(address(i));
        }
        for (int i = 0; i < size; i++) {
            long link = at(i) + LINK_AT;
            MemorySegment words = programs.memory();
            words.set(MatmulEncoder.WORD, link, linkAddress(i));
            words.set(MatmulEncoder.WORD, link + 8, i + 1 == size ? MatmulEncoder.TERMINAL_LENGTH : linkLength);
            programs.toDevice(SyncPoint.PROGRAMS_TO_DEVICE, link, 16);
        }
        tasks.toDevice(SyncPoint.TASKS_TO_DEVICE, 0, size * RknpuTask.LAYOUT.byteSize());
    }

    private long linkAddress(int i) {
        return i + 1 == size ? 0 : RegisterCommand.word(Block.PC, PcRegisters.PC_BASE_ADDRESS, (int) address(i + 1));
    }

    private long at(int i) {
        return slots[i] * PROGRAM_BYTES;
    }

    /** Where program {@code i} begins. */
    long address(int i) {
        return programs.iova() + at(i);
    }

    private long next(int i) {
        return i + 1 == size ? MatmulEncoder.TERMINAL : address(i + 1);
    }

    private void write(StepTable table, int step, int i, DeviceBuffer staging) {
        encoder.encode(
                table.program(step),
                staging.iova() + table.aOffset(step),
                table.b(step),
                table.c(step),
                next(i),
                programs.memory(),
                at(i));
    }

    /** Writes programs {@code from} to {@code to - 1} again, after a stop; only while nothing is in flight. */
    void restore(StepTable table, int first, int from, int to, DeviceBuffer staging) {
        for (int i = from; i < to; i++) {
            write(table, first + i, i, staging);
            programs.toDevice(SyncPoint.PROGRAMS_TO_DEVICE, at(i), PROGRAM_BYTES);
        }
    }

    /** Makes a running track end after program {@code at}, if the controller has not fetched it: one aligned store. */
    void cut(int at) {
        long word = at(at) + LINK_AT + 8;
        WORD.setRelease(programs.memory(), word, MatmulEncoder.TERMINAL_LENGTH);
        programs.toDevice(SyncPoint.PROGRAMS_TO_DEVICE, word, 8);
    }

    /** Undoes {@link #cut}; only while nothing is in flight. */
    void mend(int at) {
        if (at + 1 < size) {
            long word = at(at) + LINK_AT + 8;
            WORD.setRelease(programs.memory(), word, linkLength);
            programs.toDevice(SyncPoint.PROGRAMS_TO_DEVICE, word, 8);
        }
    }

    /** Links program {@code at} to another, wherever that is: for experiments that show what comes of it. */
    void link(int at, int to) {
        long link = at(at) + LINK_AT;
        long word = RegisterCommand.word(Block.PC, PcRegisters.PC_BASE_ADDRESS, (int) address(to));
        programs.memory().set(MatmulEncoder.WORD, link, word);
        programs.memory().set(MatmulEncoder.WORD, link + 8, linkLength);
        programs.toDevice(SyncPoint.PROGRAMS_TO_DEVICE, link, 16);
    }

    /** A minimal job behind what the core has to do, waited for once; returns its errno, 0 when it ran. */
    int submitBehind() {
        call.oneCore(core.mask(), capacity, 1);
        return call.blockingOnce(BEHIND_TIMEOUT_MS);
    }

    /** Seeds the doorbell that the last minimal program rings. */
    void seedDrain() {
        seed(LAST_RESULTS);
    }

    private void seed(long doorbell) {
        scratch.memory().set(ValueLayout.JAVA_INT, doorbell, StepTable.SENTINEL);
        scratch.toDevice(SyncPoint.RESULT_TO_DEVICE, doorbell, 4);
    }

    /**
     * Overwrites program {@code at}, which must not have been fetched, by a minimal one with the same link.
     *
     * @param last whether it is the last one that runs: it rings {@link #isDrained}
     */
    void drain(int at, boolean last, MatmulType type) {
        minimal(programs, at(at), last ? LAST_RESULTS : RESULTS, next(at), type);
        programs.toDevice(SyncPoint.PROGRAMS_TO_DEVICE, at(at), PROGRAM_BYTES);
    }

    private void minimal(DeviceBuffer to, long offset, long results, long next, MatmulType type) {
        MatmulProgram program = type == MatmulType.INT8_INT32 ? Minimal.INT8 : Minimal.FP16;
        long zeros = scratch.iova() + ZEROS;
        encoder.encode(program, zeros, zeros, scratch.iova() + results, next, to.memory(), offset);
    }

    /** Whether the last minimal program has run, and with it the whole job. */
    boolean isDrained() {
        return StepTable.isRung(scratch, scratch.memory(), LAST_RESULTS);
    }

    /** Submits programs {@code first} to {@code first + count - 1} and returns. */
    void submitAsync(int first, int count) {
        call.oneCore(core.mask(), first, count);
        call.async();
        core.becomeAsync();
    }

    /** Submits and waits for the interrupt. */
    void submitBlocking(int first, int count) {
        call.oneCore(core.mask(), first, count);
        call.blocking();
        core.becomeProven();
    }

    /**
     * A minimal product behind whatever the core has to do. The driver commits a core's jobs in order: when its result is
     * there, every earlier job has retired. It is not waited for in the driver, which would look for a job that it gives up
     * in the wrong core's queue (spec 8.5).
     *
     * @return false when it did not come: an earlier job does not retire. Reset the device, then {@link #flush}
     */
    boolean fence() {
        seed(FENCE_RESULTS);
        submitAsync(capacity, 1);
        Clock clock = device.clock();
        long deadline = clock.nanos() + FENCE_NANOS;
        while (!StepTable.isRung(scratch, scratch.memory(), FENCE_RESULTS)) {
            if (clock.nanos() >= deadline) {
                return false;
            }
            clock.spinUntil(deadline);
        }
        return true;
    }

    /** After a reset: lets a fence that is still in the core's queue run, and waits for the interrupt behind it. */
    void flush() {
        submitBlocking(capacity, 1);
    }

    void retain() {
        programs.retain();
        tasks.retain();
        scratch.retain();
        features.retain();
    }

    void release() {
        programs.release();
        tasks.release();
        scratch.release();
        features.release();
    }

    @Override
    public void close() {
        if (ownPrograms) {
            programs.close();
        }
        tasks.close();
        scratch.close();
        features.close();
        call.close();
    }

    /** Made on first use: most chains are never drained. */
    private static final class Minimal {
        static final MatmulProgram INT8 = MatmulProgram.rowMajor(new MatmulShape(MatmulType.INT8_INT32, 1, 32, 32));
        static final MatmulProgram FP16 = MatmulProgram.rowMajor(new MatmulShape(MatmulType.FP16_FP32, 1, 32, 16));
    }
}
