package dev.portal.emulator.rk3588;

import static dev.portal.emulator.rk3588.Job.CORES;

import dev.portal.emulator.DeviceLock;
import dev.portal.emulator.Diagnostic.Severity;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.KernelLog;
import dev.portal.hardware.rk3588.CnaRegisters;
import dev.portal.hardware.rk3588.CoreRegisters;
import dev.portal.hardware.rk3588.PcRegisters;
import dev.portal.hardware.rk3588.RegisterCommand;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.hardware.rk3588.RknpuSubmit;
import dev.portal.hardware.rk3588.RknpuTask;
import dev.portal.kernel.Errno;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Jobs from submit to the end (spec 8), the driver's own mistakes included.
 *
 * <pre>
 *  SUBMIT -> validate -> (NONBLOCK: timeout_clean) -> domain -> QUEUED -> COMMITTED -> interrupt -> DONE
 *                                                          \-> wait expires -> abort -> soft reset
 *                                                          \-> reset by somebody else -> -EINVAL
 * </pre>
 *
 * <p>Everything runs under the device's lock. A core's current job and its queue are only changed here.
 */
final class JobEngine {
    private static final int MAX_KICK = 4095;
    private static final int LENGTH_SCALE = 2;
    private static final int ALL_INTERRUPTS = 0x1ffff;
    private static final int WAIT_ROUNDS = 3;
    private static final long ABORT_SLEEP_NANOS = 100_000_000L;
    private static final long RESET_SLEEP_NANOS = 100_000_000L;

    /** Time after which boards give up the job of a redirected chain (spec 7.2: about 10 s). */
    private static final long REDIRECT_ABORT_NANOS = 10_000_000_000L;

    private final Chip chip;
    private final DeviceLock lock;
    private final Domains domains;
    private final KernelLog log;
    private final CoreModel[] cores = new CoreModel[CORES];
    private final @Nullable Job[] current = new @Nullable Job[CORES];
    private final List<Deque<Job>> queues = new ArrayList<>();
    private boolean resetting;
    private long resetCount;
    private long jobCount;
    private long bornCount;

    JobEngine(Chip chip, DeviceLock lock, Domains domains, KernelLog log) {
        this.chip = chip;
        this.lock = lock;
        this.domains = domains;
        this.log = log;
        for (int core = 0; core < CORES; core++) {
            int index = core;
            queues.add(new ArrayDeque<>());
            cores[core] = new CoreModel(
                    core,
                    chip,
                    new IommuDma(chip, domains::current, () -> bornLimit(index), () -> jobName(index)),
                    this::interrupt,
                    this::redirected);
        }
    }

    /** A new object's number, to tell it from those that a running job may know. */
    long nextBirth() {
        return ++bornCount;
    }

    private long bornLimit(int core) {
        Job job = current[core];
        return job == null ? Long.MAX_VALUE : job.bornBefore;
    }

    private String jobName(int core) {
        return String.valueOf(current[core]);
    }

    CoreModel core(int index) {
        return cores[index];
    }

    /** Jobs that are queued or current, each once. */
    int pending() {
        return (int) Stream.concat(Arrays.stream(current), queues.stream().flatMap(Deque::stream))
                .filter(Objects::nonNull)
                .distinct()
                .count();
    }

    /** SUBMIT; returns 0 or an errno, and writes the out fields. */
    int submit(RknpuSubmit args, @Nullable GemObject tasks) {
        if (args.taskNumber() == 0) {
            log.add("RKNPU: invalid rknpu task number!");
            return Errno.EINVAL;
        }
        if (Integer.compareUnsigned(args.coreMask(), Job.ALL_CORES) > 0) {
            log.add("RKNPU: invalid rknpu core mask: 0x" + Integer.toHexString(args.coreMask()));
            return Errno.EINVAL;
        }
        if ((args.flags() & (RknpuAbi.JOB_FENCE_IN | RknpuAbi.JOB_FENCE_OUT)) != 0) {
            log.add("RKNPU: failed to use rknpu fence, please enable rknpu fence config!");
            return Errno.EINVAL;
        }
        Job job = new Job(++jobCount, args, tasks, chip.clock.nanos(), bornCount);
        if (tasks != null) {
            tasks.references++;
        }
        if (chip.faults.at(Kind.FOREIGN_RESET).isPresent()) {
            softReset();
        }
        return job.nonblocking() ? submitNonblocking(job) : submitBlocking(job, args);
    }

