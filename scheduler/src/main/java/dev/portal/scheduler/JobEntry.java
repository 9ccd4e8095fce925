package dev.portal.scheduler;

import dev.portal.base.Clock;
import dev.portal.scheduler.JobTrace.Outcome;
import dev.portal.scheduler.NpuJobResult.Completed;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A job on its way through a lane: its place in the queue, its preempt flag, its accounts and its future, in one object.
 *
 * <p>Three owners, told apart by the comment over each group of fields. What belongs to the lock is read and written under
 * the group's lock. What belongs to the run is written by the thread that has the job dispatched; the lock that each
 * dispatch begins and ends with hands it over.
 */
final class JobEntry extends CompletableFuture<Completed> implements Preemption {
    /** Where an entry stands. */
    enum Place {
        OUTSIDE,
        WAITING,
        RUNNING
    }

    private static final Cause[] CAUSES = Cause.values();
    private static final int NOT_ASKED = -1;

    // Set before the entry is shared; a lane's direct entry is set anew for each job, when nobody else sees it.
    final Lane lane;
    NpuJob job;
    NpuWorkload workload;
    NpuPriority priority;
    String label;
    long declaredNanos;

    // Of the lock.
    long id;
    Place place = Place.OUTSIDE;
    NpuPriority effective;
    boolean promoted;
    /** Whether this dispatch is the language model's reservation and its quantum is not over. */
    boolean reserved;
    /** Place inside the class, least first. */
    long order;

    @Nullable
    JobEntry previous;

    @Nullable
    JobEntry next;

    long arrivedNanos;
    long waitingSinceNanos;
    boolean ran;
    long queuedNanos;
    long blockedNanos;
    long blockedBy;
    boolean blocked;
    /** Whether some waiting entry is blocked by this one. */
    boolean blocks;

    long preemptedNanos;
    long askedNanos;
    long askedBy;
    /** Ordinal of the cause, or NOT_ASKED. Written under the lock, read by anybody. */
    private volatile int asked = NOT_ASKED;

    // Of the run.
    @Nullable
    Thread runner;

    long startedNanos;
    /** End of the quantum of a reserved dispatch; never, for others. Written under the lock, too. */
    long reservedUntilNanos = Clock.NEVER;

    long lookedNanos;
    long longestLookNanos;
    /** Whether the running thread has seen the flag set. */
    private boolean saw;

    /** From the look that saw it to the end of the dispatch. */
    long stopNanos;

    int overruns;
    private Phase phase = Phase.DEVICE;
    private long phaseSinceNanos;
    long copyInNanos;
    long deviceNanos;
    long copyOutNanos;
    private @Nullable List<JobTrace.Segment> earlier;

    JobEntry(Lane lane, NpuJob job, NpuPriority priority) {
        this.lane = lane;
        this.job = job;
        this.workload = job.workload();
        this.priority = priority;
        this.effective = priority;
        this.label = job.label();
        this.declaredNanos = job.segmentNanos();
    }

    /** Makes the lane's direct entry stand for a new job, of which all was asked before the lock. */
    void renew(
            NpuJob newJob, NpuWorkload newWorkload, NpuPriority newPriority, String newLabel, long newDeclaredNanos) {
        job = newJob;
        workload = newWorkload;
        priority = newPriority;
        label = newLabel;
        declaredNanos = newDeclaredNanos;
        effective = newPriority;
        promoted = false;
        ran = false;
        queuedNanos = 0;
        blockedNanos = 0;
        blockedBy = 0;
        preemptedNanos = 0;
        copyInNanos = 0;
        deviceNanos = 0;
        copyOutNanos = 0;
        earlier = null;
    }

    /** A queued entry that goes on where the direct one stopped. */
    JobEntry continuation() {
        JobEntry entry = new JobEntry(lane, job, priority);
        entry.id = id;
        entry.effective = effective;
        entry.promoted = promoted;
        entry.arrivedNanos = arrivedNanos;
        entry.queuedNanos = queuedNanos;
        entry.ran = ran;
        entry.copyInNanos = copyInNanos;
        entry.deviceNanos = deviceNanos;
        entry.copyOutNanos = copyOutNanos;
        entry.earlier = earlier;
        return entry;
    }

    // The preempt flag.

    @Override
    public boolean requested() {
        if (Thread.currentThread() == runner) {
            long now = lane.group.clock.nanos();
            look(now);
            if (asked == NOT_ASKED && (now >= lane.group.askAtNanos() || now >= reservedUntilNanos)) {
                lane.group.askForOthers(this, now);
            }
            saw |= asked != NOT_ASKED;
        }
        return asked != NOT_ASKED;
    }

    /** A look of the running thread at the flag: one segment ends and the next begins. From the one that saw it set, it stops. */
    private void look(long nowNanos) {
        if (!saw) {
            longestLookNanos = Math.max(longestLookNanos, segmentUntil(nowNanos));
            lookedNanos = nowNanos;
        }
    }

    private long segmentUntil(long nowNanos) {
        long tookNanos = nowNanos - lookedNanos;
        if (declaredNanos != NpuJob.UNDECLARED && tookNanos > declaredNanos) {
            overruns++;
            lane.recordOverrun(this, lookedNanos, nowNanos);
        }
        return tookNanos;
    }

