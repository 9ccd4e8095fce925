package dev.portal.scheduler;

import dev.portal.base.Agent;
import dev.portal.base.AgentRunner;
import dev.portal.base.Clock;
import dev.portal.scheduler.JobEntry.Place;
import dev.portal.scheduler.JobTrace.Outcome;
import dev.portal.scheduler.NpuJobResult.Completed;
import dev.portal.scheduler.Preemption.Cause;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * One core's jobs, one at a time: an agent whose unit of work is one dispatch.
 *
 * <h2>How it works</h2>
 *
 * <pre>
 *                 full: QueueFull              flag set, more to do
 *                     ▲                   ┌──────────(putBack)──────────┐
 *   sharedSubmit ──► admit ──► WAITING ◄──┘                             │
 *                                 │ take: lane idle, token free, best   │
 *                                 ▼                                     │
 *   submitInference ──idle──► RUNNING ──── job.execute(flag) ───────────┤
 *                                                                       ▼
 *                     cancelled, displaced, closed ──────────────► OUTSIDE, future complete
 * </pre>
 *
 * <p>Lanes that share a device's run tokens form a {@link LaneGroup}. A group has one spin lock, and under it everything
 * that decides: the waiting jobs with the starvation clock ({@link JobQueue}), the free tokens, each lane's running entry,
 * each entry's place. Where every core can compute at once each lane is a group of its own with one token, so that cores
 * share nothing. Where one DSP stands behind three lanes, the group has three lanes and one token, and the best job of
 * all three goes next.
 *
 * <p>A dispatch is: lock, take the best entry, unlock; run; lock, give the token back, unlock; tell. Jobs, futures and
 * listeners run without the lock. A critical section is tens of nanoseconds and does not allocate.
 *
 * <h2>Who writes what</h2>
 *
 * <ul>
 *   <li>Queue, tokens, running entries, places, flags, lane statistics: whoever holds the group's lock.
 *   <li>The accounts of a running entry: the thread that runs it. Each dispatch begins and ends under the lock, so what
 *       one dispatch wrote, the job's own fields included, the next one sees, on whatever thread.
 *   <li>{@code runnable} and {@code askAtNanos} are copies for looking without the lock: by an idle lane, and by a
 *       running job at its flag. Both are volatile and written under the lock.
 * </ul>
 *
 * <h2>What holds</h2>
 *
 * <ul>
 *   <li>An entry is in at most one place; only its lane's dispatch moves it from WAITING to RUNNING and from there on. So
 *       no job runs twice at once, and none is run again after its future is complete.
 *   <li>Tokens free, entries running and lanes lent are together the number of tokens.
 *   <li>A flag is set only under the lock, only on a running entry, and cleared when a dispatch begins: an old request
 *       never stops a later dispatch.
 *   <li>Whenever a token is free and a job waits on an idle lane, the lane of the best such job has been woken after that
 *       came to be: by the arrival, by the end of a dispatch, or by a lane that found another's turn. {@link AgentRunner}
 *       loses no wake, since {@code runnable} is a volatile write before the look at the parked state.
 *   <li>After {@link LaneSet#close()} began, nothing is admitted; each entry that waited has failed with Closed, and each that ran
 *       is completed by its job or fails with Closed when it yields or outlasts the wait.
 * </ul>
 *
 * <h2>The direct path</h2>
 *
 * <p>A caller that finds the lane idle takes the token and runs the job on its own thread, through one entry that the lane
 * keeps for this: no queue, no handover, no allocation. If its job yields, a fresh entry takes the accounts over and goes
 * to the head of its class, and the caller waits for it like for any other.
 *
 * <p>A caller that waits for a queued job ({@code join}, or {@code get} without a limit) does the same as soon as the job
 * is the lane's next and nobody runs it yet, which is so whenever the lane's thread is still waking up. Waking another
 * thread and being woken by it costs a hundred times what a dispatch costs.
 *
 * <h2>Loans</h2>
 *
 * <p>Where cores share nothing, an idle lane's core may be lent to a job of another lane ({@link CoreLoans}): the guest holds the
 * token, so that the lane is busy for everybody. It never holds up more than its own next program boundary: an arrival here
 * raises what the guest reads as wanted. Loans are taken without waiting and end with the dispatch, so nothing waits in a
 * circle.
 *
 * <h2>Rejected</h2>
 *
 * <ul>
 *   <li><em>A lock-free inbox, emptied by the lane's thread.</em> The submitter must decide while the lane's thread is
 *       inside a job for seconds: is there room, whom does a HIGH arrival displace, does the flag have to be set. That
 *       needs the queue, so the inbox would only move the lock.
 *   <li><em>ReentrantLock.</em> It parks when two threads meet, and a park costs a hundred critical sections.
 *   <li><em>A thread for each device instead of each core.</em> It would hold jobs of three independent cores up behind
 *       one another.
 *   <li><em>Handing tokens to a chosen lane.</em> A token given to a lane that has not woken yet is idle meanwhile, and a
 *       better arrival could not take it back. Tokens are taken, not given.
 * </ul>
 */
final class Lane implements Agent {
    private static final NpuJob NO_JOB = new NpuJob() {
        @Override
        public NpuWorkload workload() {
            return NpuWorkload.LLM;
        }

        @Override
        public NpuJobResult execute(Preemption preemption) {
            throw new IllegalStateException("the lane's placeholder was run");
        }
    };

    private static final int BRIEF_ROUNDS = 32;

    final NpuCore core;
    final LaneGroup group;
    /** Within the group. */
    final int index;

    private final String name;
    private final LaneContext context;
    private final Clock clock;
    private final JobEntry direct;
    final LaneLoans loans = new LaneLoans(this);
    private @Nullable AgentRunner runner;

    // Of the lock.
    @Nullable
    JobEntry running;

    private final @Nullable WorkloadStats[] stats = new WorkloadStats[NpuWorkload.values().length];
    private long completed;
    private long failed;
    private long yields;
    private long busyNanos;
    private int depthMax;

    final Guest guest;

    Lane(LaneContext context, LaneGroup group, NpuCore core) {
        this.context = context;
        this.clock = context.clock();
        this.core = core;
        this.guest = new Guest(core);
        this.group = group;
        this.index = group.join(this);
        this.name = context.prefix() + core.index();
        this.direct = new JobEntry(this, NO_JOB, NpuPriority.LOW);
    }

    @Override
    public String name() {
        return name;
    }

    /** Gives the lane its thread. Before the lane is shared. */
    void runBy(AgentRunner thread) {
        runner = thread;
    }

    // Arrivals.

    /** Queues a job; throws QueueFull or Closed. */
    JobEntry admit(NpuJob job, NpuPriority priority) {
        return admit(new JobEntry(this, job, priority));
    }

    private JobEntry admit(JobEntry entry) {
        long now = clock.nanos();
        JobEntry victim = null;
        long victimLeft = now;
        Lane toWake = null;
        group.lock();
        boolean closed = group.isClosed();
        boolean admitted = false;
        if (!closed) {
            boolean full = group.isFull(this);
            if (full) {
                victim = group.victim(entry);
            }
            admitted = !full || victim != null;
            if (victim != null) {
                victimLeft = group.drop(victim, now);
            }
            if (admitted) {
                entry.id = group.newId();
                entry.arrivedNanos = now;
                group.arrive(entry, now);
                depthMax = Math.max(depthMax, group.depth(this));
                toWake = group.nextLane(now);
            } else {
                group.record(LaneEvent.REFUSED, entry, now, now, 0);
            }
        }
        group.unlock();
        wake(toWake);
        if (closed) {
            throw closed(entry);
        }
        if (victim != null) {
            tellDropped(victim, Outcome.DISPLACED, victimLeft);
            victim.fail(new NpuException.QueueFull(victim.workload + " (" + victim.effective + ") was displaced from "
                    + name + " by " + entry.workload + " (" + entry.effective + "); submit it again later"));
        }
        if (!admitted) {
            throw refuse(entry);
        }
        return entry;
    }

    private NpuException.QueueFull refuse(JobEntry entry) {
        context.listener().refused(core, entry.workload, entry.priority);
        return new NpuException.QueueFull(name + " has " + context.options().queueCapacity()
                + " jobs waiting, which is all it holds; " + entry.workload + " (" + entry.priority
                + ") was refused: drop it or try again when a job has ended");
    }

    private NpuException.Closed closed(JobEntry entry) {
        return new NpuException.Closed(name + " is closed; " + entry.workload + " was not finished");
    }

    /** Runs a job on the caller's thread if the lane is idle, else queues it and waits. Returns when it is completed. */
    Completed submit(NpuJob job) {
        NpuWorkload workload = job.workload();
        NpuPriority priority = job.priority();
        String label = job.label();
        long declaredNanos = job.segmentNanos();
        long now = clock.nanos();
        group.lock();
        if (group.isClosed() || !group.isIdle(this)) {
            group.unlock();
            return await(admit(job, priority));
        }
        JobEntry entry = direct;
        entry.renew(job, workload, priority, label, declaredNanos);
        entry.id = group.newId();
        entry.arrivedNanos = now;
        entry.waitingSinceNanos = now;
        entry.begin(Thread.currentThread(), now);
        group.takeDirectly(entry, now);
        group.unlock();
        return runDirectly(entry, workload);
    }

    private Completed runDirectly(JobEntry entry, NpuWorkload workload) {
        NpuJobResult result;
        try {
            result = execute(entry);
        } catch (Throwable failure) {
            ended(entry, Outcome.FAILED);
            if (failure instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new NpuException.JobFailed(workload + " on " + name + ": " + failure, failure);
        }
        return switch (result) {
            case Completed done -> {
                ended(entry, Outcome.COMPLETED);
                yield done;
            }
            case NpuJobResult.Yielded ignored -> {
                JobEntry rest = yielded(entry);
                if (rest == null) {
                    throw new NpuException.Closed(name + " is closed; " + workload + " was not finished");
                }
                yield await(rest);
            }
        };
    }

    private Completed await(JobEntry entry) {
        try {
            return entry.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof NpuException failure) {
                throw failure;
            }
            throw e;
        }
    }

    /**
     * Before a wait for {@code entry} without limit: runs it here if it is its turn, polls for a while, or steps the lanes
     * where nobody else does.
     */
    void awaitActively(JobEntry entry) {
        if (!context.threaded()) {
            group.stepUntilDone(entry);
            return;
        }
        boolean helped = true;
        while (helped && !entry.isDone()) {
            checkNotInside(entry);
            helped = runNext(entry);
        }
        spin(entry);
    }

    /** Before a wait for {@code entry} with a limit: polls for a while, or steps the lanes where nobody else does. */
    void awaitPassively(JobEntry entry) {
        if (!context.threaded()) {
            group.stepUntilDone(entry);
            return;
        }
        checkNotInside(entry);
        spin(entry);
    }

    /** Waiting for a job of the lane from inside one would never end. */
    private void checkNotInside(JobEntry entry) {
        group.lock();
        boolean inside = isRunBy(Thread.currentThread(), running) || isRunBy(Thread.currentThread(), guest.job());
        group.unlock();
        if (inside) {
            throw new IllegalStateException("a job on " + name + " waits for " + entry.workload
                    + " on the same lane, or on one whose core it has borrowed, which would never end; submit it without"
                    + " waiting, or after this job");
        }
    }

    private static boolean isRunBy(Thread thread, @Nullable JobEntry entry) {
        return entry != null && entry.runner == thread;
    }

    /**
     * Polls until the entry is done or it is time to park. Even where lanes do not spin, a few rounds are cheaper than
     * parking for a job that is about to end. After the first rounds each one lets other threads go first, since the one
     * that is waited for may need this processor.
     */
    @SuppressWarnings("ThreadPriorityCheck")
    private void spin(JobEntry entry) {
        for (int round = 0; round < BRIEF_ROUNDS && !entry.isDone(); round++) {
            Thread.onSpinWait();
        }
        long spinNanos = context.options().spinNanos();
        if (spinNanos > 0 && !entry.isDone()) {
            long deadlineNanos = clock.nanos() + spinNanos;
            while (!entry.isDone() && clock.nanos() < deadlineNanos) {
                Thread.yield();
            }
        }
    }

    // Loans.

    /** Whether it stands for a core of the device. */
    boolean ofDevice() {
        return context.ofDevice();
    }

    /** Lends the core to a job of another lane, if nothing runs and nothing waits here. */
    boolean lend(JobEntry borrower) {
        long now = clock.nanos();
        group.lock();
        boolean lends = group.lend(this);
        if (lends) {
            guest.enter(borrower, now);
        }
        group.unlock();
        return lends;
    }

    /** Takes the core back from {@code borrower}. */
    void takeBack(JobEntry borrower) {
        long now = clock.nanos();
        group.lock();
        long waited = guest.leave(group, now);
        WorkloadStats measured = statsOf(borrower.workload);
        measured.returnNanos = Math.max(measured.returnNanos, Math.max(borrower.declaredNanos, waited));
        group.takeBack(borrower, now);
        Lane toWake = group.nextLane(now);
        group.unlock();
        wake(toWake);
    }

    // Dispatches.

    /** Runs one dispatch, if it is this lane's turn. */
    @Override
    public int doWork() {
        return group.mayHaveWork() && runNext(null) ? 1 : 0;
    }

    /**
     * Runs one dispatch on the caller's thread, if it is this lane's turn.
     *
     * @param only the entry that may be run; null for any
     */
    private boolean runNext(@Nullable JobEntry only) {
        long now = clock.nanos();
        boolean promoted = false;
        group.lock();
        JobEntry next = running == null ? group.next(this, now) : null;
        JobEntry entry = only == null || next == only ? next : null;
        if (entry != null) {
            entry.begin(Thread.currentThread(), Math.max(now, entry.waitingSinceNanos));
            promoted = group.take(entry, now);
            if (promoted) {
                statsOf(entry.workload).promotions++;
            }
        }
        Lane toWake = group.nextLane(now);
        group.unlock();
        if (toWake != this || only != null) {
            wake(toWake);
        }
        if (entry == null) {
            return false;
        }
        if (promoted) {
            context.listener().promoted(core, entry.workload, entry.id);
        }
        dispatch(entry);
        return true;
    }

    private void dispatch(JobEntry entry) {
        if (entry.isDone()) {
            ended(entry, Outcome.CANCELLED);
            return;
        }
        NpuJobResult result;
        try {
            result = execute(entry);
        } catch (Throwable failure) {
            ended(entry, Outcome.FAILED);
            entry.fail(new NpuException.JobFailed(entry.workload + " on " + name + ": " + failure, failure));
            return;
        }
        switch (result) {
            case Completed done -> {
                ended(entry, Outcome.COMPLETED);
                entry.succeed(done);
            }
            case NpuJobResult.Yielded ignored -> {
                var _ = yielded(entry);
            }
        }
    }

    private static NpuJobResult execute(JobEntry entry) throws Exception {
        NpuJobResult result = entry.job.execute(entry);
        if (result == null) {
            throw new NullPointerException("the job returned null instead of a result");
        }
        return result;
    }

    /**
     * Ends a dispatch after which there is more to do.
     *
     * @return the entry that goes on waiting; null if the job is dropped, because the lane is closed or its future is
     *     complete already
     */
    private @Nullable JobEntry yielded(JobEntry entry) {
        long now = clock.nanos();
        entry.finish(now);
        entry.keepSegment(now);
        JobEntry rest = entry == direct ? entry.continuation() : entry;
        group.lock();
        boolean closed = group.isClosed();
        boolean goesOn = !closed && !rest.isDone();
        yields++;
        account(entry, now);
        group.record(LaneEvent.DISPATCH, entry, entry.startedNanos, now, entry.askedBy);
        group.release(entry, goesOn ? rest : null, now);
        if (goesOn) {
            depthMax = Math.max(depthMax, group.depth(this));
        } else {
            rest.place = Place.OUTSIDE;
            group.record(LaneEvent.DROPPED, rest, now, now, rest.arrivedNanos);
        }
        Lane toWake = group.nextLane(now);
        group.unlock();
        wake(toWake);
        if (goesOn) {
            return rest;
        }
        tellDropped(rest, closed ? Outcome.CLOSED : Outcome.CANCELLED, now);
        rest.fail(closed(rest));
        return null;
    }

    /** Ends a dispatch after which the job is over. */
    private void ended(JobEntry entry, Outcome outcome) {
        long now = clock.nanos();
        entry.finish(now);
        boolean good = outcome == Outcome.COMPLETED;
        if (outcome != Outcome.CANCELLED) {
            context.results().record(entry.workload, entry.runningNanos(), good);
        }
        // The direct entry may stand for another job as soon as the lock is released, so its trace is made before.
        JobTrace trace = hears() ? entry.trace(outcome, entry == direct, now) : null;
        group.lock();
        WorkloadStats measured = account(entry, now);
        LaneEvent event;
        if (good) {
            event = LaneEvent.COMPLETED;
            completed++;
            measured.running.record(entry.runningNanos());
            measured.response.record(now - entry.arrivedNanos);
        } else if (outcome == Outcome.FAILED) {
            event = LaneEvent.FAILED;
            failed++;
        } else {
            event = LaneEvent.DROPPED;
        }
        group.record(event, entry, entry.startedNanos, now, entry.arrivedNanos);
        group.release(entry, null, now);
        entry.place = Place.OUTSIDE;
        Lane toWake = group.nextLane(now);
        group.unlock();
        wake(toWake);
        if (trace != null) {
            context.listener().jobEnded(trace);
        }
    }

    /** Under the lock. */
    private WorkloadStats account(JobEntry entry, long now) {
        WorkloadStats measured = statsOf(entry.workload);
        busyNanos += now - entry.startedNanos;
        measured.segment.record(entry.longestLookNanos);
        measured.stopMaxNanos = Math.max(measured.stopMaxNanos, entry.stopNanos);
        if (entry.cause() != null) {
            measured.obeying.record(now - entry.askedNanos);
        }
        measured.overruns += entry.overruns;
        return measured;
    }

    private WorkloadStats statsOf(NpuWorkload workload) {
        WorkloadStats present = stats[workload.ordinal()];
        if (present == null) {
            present = new WorkloadStats();
            stats[workload.ordinal()] = present;
        }
        return present;
    }

    // Leaving otherwise.

    /** The entry's future was cancelled or completed by its owner. */
    void withdraw(JobEntry entry) {
        long now = clock.nanos();
        group.lock();
        boolean waited = entry.place == Place.WAITING;
        if (waited) {
            now = group.drop(entry, now);
        } else if (entry.place == Place.RUNNING) {
            group.ask(entry, Cause.CANCELLED, 0, now);
        }
        group.unlock();
        if (waited) {
            tellDropped(entry, Outcome.CANCELLED, now);
        }
    }

    /** The group was closed while {@code entry} waited. */
    void closeWaiting(JobEntry entry, long now) {
        tellDropped(entry, Outcome.CLOSED, Math.max(now, entry.waitingSinceNanos));
        entry.fail(closed(entry));
    }

    /** Fails the future of a job that did not stop when the lane was closed; the job goes on alone. */
    void abandonRunning() {
        group.lock();
        JobEntry entry = running;
        group.unlock();
        if (entry != null && entry != direct) {
            entry.fail(closed(entry));
        }
    }

    // Telling.

    private boolean hears() {
        return context.listener().wantsTraces();
    }

    private void tellDropped(JobEntry entry, Outcome outcome, long now) {
        if (hears()) {
            context.listener().jobEnded(entry.trace(outcome, false, now));
        }
    }

    /** The running job looked at the flag later than it declared. */
    void recordOverrun(JobEntry entry, long sinceNanos, long now) {
        group.lock();
        group.record(LaneEvent.OVERRAN, entry, sinceNanos, now, 0);
        group.unlock();
        context.listener().overran(core, entry.workload, entry.id, entry.declaredNanos, now - sinceNanos);
    }

    private static void wake(@Nullable Lane lane) {
        if (lane != null && lane.runner != null) {
            lane.runner.wake();
        }
    }

    // Looking.

    /** Statistics up to now. */
    NpuCoreUtilization utilization(long upNanos) {
        long now = clock.nanos();
        group.lock();
        try {
            long busy = busyNanos + (running == null ? 0 : now - running.startedNanos);
            return new NpuCoreUtilization(
                    core,
                    completed,
                    failed,
                    yields,
                    busy / 1000,
                    upNanos / 1000,
                    group.depth(this),
                    depthMax,
                    guest.loans(),
                    guest.lentNanos(now) / 1000,
                    guest.longestReturnNanos() / 1000);
        } finally {
            group.unlock();
        }
    }

    /** Adds what this lane measured to {@code sums}, by ordinal of workload. */
    void addStatsTo(WorkloadStats[] sums) {
        group.lock();
        try {
            for (int i = 0; i < sums.length; i++) {
                WorkloadStats measured = stats[i];
                if (measured != null) {
                    sums[i].add(measured);
                }
            }
        } finally {
            group.unlock();
        }
    }
}