    private int submitNonblocking(Job job) {
        lock.sleep(chip.timing.nonblockNanos());
        timeoutClean(job.coreMask);
        if (!domains.acquire(job.domain)) {
            drop(job);
            return Errno.EINVAL;
        }
        job.holdsDomain = true;
        schedule(job);
        if (job.commitErrno != 0 && !waitsForUnknownMask(job)) {
            abort(job, job.commitErrno);
            return job.commitErrno;
        }
        return 0;
    }

    /** Masks 5 and 6 fail at commit, but the NONBLOCK path has returned by then and the cores stay taken. */
    private static boolean waitsForUnknownMask(Job job) {
        return job.coreMask == 5 || job.coreMask == 6;
    }

    private int submitBlocking(Job job, RknpuSubmit args) {
        lock.sleep(chip.timing.submitNanos());
        if (!domains.acquire(job.domain)) {
            for (int round = 0; round < WAIT_ROUNDS; round++) {
                lock.await(() -> resetting, chip.clock.nanos() + job.timeoutNanos());
            }
            log.add("RKNPU: job commit failed");
            domains.release();
            chip.report.add(
                    Severity.WRONG,
                    "domain-underflow",
                    job + " drops a domain reference that it never took (spec 8.2)");
            drop(job);
            return Errno.EINVAL;
        }
        job.holdsDomain = true;
        schedule(job);
        // The driver works on the caller's own struct here: O1 of ioctl_traces.tsv has the mask that was chosen.
        args.coreMask(job.coreMask);
        if ((job.flags & RknpuAbi.JOB_PC) == 0) {
            if (job.commitErrno == 0) {
                chip.report.add(
                        Severity.FATAL,
                        "dangling-job",
                        job + " without the PC flag stays in a queue after it was freed");
                removeFromQueues(job);
                args.taskCounter(job.taskNumber);
                return 0;
            }
            abort(job, job.commitErrno);
            return job.commitErrno;
        }
        int errno = await(job, args);
        if (errno != 0) {
            abort(job, errno);
            return errno;
        }
        lock.sleep(chip.timing.wakeNanos());
        args.taskCounter(job.taskNumber);
        args.hwElapseTime(job.elapsedNanos);
        release(job);
        return 0;
    }

    /** Spec 8.4: up to three rounds, further ones only while the job was not committed, or so for less than a round. */
    private int await(Job job, RknpuSubmit args) {
        long round = job.timeoutNanos();
        long start = chip.clock.nanos();
        long resetsBefore = resetCount;
        boolean woken;
        int rounds = 0;
        do {
            woken = lock.await(
                    () -> job.done || job.aborted || resetting || resetCount != resetsBefore,
                    chip.clock.nanos() + round);
            rounds++;
        } while (!woken
                && job.commitErrno == 0
                && rounds < WAIT_ROUNDS
                && (job.committedNanos < 0 || chip.clock.nanos() - job.committedNanos < round));
        if (job.done) {
            writeStatus(job);
            return 0;
        }
        if (woken || job.commitErrno != 0) {
            return Errno.EINVAL;
        }
        int counter = counter(job);
        args.taskCounter(counter);
        log.add("RKNPU: failed to wait job, task counter: " + counter + ", flags: 0x" + Integer.toHexString(job.flags)
                + ", ret = 0, elapsed time: " + (chip.clock.nanos() - start) / 1000 + "us");
        return Errno.ETIMEDOUT;
    }

    private void writeStatus(Job job) {
        for (int core = 0; core < CORES; core++) {
            if (job.uses(core)) {
                Job.Range range = job.range(core);
                writeStatus(job, range.start() + range.number() - 1);
            }
        }
    }

    /** The kernel's store goes through its own coherent mapping: it leaves a line as clean or dirty as it was. */
    private void writeStatus(Job job, int index) {
        MemorySegment task = task(job, index);
        GemObject object = job.tasks;
        if (task == null || object == null) {
            return;
        }
        long bytes = RknpuTask.LAYOUT.byteSize();
        boolean dirty = object.memory().isDirty(index * bytes, bytes);
        new RknpuTask(task).intStatus(job.intStatus);
        if (!dirty) {
            object.memory().clean(index * bytes, bytes);
        }
    }

