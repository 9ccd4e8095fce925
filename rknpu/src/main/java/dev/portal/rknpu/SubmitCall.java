package dev.portal.rknpu;

import dev.portal.base.Clock;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.hardware.rk3588.RknpuSubcoreTask;
import dev.portal.hardware.rk3588.RknpuSubmit;
import dev.portal.kernel.Answer;
import dev.portal.kernel.DeviceException.Recovery;
import dev.portal.kernel.Errno;
import java.lang.foreign.Arena;

/**
 * The SUBMIT of a chain: its argument, the stretch of the task array that each core runs, and how often a refusal is tried
 * again.
 *
 * <p>Which entry of {@code subcore_task} a core reads depends on how many cores the job has (spec 8.3): of one or two cores
 * the entry of the core's number, of three cores entries 2, 3 and 4. An entry without tasks makes the driver look at task
 * -1, so none that may be read is left empty. Not safe for several threads.
 */
final class SubmitCall implements AutoCloseable {
    /**
     * The timeout of asynchronous jobs. The driver compares it with their age in microseconds when the next one comes for
     * the same core, and resets the device when that is more (spec 8.5, Q21). No job of ours is left alone for so long.
     */
    static final int ASYNC_TIMEOUT = 60_000_000;

    private static final int WAITED_FOR = RknpuAbi.JOB_PC | RknpuAbi.JOB_PINGPONG;
    private static final int MAX_TRANSIENT_RETRIES = 20;
    private static final long RETRY_AFTER_NANOS = 50_000;
    private static final int ALL_CORES = 0b111;
    private static final int FIRST_TWO_CORES = 0b011;
    private static final int ENTRIES_OF_A_CORE = 3;

    private final RknpuDevice device;
    private final DeviceBuffer tasks;
    private final Arena arena = Arena.ofShared();
    private final RknpuSubmit submit;
    private final RknpuSubcoreTask[] entries = new RknpuSubcoreTask[RknpuSubmit.SUBCORE_TASKS];

    /** @param tasks the task array; the caller's */
    SubmitCall(RknpuDevice device, DeviceBuffer tasks) {
        this.device = device;
        this.tasks = tasks;
        submit = new RknpuSubmit(arena.allocate(RknpuSubmit.LAYOUT));
        for (int i = 0; i < entries.length; i++) {
            entries[i] = submit.subcoreTask(i);
        }
    }

    /**
     * Whether the driver runs one job on these cores. Masks 5 and 6 are queued, never committed, and block their cores
     * (spec 8.2).
     *
     * @param mask bit i for core i
     */
    static boolean isOneJob(int mask) {
        return Integer.bitCount(mask) == 1 || mask == FIRST_TWO_CORES || mask == ALL_CORES;
    }

    /** One core's job: tasks {@code first} to {@code first + count - 1}. */
    void oneCore(int mask, int first, int count) {
        begin(mask, first, count);
        for (int i = 0; i < entries.length; i++) {
            boolean used = i < ENTRIES_OF_A_CORE;
            set(i, used ? first : 0, used ? count : 0);
        }
    }

    /**
     * A job of several cores; {@link #range} follows for each.
     *
     * @param total tasks of all cores; the driver only checks that there are some
     */
    void severalCores(int mask, int total) {
        begin(mask, 0, total);
        for (int i = 0; i < entries.length; i++) {
            set(i, 0, 1);
        }
    }

    private void begin(int mask, int first, int total) {
        if (!isOneJob(mask)) {
            throw new IllegalArgumentException(
                    "one job for cores of mask " + mask + ": the driver never starts it; submit a job a core");
        }
        submit.coreMask(mask);
        submit.taskStart(first);
        submit.taskNumber(total);
    }

    /** What a core of the job runs. */
    void range(int core, int first, int count) {
        set(submit.coreMask() == ALL_CORES ? core + 2 : core, first, count);
    }

    private void set(int entry, int first, int count) {
        entries[entry].taskStart(first);
        entries[entry].taskNumber(count);
    }

    /** Submits and returns. */
    void async() {
        submit(WAITED_FOR | RknpuAbi.JOB_NONBLOCK, ASYNC_TIMEOUT);
    }

    /** Submits and waits for the interrupt. */
    void blocking() {
        submit(WAITED_FOR, device.options().timeoutMs());
    }

    /** Submits once and waits; returns the errno, 0 when it ran. */
    int blockingOnce(int timeoutMs) {
        long answer = ioctl(WAITED_FOR, timeoutMs);
        return Answer.failed(answer) ? Answer.errno(answer) : 0;
    }

    private void submit(int flags, int timeout) {
        long answer = tryToSubmit(flags, timeout);
        if (Answer.failed(answer)) {
            if (Answer.errno(answer) == Errno.ETIMEDOUT) {
                device.driverHasReset();
            }
            throw device.rejected(
                    "SUBMIT of " + submit.taskNumber() + " program(s), core mask " + submit.coreMask() + ", after "
                            + MAX_TRANSIENT_RETRIES + " retries",
                    answer,
                    Recovery.RESET);
        }
    }

    private long tryToSubmit(int flags, int timeout) {
        for (int transients = 0; ; transients++) {
            long answer = ioctl(flags, timeout);
            int errno = Answer.failed(answer) ? Answer.errno(answer) : 0;
            boolean again = errno == Errno.EINVAL || errno == Errno.EBUSY || errno == Errno.EINTR;
            if (!again || transients == MAX_TRANSIENT_RETRIES) {
                return answer;
            }
            device.counters().count(Counters.Recovery.TRANSIENT);
            Clock clock = device.clock();
            long until = clock.nanos() + RETRY_AFTER_NANOS;
            while (clock.nanos() < until) {
                clock.parkUntil(until);
            }
        }
    }

    private long ioctl(int flags, int timeout) {
        submit.flags(flags);
        submit.timeout(timeout);
        submit.taskCounter(0);
        submit.taskObjAddr(tasks.objectAddress());
        submit.iommuDomainId(device.options().domain());
        submit.fenceFd(-1);
        return device.kernel().ioctl(device.fd(), RknpuAbi.DRM_SUBMIT, submit.segment());
    }

    @Override
    public void close() {
        arena.close();
    }
}
