package dev.portal.scheduler;

import dev.portal.base.Clock;
import dev.portal.base.TraceRing;
import dev.portal.scheduler.JobEntry.Place;
import dev.portal.scheduler.Preemption.Cause;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lanes that compete for run tokens, with what they share: the lock, the waiting jobs and the tokens. {@link Lane} states
 * the rules.
 */
final class LaneGroup {
    private static final int RING_EVENTS = 2048;

    final Clock clock;
    private final SpinLock lock = new SpinLock();
    private final JobQueue queue;
    private final List<Lane> lanes = new ArrayList<>();
    private final boolean displacement;
    private final long quantumNanos;

    // Of the lock.
    private final TraceRing<LaneEvent> ring = new TraceRing<>(LaneEvent.values(), RING_EVENTS);
    private int freeTokens;
    private boolean closed;
    private long nextId;

    /** Whether a token is free and a job waits, for a look without the lock. Written under it. */
    private volatile boolean runnable;
    /** From when on a running job may have to give way although nobody arrives. Written under the lock. */
    private volatile long askAtNanos = Clock.NEVER;

    private final int idStep;

    /**
     * A group without lanes yet.
     *
     * @param number of the group among the groups of its set, from 0
     * @param groups how many there are; together they count the jobs from 1, each group every so-many-th
     */
    LaneGroup(LaneContext context, int lanes, int tokens, int number, int groups) {
        this.nextId = number + 1L;
        this.idStep = groups;
        this.clock = context.clock();
        SchedulerOptions.Reservation reservation = context.options().reservation();
        this.queue = new JobQueue(
                lanes,
                context.options().queueCapacity(),
                context.options().starvationNanos(),
                reservation == null ? 0 : reservation.everyNanos());
        this.quantumNanos = reservation == null ? 0 : reservation.quantumNanos();
        this.displacement = context.options().displacement();
        this.freeTokens = tokens;
    }

    /** Adds a lane, while the group is being built. */
    int join(Lane lane) {
        lanes.add(lane);
        return lanes.size() - 1;
    }

    void lock() {
        lock.lock();
    }

    /** Publishes what is looked at without the lock, and lets go of it. */
    void unlock() {
        boolean could = freeTokens > 0 && queue.size() > 0;
        if (could != runnable) {
            runnable = could;
        }
        long starvation = queue.starvationAtNanos();
        long at = Math.min(starvation == Clock.NEVER ? starvation : starvation + 1, queue.reservationAtNanos());
        if (at != askAtNanos) {
            askAtNanos = at;
        }
        lock.unlock();
    }

    boolean mayHaveWork() {
        return runnable;
    }

    long askAtNanos() {
        return askAtNanos;
    }

    // Under the lock.

    boolean isClosed() {
        return closed;
    }

    /** The id of an arrival. */
    long newId() {
        long id = nextId;
        nextId += idStep;
        return id;
    }

    /** Records something about an entry's job. */
    void record(LaneEvent event, JobEntry entry, long startNanos, long endNanos, long cause) {
        record(event, entry.lane.core, entry, startNanos, endNanos, cause);
    }

    /** The same about a job's doings on {@code core}. */
    void record(LaneEvent event, NpuCore core, JobEntry entry, long startNanos, long endNanos, long cause) {
        long detail = LaneEvent.detail(core, entry.workload, entry.effective, entry.promoted);
        ring.record(event, startNanos, endNanos, entry.id, cause, detail, entry.label);
    }

    int depth(Lane lane) {
        return queue.depth(lane.index);
    }

    /** Whether {@code lane} could run an arrival at once without passing anybody. */
    boolean isIdle(Lane lane) {
        return lane.running == null && freeTokens > 0 && queue.size() == 0;
    }

    boolean isFull(Lane lane) {
        return queue.isFull(lane.index);
    }

    /** The entry that a HIGH arrival displaces from a full queue; null where the policy gives none. */
    @Nullable
    JobEntry victim(JobEntry entry) {
        if (!displacement || entry.effective != NpuPriority.HIGH) {
            return null;
        }
        return queue.lowestBelow(entry.effective, entry.lane.index);
    }

    /** Takes a waiting entry out for good; returns the moment, which is never before its arrival. */
    long drop(JobEntry entry, long nowNanos) {
        long leftNanos = Math.max(nowNanos, entry.waitingSinceNanos);
        queue.remove(entry, leftNanos);
        entry.stopWaiting(leftNanos);
        if (queue.size() == 0) {
            entry.lane.guest.nobodyWaits();
        }
        entry.place = Place.OUTSIDE;
        record(LaneEvent.DROPPED, entry, leftNanos, leftNanos, entry.arrivedNanos);
        return leftNanos;
    }