    private int counter(Job job) {
        int core = firstCore(job);
        return cores[core].read(PcRegisters.PC_TASK_STATUS) & 0xfff;
    }

    private static int firstCore(Job job) {
        return Math.min(CORES - 1, Integer.numberOfTrailingZeros(Math.max(1, job.coreMask)));
    }

    /** Puts the job in the queues of its cores and starts what can start. */
    private void schedule(Job job) {
        if (job.coreMask == 0) {
            job.coreMask = 1 << leastLoaded();
        }
        job.coresToJoin = Integer.bitCount(job.coreMask);
        job.interruptsLeft = job.coresToJoin;
        for (int core = 0; core < CORES; core++) {
            if (job.uses(core)) {
                queues.get(core).add(job);
            }
        }
        for (int core = 0; core < CORES; core++) {
            if (job.uses(core)) {
                next(core);
            }
        }
    }

    private int leastLoaded() {
        int best = 0;
        long least = Long.MAX_VALUE;
        for (int core = 0; core < CORES; core++) {
            Job running = current[core];
            long tasks = running == null ? 0 : running.range(core).number();
            for (Job queued : queues.get(core)) {
                tasks += queued.range(core).number();
            }
            if (tasks < least) {
                least = tasks;
                best = core;
            }
        }
        return best;
    }

    /** Makes the first job of a free core's queue its current one; the last core that a job needs commits it. */
    private void next(int core) {
        if (current[core] != null || resetting) {
            return;
        }
        Job job = queues.get(core).poll();
        if (job == null) {
            return;
        }
        current[core] = job;
        job.coresToJoin--;
        if (job.coresToJoin == 0) {
            commit(job);
        }
    }

    private void commit(Job job) {
        if (job.tasks == null || (job.flags & RknpuAbi.JOB_PC) == 0 || waitsForUnknownMask(job)) {
            if (waitsForUnknownMask(job)) {
                log.add("RKNPU: Unknown core mask: " + job.coreMask);
            }
            log.add("RKNPU: job commit failed");
            job.commitErrno = Errno.EINVAL;
            return;
        }
        job.committedNanos = chip.clock.nanos();
        chip.soonAfterSwitch = domains.commit();
        for (int core = 0; core < CORES; core++) {
            if (job.uses(core)) {
                kick(job, core);
            }
        }
        lock.wakeWaiters();
    }

    /** Writes a core's registers in the driver's order (spec 8.3). */
    private void kick(Job job, int core) {
        Job.Range range = job.range(core);
        int start = range.start() + job.kicked[core];
        int number = Math.min(range.number() - job.kicked[core], MAX_KICK);
        MemorySegment first = task(job, start);
        MemorySegment last = task(job, start + number - 1);
        if (number <= 0 || first == null || last == null) {
            chip.report.add(
                    Severity.FATAL,
                    "task-range",
                    job + " core " + core + ": tasks " + start + " to " + (start + number - 1)
                            + " are not in its task array; the driver reads whatever is there");
            return;
        }
        RknpuTask firstTask = new RknpuTask(first);
        job.kicked[core] += number;
        job.intMask[core] = new RknpuTask(last).intMask();
        boolean pingPong = (job.flags & RknpuAbi.JOB_PINGPONG) != 0;
        CoreModel model = cores[core];
        model.write(PcRegisters.PC_BASE_ADDRESS, 1);
        model.write(CnaRegisters.CNA_S_POINTER, 0xe + 0x1000_0000 * core);
        model.write(CoreRegisters.CORE_S_POINTER, 0xe + 0x1000_0000 * core);
        model.write(PcRegisters.PC_BASE_ADDRESS, (int) firstTask.regcmdAddr());
        model.write(
                PcRegisters.PC_REGISTER_AMOUNTS, RegisterCommand.encodedLength(firstTask.regcfgAmount(), LENGTH_SCALE));
        model.write(PcRegisters.PC_INTERRUPT_MASK, job.intMask[core]);
        model.write(PcRegisters.PC_INTERRUPT_CLEAR, firstTask.intMask());
        model.write(PcRegisters.PC_TASK_CON, (0x6 | (pingPong ? 1 : 0)) << 12 | number);
        model.write(PcRegisters.PC_TASK_DMA_BASE_ADDR, (int) job.taskBase);
        model.write(PcRegisters.PC_OPERATION_ENABLE, 1);
        model.write(PcRegisters.PC_OPERATION_ENABLE, 0);
    }

