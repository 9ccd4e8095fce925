package dev.portal.rknpu;

import dev.portal.base.Clock;
import dev.portal.hardware.rk3588.Block;
import dev.portal.hardware.rk3588.PcRegisters;
import dev.portal.hardware.rk3588.Precision;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.hardware.rk3588.RknpuSubmit;
import dev.portal.hardware.rk3588.RknpuTask;
import dev.portal.kernel.Answer;
import dev.portal.kernel.DeviceException;
import dev.portal.kernel.DeviceException.Recovery;
import dev.portal.kernel.Errno;
import dev.portal.rknpu.DeviceBuffer.Use;
import dev.portal.rknpu.MatmulProgram.Form;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A job of linked programs on one core, submitted and waited for (spec 8.3, 8.4).
 *
 * <p>The programs lie in a buffer of its own, one behind the other; {@link #encode} writes them, {@link #run} submits as
 * many as were written. It returns when the driver's interrupt has been seen: the results are in memory. Transient
 * refusals are tried again, a job that got lost is submitted again after the driver's reset; both a bounded number of
 * times, and counted.
 *
 * <p>One thread at a time; submissions of different cores run side by side.
 */
public final class Submission implements AutoCloseable {
    /** Interrupt bits that end a matrix product: either group of the DPU. */
    static final int INTERRUPT_MASK =
            PcRegisters.PC_INTERRUPT_MASK_DPU_0.mask() | PcRegisters.PC_INTERRUPT_MASK_DPU_1.mask();

    static final int INTERRUPT_CLEAR = 0x1ffff;
    static final int ENABLE = Block.CNA.enableBit() | Block.CORE.enableBit() | Block.DPU.enableBit();

    private static final int MAX_TRANSIENT_RETRIES = 20;
    private static final long RETRY_AFTER_NANOS = 50_000;

    /** All three commits after a switch of the IOMMU domain may get lost, none later (spec 8.6). */
    private static final int MAX_LOST_DISPATCHES = 3;

    /** A submit's entries for cores 0, 1 and 2: the driver reads the one of the core that it chose (spec 8.3). */
    private static final int CORE_RANGES = 3;

    private final RknpuDevice device;
    private final CoreState core;
    private final int capacity;
    private final MatmulEncoder encoder;
    private final DeviceBuffer programs;
    private final DeviceBuffer tasks;
    private final Arena arena = Arena.ofShared();
    private final RknpuSubmit submit;
    private final boolean warming;
    private Precision precision = Precision.INT8;
    private int size;

    /**
     * @param core index of the core that runs it
     * @param capacity programs that it can hold, 1 to 4095
     */
    public Submission(RknpuDevice device, int core, int capacity) {
        this(device, core, capacity, false);
    }

    /** @param warming whether it is itself the throw-away pass, which nothing may precede */
    Submission(RknpuDevice device, int core, int capacity, boolean warming) {
        int limit = device.soc().maxTasks();
        if (capacity < 1 || capacity > limit) {
            throw new IllegalArgumentException(capacity + " programs in one job; the controller counts 1 to " + limit);
        }
        this.device = device;
        this.core = device.core(core);
        this.capacity = capacity;
        this.warming = warming;
        encoder = new MatmulEncoder(device.soc());
        programs = device.allocate(capacity * Form.ROW_MAJOR.bytes(), Use.DATA);
        tasks = device.allocate(capacity * RknpuTask.LAYOUT.byteSize(), Use.TASKS);
        submit = new RknpuSubmit(arena.allocate(RknpuSubmit.LAYOUT));
    }

    /** Programs that it can hold. */
    public int capacity() {
        return capacity;
    }

    /** Programs that it holds. */
    public int size() {
        return size;
    }

    /** Forgets its programs. */
    public void clear() {
        size = 0;
    }

    /**
     * Appends a row-major program; {@link #run} links it.
     *
     * @param a address of A, {@code b} of the packed B, {@code c} of C
     */
    public void encode(MatmulProgram program, long a, long b, long c) {
        if (program.form() != Form.ROW_MAJOR) {
            throw new IllegalArgumentException("native cubes are not for linked jobs of this kind");
        }
        if (size == capacity) {
            throw new IllegalStateException("all " + capacity + " programs are taken");
        }
        long at = size * Form.ROW_MAJOR.bytes();
        encoder.encode(program, a, b, c, programs.iova() + at + Form.ROW_MAJOR.bytes(), programs.memory(), at);
        RknpuTask task =
                new RknpuTask(tasks.memory().asSlice(size * RknpuTask.LAYOUT.byteSize(), RknpuTask.LAYOUT.byteSize()));
        task.flags(0);
        task.opIdx(size);
        task.enableMask(ENABLE);
        task.intMask(INTERRUPT_MASK);
        task.intClear(INTERRUPT_CLEAR);
        task.intStatus(0);
        task.regcfgAmount(Form.ROW_MAJOR.bodyWords());
        task.regcfgOffset(0);
        task.regcmdAddr(programs.iova() + at);
        precision = program.shape().type().input();
        size++;
    }

    /**
     * Submits what was encoded and waits until it is done.
     *
     * @param operands every buffer that the programs touch; they cannot be closed meanwhile
     * @return the driver's time from commit to interrupt, in nanoseconds
     * @throws DeviceException.TimedOut when the job got lost as often as it may
     * @throws DeviceException.Rejected when the driver refuses
     */
    public long run(List<DeviceBuffer> operands) {
        if (size == 0) {
            throw new IllegalStateException("no program to run");
        }
        endChain();
        programs.toDevice(SyncPoint.PROGRAMS_TO_DEVICE, 0, size * Form.ROW_MAJOR.bytes());
        tasks.toDevice(SyncPoint.TASKS_TO_DEVICE, 0, size * RknpuTask.LAYOUT.byteSize());
        List<DeviceBuffer> touched = new ArrayList<>(operands);
        touched.add(programs);
        touched.add(tasks);
        core.lock().lock();
        int retained = 0;
        try {
            if (!warming) {
                device.makeUsable(core);
            }
            for (; retained < touched.size(); retained++) {
                touched.get(retained).retain();
            }
            return submitUntilDone();
        } finally {
            // The driver's call has returned: by interrupt, by refusal, or by its reset. Nothing runs any more.
            touched.subList(0, retained).forEach(DeviceBuffer::release);
            core.lock().unlock();
        }
    }

    /** The last program's link becomes terminal: an address beyond the job's programs must never be followed. */
    private void endChain() {
        long trailer = size * Form.ROW_MAJOR.bytes() - 4 * 8L;
        MemorySegment words = programs.memory();
        words.set(MatmulEncoder.WORD, trailer, 0);
        words.set(MatmulEncoder.WORD, trailer + 8, MatmulEncoder.TERMINAL_LENGTH);
    }

    private long submitUntilDone() {
        int transients = 0;
        int lost = 0;
        while (true) {
            warmUp();
            fill();
            long answer = device.kernel().ioctl(device.fd(), RknpuAbi.DRM_SUBMIT, submit.segment());
            if (!Answer.failed(answer)) {
                return submit.hwElapseTime();
            }
            int errno = Answer.errno(answer);
            if (errno == Errno.ETIMEDOUT) {
                // The driver has reset every core, also when this is the last attempt or a throw-away pass.
                device.driverHasReset();
            }
            if ((errno == Errno.EINVAL || errno == Errno.EBUSY || errno == Errno.EINTR)
                    && transients < MAX_TRANSIENT_RETRIES) {
                transients++;
                device.counters().count(Counters.Recovery.TRANSIENT);
                pause();
            } else if (errno == Errno.ETIMEDOUT && lost < MAX_LOST_DISPATCHES) {
                lost++;
                device.counters().count(Counters.Recovery.LOST_DISPATCH);
            } else {
                throw failure(answer, transients, lost);
            }
        }
    }

    /** A core that a reset has cooled, ours or that of another core's job, may miscompute its first pass. */
    private void warmUp() {
        if (device.options().warmUp() && !warming) {
            new WarmUp(device).warm(core.index(), precision);
        }
    }

    private void fill() {
        submit.segment().fill((byte) 0);
        submit.flags(RknpuAbi.JOB_PC | RknpuAbi.JOB_PINGPONG);
        submit.timeout(device.options().timeoutMs());
        submit.taskNumber(size);
        submit.taskObjAddr(tasks.objectAddress());
        submit.iommuDomainId(device.options().domain());
        submit.coreMask(core.mask());
        submit.fenceFd(-1);
        for (int i = 0; i < CORE_RANGES; i++) {
            submit.subcoreTask(i).taskStart(0);
            submit.subcoreTask(i).taskNumber(size);
        }
    }

    private void pause() {
        Clock clock = device.clock();
        long until = clock.nanos() + RETRY_AFTER_NANOS;
        while (clock.nanos() < until) {
            clock.parkUntil(until);
        }
    }

    private DeviceException failure(long answer, int transients, int lost) {
        if (Answer.errno(answer) == Errno.ETIMEDOUT) {
            return new DeviceException.TimedOut(
                    device.node(),
                    "core " + core.index() + " did not finish " + size + " program(s) within "
                            + device.options().timeoutMs() + " ms, " + (lost + 1) + " times; it had done "
                            + submit.taskCounter() + ". A wrong program, an unmapped address or a hung core:"
                            + " rk check examines the program, dmesg | grep RKNPU the driver's view",
                    Recovery.RESET);
        }
        return device.rejected(
                "SUBMIT of " + size + " program(s) on core " + core.index() + " after " + transients + " retries",
                answer,
                Recovery.RESET);
    }

    @Override
    public void close() {
        tasks.close();
        programs.close();
        arena.close();
    }
}