    /** Asks the running job to stop; the first cause stays. Under the lock. */
    boolean ask(Cause cause, long by, long nowNanos) {
        if (asked != NOT_ASKED) {
            return false;
        }
        askedNanos = nowNanos;
        askedBy = by;
        asked = cause.ordinal();
        return true;
    }

    /** Why it was asked to stop in this dispatch. */
    @Nullable
    Cause cause() {
        int ordinal = asked;
        return ordinal == NOT_ASKED ? null : CAUSES[ordinal];
    }

    // Accounts.

    /** Waiting ends and a dispatch begins. Under the lock. */
    void begin(Thread thread, long nowNanos) {
        stopWaiting(nowNanos);
        ran = true;
        place = Place.RUNNING;
        if (asked != NOT_ASKED) {
            asked = NOT_ASKED;
        }
        askedNanos = 0;
        askedBy = 0;
        blocks = false;
        reserved = false;
        reservedUntilNanos = Clock.NEVER;
        runner = thread;
        startedNanos = nowNanos;
        lookedNanos = nowNanos;
        longestLookNanos = 0;
        saw = false;
        stopNanos = 0;
        overruns = 0;
        phase = Phase.DEVICE;
        phaseSinceNanos = nowNanos;
    }

    /** Adds the wait up to now to its account: before the first dispatch, or after one. Under the lock. */
    void stopWaiting(long nowNanos) {
        long waited = nowNanos - waitingSinceNanos;
        if (ran) {
            preemptedNanos += waited;
        } else {
            if (blocked) {
                blocked = false;
                blockedNanos = waited;
            }
            // The thread that ends the blocking may have looked at the clock after the one that begins the dispatch.
            blockedNanos = Math.min(blockedNanos, waited);
            queuedNanos = waited - blockedNanos;
        }
    }

    @Override
    public CoreLoans loans() {
        return lane.ofDevice() ? lane.loans : CoreLoans.UNLIMITED;
    }

    @Override
    public void enter(Phase entered) {
        account(lane.group.clock.nanos());
        phase = entered;
    }

    private void account(long nowNanos) {
        long spent = nowNanos - phaseSinceNanos;
        switch (phase) {
            case COPY_IN -> copyInNanos += spent;
            case DEVICE -> deviceNanos += spent;
            case COPY_OUT -> copyOutNanos += spent;
        }
        phaseSinceNanos = nowNanos;
    }

    /** A dispatch ended. By the thread that ran it, before the lock; other lanes have their cores back. */
    void finish(long nowNanos) {
        lane.loans.close();
        if (saw) {
            stopNanos = segmentUntil(nowNanos);
        } else {
            look(nowNanos);
        }
        account(nowNanos);
        runner = null;
    }

    long runningNanos() {
        return copyInNanos + deviceNanos + copyOutNanos;
    }

    /** Keeps the dispatch that just ended, for the trace. */
    void keepSegment(long endNanos) {
        if (earlier == null) {
            earlier = new ArrayList<>();
        }
        earlier.add(segment(endNanos, true));
    }

    private JobTrace.Segment segment(long endNanos, boolean yielded) {
        return new JobTrace.Segment(startedNanos, endNanos, yielded, cause(), askedNanos, askedBy);
    }

    /** The trace of the whole job, whose last dispatch ended at {@code endedNanos} unless it left otherwise. */
    JobTrace trace(Outcome outcome, boolean direct, long endedNanos) {
        List<JobTrace.Segment> segments = earlier == null ? new ArrayList<>() : new ArrayList<>(earlier);
        if (place == Place.RUNNING) {
            segments.add(segment(endedNanos, false));
        }
        return new JobTrace(
                lane.name(),
                lane.core,
                id,
                workload,
                priority,
                promoted,
                label,
                direct,
                outcome,
                arrivedNanos,
                endedNanos,
                queuedNanos,
                blockedNanos,
                blockedBy,
                preemptedNanos,
                copyInNanos,
                deviceNanos,
                copyOutNanos,
                List.copyOf(segments));
    }

    // The future.

    /** Completes without telling the lane, which knows. */
    void succeed(Completed result) {
        super.complete(result);
    }

    /** Fails without telling the lane, which knows. */
    void fail(NpuException why) {
        super.completeExceptionally(why);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        lane.withdraw(this);
        return cancelled;
    }

    @Override
    public boolean complete(Completed value) {
        boolean completed = super.complete(value);
        lane.withdraw(this);
        return completed;
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        boolean completed = super.completeExceptionally(failure);
        lane.withdraw(this);
        return completed;
    }

    /** Stages that depend on this one are plain futures. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }

    @Override
    public Completed join() {
        if (!isDone()) {
            lane.awaitActively(this);
        }
        return super.join();
    }

    @Override
    public Completed get() throws InterruptedException, ExecutionException {
        if (!isDone()) {
            lane.awaitActively(this);
        }
        return super.get();
    }

    /** A wait with a limit leaves the job to the lane's thread, since the job might outlast the limit. */
    @Override
    public Completed get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (!isDone()) {
            lane.awaitPassively(this);
        }
        return super.get(timeout, unit);
    }
}