    /** A task as the kernel sees it through its own mapping; null outside the object. */
    private @Nullable MemorySegment task(Job job, int index) {
        GemObject object = job.tasks;
        long at = index * RknpuTask.LAYOUT.byteSize();
        if (object == null || index < 0 || at + RknpuTask.LAYOUT.byteSize() > object.size) {
            return null;
        }
        return object.memory().cpu().asSlice(at, RknpuTask.LAYOUT.byteSize());
    }

    /**
     * A chain was redirected: its job is given up after about ten seconds, with a soft reset (spec 7.2, Q13). What gives it
     * up is open; the model reproduces what was measured. A job that somebody waits for has its own timeout.
     */
    private void redirected(int core) {
        Job job = current[core];
        if (job == null || !job.nonblocking()) {
            return;
        }
        chip.timers.at(chip.clock.nanos() + REDIRECT_ABORT_NANOS, () -> {
            if (current[core] == job) {
                long elapsed = (chip.clock.nanos() - job.committedNanos) / 1000;
                log.add("RKNPU: job abort, flags: 0x" + Integer.toHexString(job.flags) + ", ret: -" + Errno.EINVAL
                        + ", elapsed time: " + elapsed + "us");
                detach(job);
                softReset();
                drop(job);
            }
        });
    }

    /** The interrupt handler of a core (spec 8.4). */
    private void interrupt(int core) {
        CoreModel model = cores[core];
        Job job = current[core];
        int status = model.read(PcRegisters.PC_INTERRUPT_STATUS);
        if (job == null || job.committedNanos < 0) {
            model.write(PcRegisters.PC_INTERRUPT_CLEAR, ALL_INTERRUPTS);
            next(core);
            return;
        }
        if (widened(status) != job.intMask[core]) {
            log.add("RKNPU: invalid irq status: 0x" + Integer.toHexString(status) + ", raw status: 0x"
                    + Integer.toHexString(model.read(PcRegisters.PC_INTERRUPT_RAW_STATUS)) + ", require mask: 0x"
                    + Integer.toHexString(job.intMask[core]) + ", task counter: 0x"
                    + Integer.toHexString(model.read(PcRegisters.PC_TASK_STATUS) & 0xfff));
            model.write(PcRegisters.PC_INTERRUPT_CLEAR, ALL_INTERRUPTS);
            return;
        }
        job.intStatus = status;
        model.write(PcRegisters.PC_INTERRUPT_CLEAR, ALL_INTERRUPTS);
        coreDone(job, core);
    }

    /** Any bit of a pair stands for both; errors are dropped. */
    private static int widened(int status) {
        int both = 0;
        for (int pair = 0x3; pair <= 0xc00; pair <<= 2) {
            if ((status & pair) != 0) {
                both |= pair;
            }
        }
        return both;
    }

    private void coreDone(Job job, int core) {
        if (job.kicked[core] < job.range(core).number()) {
            kick(job, core);
            return;
        }
        current[core] = null;
        job.interruptsLeft--;
        if (job.interruptsLeft == 0) {
            job.elapsedNanos = TimingModel.quantised(chip.clock.nanos() - job.committedNanos);
            job.done = true;
            leaveDomain(job);
            if (job.nonblocking()) {
                release(job);
            }
            lock.wakeWaiters();
        }
        next(core);
    }

    private void leaveDomain(Job job) {
        if (job.holdsDomain) {
            job.holdsDomain = false;
            domains.release();
        }
    }

    /** After a failed wait or commit (spec 8.5). */
    private void abort(Job job, int errno) {
        leaveDomain(job);
        lock.sleep(ABORT_SLEEP_NANOS);
        long elapsed = (chip.clock.nanos() - Math.max(job.committedNanos, job.createdNanos)) / 1000;
        if (errno == Errno.ETIMEDOUT) {
            log.add("RKNPU: job timeout, flags: 0x0:");
            for (int core = 0; core < CORES; core++) {
                if (job.uses(core)) {
                    logCore(job, core, elapsed);
                }
            }
            detach(job);
            softReset();
        } else {
            detach(job);
            log.add("RKNPU: job abort, flags: 0x0, ret: -" + errno + ", elapsed time: " + elapsed + "us");
        }
        drop(job);
    }