    /** Asks a running job to stop; the first cause stays. */
    void ask(JobEntry running, Cause cause, long by, long nowNanos) {
        if (running.ask(cause, by, nowNanos)) {
            record(LaneEvent.ASKED, running, nowNanos, nowNanos, by);
        }
    }

    /**
     * Lets an arrival wait, and asks a running job to give way to it where the rule says so.
     */
    void arrive(JobEntry entry, long nowNanos) {
        entry.place = Place.WAITING;
        entry.waitingSinceNanos = nowNanos;
        queue.add(entry, nowNanos);
        JobEntry runner = inTheWay(entry.lane);
        if (runner == null) {
            entry.lane.guest.holdUp(entry, nowNanos);
            return;
        }
        if (entry.effective.isAbove(runner.effective)) {
            entry.blocked = true;
            entry.blockedBy = runner.id;
            runner.blocks = true;
        }
        if (!runner.reserved && givesWay(runner, entry)) {
            ask(runner, Cause.PRIORITY, entry.id, nowNanos);
        }
    }

    /** Design 4.5: the arrival is above the running job's effective priority, and HIGH, or MEDIUM while TTS or LLM runs. */
    private static boolean givesWay(JobEntry running, JobEntry arrival) {
        if (!arrival.effective.isAbove(running.effective)) {
            return false;
        }
        return switch (arrival.effective) {
            case HIGH -> true;
            case MEDIUM ->
                switch (running.workload.family()) {
                    case TTS, LLM -> true;
                    case STT, VAD -> false;
                };
            case LOW -> false;
        };
    }

    /**
     * The running job that one waiting on {@code lane} waits for: its lane's, or the least urgent of the group's, a promoted
     * one last.
     */
    private @Nullable JobEntry inTheWay(Lane lane) {
        if (lane.running != null || freeTokens > 0) {
            return lane.running;
        }
        JobEntry least = null;
        for (Lane other : lanes) {
            JobEntry entry = other.running;
            if (entry != null
                    && (least == null
                            || least.effective.isAbove(entry.effective)
                            || (least.promoted && !entry.promoted))) {
                least = entry;
            }
        }
        return least;
    }

    /** The entry that goes next if it is {@code lane}'s turn; null if there is none, or it is another lane's. */
    @Nullable
    JobEntry next(Lane lane, long nowNanos) {
        JobEntry entry = best(nowNanos);
        return entry != null && entry.lane == lane ? entry : null;
    }

    /** The lane that should run next; null when nothing waits that could run. */
    @Nullable
    Lane nextLane(long nowNanos) {
        JobEntry entry = best(nowNanos);
        return entry == null ? null : entry.lane;
    }

    private @Nullable JobEntry best(long nowNanos) {
        if (freeTokens == 0 || queue.size() == 0) {
            return null;
        }
        return queue.select(idle(), nowNanos);
    }

    /** Lanes that run nothing, a bit for each index. */
    private int idle() {
        int idle = 0;
        for (int i = 0; i < lanes.size(); i++) {
            if (lanes.get(i).running == null) {
                idle |= 1 << i;
            }
        }
        return idle;
    }

    /** Takes a waiting entry to run it; whether it was promoted by this. */
    boolean take(JobEntry entry, long nowNanos) {
        boolean due = nowNanos >= queue.reservationAtNanos() && JobQueue.isLlm(entry) && !entry.promoted;
        JobEntry passed = due ? queue.passedBy(entry, idle()) : null;
        boolean promoted = queue.take(entry, nowNanos);
        if (promoted) {
            record(LaneEvent.PROMOTED, entry, nowNanos, nowNanos, 0);
        } else if (passed != null) {
            entry.reserved = true;
            entry.reservedUntilNanos = nowNanos + quantumNanos;
            record(LaneEvent.RESERVED, entry, nowNanos, nowNanos, passed.id);
        }
        freeTokens--;
        entry.lane.running = entry;
        return promoted;
    }

    /** Starts an entry that never waited. */
    void takeDirectly(JobEntry entry, long nowNanos) {
        queue.startServing(entry, nowNanos);
        freeTokens--;
        entry.lane.running = entry;
    }