    private void logCore(Job job, int core, long elapsed) {
        CoreModel model = cores[core];
        log.add("RKNPU: \tcore " + core + " irq status: 0x"
                + Integer.toHexString(model.read(PcRegisters.PC_INTERRUPT_STATUS)) + ", raw status: 0x"
                + Integer.toHexString(model.read(PcRegisters.PC_INTERRUPT_RAW_STATUS)) + ", require mask: 0x"
                + Integer.toHexString(job.intMask[core]) + ", task counter: 0x"
                + Integer.toHexString(model.read(PcRegisters.PC_TASK_STATUS) & 0xfff) + ", elapsed time: " + elapsed
                + "us");
    }

    private void detach(Job job) {
        job.aborted = true;
        for (int core = 0; core < CORES; core++) {
            if (current[core] == job) {
                current[core] = null;
            }
        }
        if (removeFromQueues(job) && Integer.bitCount(job.coreMask) == 1 && !job.uses(0)) {
            chip.report.add(
                    Severity.WRONG,
                    "wrong-queue",
                    job + " is looked for in the queue of another core: use after free in the driver (spec 8.5)");
        }
    }

    private boolean removeFromQueues(Job job) {
        boolean removed = false;
        for (Deque<Job> queue : queues) {
            removed |= queue.remove(job);
        }
        return removed;
    }

    /** Forgets a job that did not get to its end. */
    private void drop(Job job) {
        job.aborted = true;
        leaveDomain(job);
        release(job);
    }

    private void release(Job job) {
        if (job.tasks != null && !job.released) {
            job.released = true;
            releaser.accept(job.tasks);
        }
    }

    private Consumer<GemObject> releaser = object -> {};

    /** Who gives up a job's reference on its task array. */
    void onRelease(Consumer<GemObject> releaser) {
        this.releaser = releaser;
    }

    /**
     * Start of every NONBLOCK submit: a current job that is older than its timeout resets the device. The age in
     * microseconds is compared with the number of milliseconds (spec 8.5, Q21).
     */
    private void timeoutClean(int coreMask) {
        for (int core = 0; core < CORES; core++) {
            Job job = current[core];
            if (job == null || (coreMask >>> core & 1) == 0) {
                continue;
            }
            long ageMicros = (chip.clock.nanos() - job.createdNanos) / 1000;
            if (ageMicros >= (job.timeout & 0xffff_ffffL)) {
                softReset();
                List<Job> dropped = new ArrayList<>(queues.get(core));
                queues.get(core).clear();
                if (current[core] == job) {
                    current[core] = null;
                }
                dropped.addFirst(job);
                dropped.forEach(this::leak);
            }
        }
    }

    /** Dropped without a word to anybody: its domain reference stays taken. */
    private void leak(Job job) {
        if (job.done || job.aborted) {
            return;
        }
        job.aborted = true;
        String blocking = job.nonblocking() ? "" : "; its caller waits, and its work item was never set up";
        chip.report.add(
                Severity.NOTE,
                "timeout-clean",
                job + " was dropped by the NONBLOCK timeout check and leaks its domain reference" + blocking);
        release(job);
    }

    /** ACT_RESET: a soft reset after which no core is owned by a NONBLOCK job that ran (spec 7.2). */
    void actReset() {
        softReset();
        for (int core = 0; core < CORES; core++) {
            Job job = current[core];
            if (job != null && job.nonblocking() && job.committedNanos >= 0) {
                current[core] = null;
                drop(job);
            }
        }
    }

    /** Resets all cores; does nothing when another reset runs (spec 8.5). Queues and current jobs stay. */
    private void softReset() {
        if (chip.options.bypassSoftReset() || resetting) {
            return;
        }
        resetting = true;
        resetCount++;
        lock.wakeWaiters();
        lock.sleep(RESET_SLEEP_NANOS);
        log.add("RKNPU: soft reset, num: 6");
        lock.sleep(chip.timing.resetNanos() - RESET_SLEEP_NANOS);
        for (int core = 0; core < CORES; core++) {
            cores[core].reset();
        }
        resetting = false;
        lock.wakeWaiters();
    }

    /** Whether a soft reset is under way. */
    boolean resetting() {
        return resetting;
    }
}