    /**
     * Gives the token of a dispatch back.
     *
     * @param again the entry that goes on waiting; null if the job ended
     */
    void release(JobEntry entry, @Nullable JobEntry again, long nowNanos) {
        entry.lane.running = null;
        freeTokens++;
        if (again != null) {
            again.place = Place.WAITING;
            again.waitingSinceNanos = nowNanos;
            queue.putBack(again, nowNanos);
        }
        queue.stopServing(entry, again == null, nowNanos);
        if (entry.blocks) {
            unblock(entry, nowNanos);
        }
    }

    /** Takes an idle lane's token for a job of another lane; not where lanes share tokens. */
    boolean lend(Lane lane) {
        if (closed || lanes.size() > 1 || !isIdle(lane)) {
            return false;
        }
        freeTokens--;
        return true;
    }

    /** The token of a lane that was lent to {@code guest} is free again. */
    void takeBack(JobEntry guest, long nowNanos) {
        freeTokens++;
        unblock(guest, nowNanos);
    }

    /** Those that waited for a less urgent job, or for one that had borrowed the core, wait for their turn from now on. */
    private void unblock(JobEntry entry, long nowNanos) {
        for (NpuPriority priority : NpuPriority.values()) {
            for (JobEntry waiter = queue.first(priority); waiter != null; waiter = waiter.next) {
                if (waiter.blocked && waiter.blockedBy == entry.id) {
                    waiter.blocked = false;
                    waiter.blockedNanos = Math.max(0, nowNanos - waiter.arrivedNanos);
                }
            }
        }
    }

    // With the lock taken inside.

    /**
     * Asks the running job to stop if it is time: because its quantum of the reservation is over and somebody waits whom it
     * passed, because it is STT and other work starves, or because the language model's reservation is due.
     */
    void askForOthers(JobEntry entry, long nowNanos) {
        lock();
        if (nowNanos >= entry.reservedUntilNanos) {
            endQuantum(entry, nowNanos);
        } else if (entry.workload.family() == NpuWorkload.Family.STT && nowNanos > queue.starvationAtNanos()) {
            ask(entry, Cause.STARVATION, 0, nowNanos);
        } else if (!entry.promoted && nowNanos >= queue.reservationAtNanos()) {
            JobEntry llm = queue.firstLlm(-1);
            if (llm != null && inTheWay(llm.lane) == entry) {
                ask(entry, Cause.RESERVATION, llm.id, nowNanos);
            }
        }
        unlock();
    }

    private void endQuantum(JobEntry entry, long nowNanos) {
        JobEntry passed = queue.passedBy(entry, idle() | 1 << entry.lane.index);
        if (passed == null) {
            entry.reserved = false;
            entry.reservedUntilNanos = Clock.NEVER;
        } else {
            ask(entry, Cause.RESERVATION, passed.id, nowNanos);
        }
    }

    /** The longest time that an LLM job waited while none was served. */
    long llmLongestPauseNanos() {
        lock();
        long longest = queue.llmLongestPauseNanos();
        unlock();
        return longest;
    }

    /** Takes no more jobs, asks the running ones to stop, and hands out those that wait. */
    List<JobEntry> close(long nowNanos) {
        List<JobEntry> left = new ArrayList<>();
        lock();
        closed = true;
        for (NpuPriority priority : NpuPriority.values()) {
            for (JobEntry entry = queue.first(priority); entry != null; entry = queue.first(priority)) {
                drop(entry, nowNanos);
                left.add(entry);
            }
        }
        for (Lane lane : lanes) {
            if (lane.running != null) {
                ask(lane.running, Cause.CLOSED, 0, nowNanos);
            }
        }
        unlock();
        return left;
    }

    /** The flight recorder, for reading. */
    TraceRing<LaneEvent> ring() {
        return ring;
    }

    /** Jobs that wait, on all lanes. */
    int depth() {
        lock();
        int size = queue.size();
        unlock();
        return size;
    }

    /** Lets the caller be the lanes' thread until {@code entry} is done. */
    void stepUntilDone(JobEntry entry) {
        while (!entry.isDone()) {
            int done = 0;
            for (Lane lane : lanes) {
                done += lane.doWork();
            }
            if (done == 0 && !entry.isDone()) {
                throw new IllegalStateException("the lanes have no thread and " + entry.workload + " on "
                        + entry.lane.name()
                        + " cannot be stepped to its end: the caller is inside a job of that lane, or of one that has"
                        + " borrowed its core");
            }
        }
    }
}
