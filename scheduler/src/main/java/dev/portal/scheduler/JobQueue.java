package dev.portal.scheduler;

import dev.portal.scheduler.NpuWorkload.Family;
import org.jspecify.annotations.Nullable;

/**
 * The order in which waiting jobs get the device: the policy of the scheduling seed's {@code Core1Scheduler}, for all
 * lanes that share run tokens.
 *
 * <p><b>Order.</b> Higher priority first, by arrival inside a class. A job that yielded stands at the head of its class,
 * before all that never ran. The class of a promoted job is HIGH.
 *
 * <p><b>Capacity.</b> Each lane has its own; a job that yielded returns even to a full lane, since it was admitted before.
 *
 * <p><b>Starvation</b> (design 4.6). A clock runs while STT work is served and any other job waits. It is cleared when
 * other work ends, and when there is none. Once it is past the threshold the next dispatch takes the oldest TTS decoder,
 * else the oldest TTS encoder, else the oldest job that is not STT, and promotes it to HIGH until it ends. The running STT
 * job is told at that moment ({@link #starvationAtNanos()}), so the rest of it does not add to the bound.
 *
 * <p><b>Bound.</b> Let S be the longest segment of STT work, and C the longest run of a job of another family, whole
 * because nothing stops a HIGH job. Let p other jobs be served, in whole or in part, while a job waits. The clock stands
 * for at most the threshold between two ends of other work, then S passes, then a job is promoted and ends within C. So
 * under any arrivals the job waits at most {@code (p + 1) * (threshold + S) + p * C}, which is within {@code (p + 1) *
 * (threshold + B)} for B = S + C. A call that never returns is outside of it and belongs to the health monitor.
 *
 * <p><b>Reservation</b> of the language model, where {@link SchedulerOptions#reservation()} sets one. A second clock runs
 * while an LLM job waits and none is served. Once it has reached {@code every}, the next dispatch takes the first LLM job in
 * order, before all but a starved one, and the running job is told at that moment ({@link #reservationAtNanos()}) unless it
 * is promoted. Such a dispatch takes nobody's place: after its quantum the job gives way to whom it passed, and stands again
 * where it stood. So the language model is served at the latest {@code every + S + P} after it began to wait, with S the
 * longest segment of other work and P the longest promoted run: a running job ends its segment, perhaps a starved job goes
 * first, and then its clock is clear. Between two of these dispatches lies {@code every} at least, so work of a higher
 * priority is held up by one of them in that time. The bound of starvation stays: an LLM job that is served in parts is
 * served for no longer in all than one that is served whole.
 *
 * <p>Rejected: clearing the clock when other work is <em>dispatched</em>. A stream of STT jobs could then let each TTS job
 * do one segment every thirty seconds and never end. Rejected: a clock that STT arrivals start and TTS arrivals clear, as
 * the seed's words can be read: one TTS arrival every 29 s would starve TTS for ever (spec 5.3).
 *
 * <p>Not synchronised: {@link LaneGroup} guards it. Lists are intrusive; nothing allocates.
 */
final class JobQueue {
    private static final int CLASSES = NpuPriority.values().length;
    private static final int HIGHEST = CLASSES - 1;

    private final int capacityPerLane;
    private final long starvationNanos;
    /** 0 for no reservation. */
    private final long reservedEveryNanos;

    private final @Nullable JobEntry[] heads = new JobEntry[CLASSES];
    private final @Nullable JobEntry[] tails = new JobEntry[CLASSES];
    private final int[] depths;
    private int size;

    private int othersWaiting;
    private int othersServed;
    private int sttServed;
    private boolean counting;
    private long countingSinceNanos;
    private long countedNanos;

    private long firstOrder;
    private long lastOrder;

    private int llmWaiting;
    private int llmServed;
    private boolean llmPauses;
    private long llmPausesSinceNanos;
    private long llmLongestPauseNanos;

    /** @param reservedEveryNanos after so long without the device the language model is next; 0 for never */
    JobQueue(int lanes, int capacityPerLane, long starvationNanos, long reservedEveryNanos) {
        this.depths = new int[lanes];
        this.capacityPerLane = capacityPerLane;
        this.starvationNanos = starvationNanos;
        this.reservedEveryNanos = reservedEveryNanos;
    }

    int size() {
        return size;
    }

    int depth(int lane) {
        return depths[lane];
    }

    boolean isFull(int lane) {
        return depths[lane] >= capacityPerLane;
    }

    /** Puts an arrival at the end of its class. The lane must not be full. */
    void add(JobEntry entry, long nowNanos) {
        entry.order = ++lastOrder;
        insert(entry, tails[entry.effective.ordinal()], nowNanos);
    }

    /** Puts a job that yielded at the head of its class; one that ran on the reservation, where it stood before. */
    void putBack(JobEntry entry, long nowNanos) {
        JobEntry before = null;
        if (entry.reserved) {
            JobEntry after = heads[entry.effective.ordinal()];
            while (after != null && after.order < entry.order) {
                before = after;
                after = after.next;
            }
        } else {
            entry.order = --firstOrder;
        }
        insert(entry, before, nowNanos);
    }

    /** Behind {@code before}, or at the head. */
    private void insert(JobEntry entry, @Nullable JobEntry before, long nowNanos) {
        int c = entry.effective.ordinal();
        JobEntry after = before == null ? heads[c] : before.next;
        entry.previous = before;
        entry.next = after;
        if (before == null) {
            heads[c] = entry;
        } else {
            before.next = entry;
        }
        if (after == null) {
            tails[c] = entry;
        } else {
            after.previous = entry;
        }
        counted(entry, 1, nowNanos);
    }

    /** Takes a waiting job out, wherever it stands. */
    void remove(JobEntry entry, long nowNanos) {
        int c = entry.effective.ordinal();
        JobEntry previous = entry.previous;
        JobEntry next = entry.next;
        if (previous == null) {
            heads[c] = next;
        } else {
            previous.next = next;
        }
        if (next == null) {
            tails[c] = previous;
        } else {
            next.previous = previous;
        }
        entry.previous = null;
        entry.next = null;
        counted(entry, -1, nowNanos);
    }

    private void counted(JobEntry entry, int change, long nowNanos) {
        depths[entry.lane.index] += change;
        size += change;
        if (!isStt(entry)) {
            othersWaiting += change;
        }
        if (isLlm(entry)) {
            llmWaiting += change;
        }
        recount(nowNanos);
    }

    /** The newest of the lowest class on {@code lane}, if it is below {@code priority}. */
    @Nullable
    JobEntry lowestBelow(NpuPriority priority, int lane) {
        for (int c = 0; c < priority.ordinal(); c++) {
            for (JobEntry entry = tails[c]; entry != null; entry = entry.previous) {
                if (entry.lane.index == lane) {
                    return entry;
                }
            }
        }
        return null;
    }

    /** What the next dispatch takes among the lanes in {@code lanes} (bit by index); null for nothing. */
    @Nullable
    JobEntry select(int lanes, long nowNanos) {
        if (othersWaiting > 0 && isStarving(nowNanos)) {
            JobEntry starved = starved(lanes);
            if (starved != null) {
                return starved;
            }
        }
        JobEntry reserved = nowNanos >= reservationAtNanos() ? firstLlm(lanes) : null;
        return reserved == null ? inOrder(lanes) : reserved;
    }

    /** The first of the highest class, whatever starves. */
    private @Nullable JobEntry inOrder(int lanes) {
        for (int c = HIGHEST; c >= 0; c--) {
            for (JobEntry entry = heads[c]; entry != null; entry = entry.next) {
                if ((lanes & 1 << entry.lane.index) != 0) {
                    return entry;
                }
            }
        }
        return null;
    }

    /** The first LLM job in order among the lanes in {@code lanes}. */
    @Nullable
    JobEntry firstLlm(int lanes) {
        for (int c = HIGHEST; c >= 0; c--) {
            for (JobEntry entry = heads[c]; entry != null; entry = entry.next) {
                if (isLlm(entry) && (lanes & 1 << entry.lane.index) != 0) {
                    return entry;
                }
            }
        }
        return null;
    }

    /**
     * Whom {@code entry}, waiting or running, is or would be served before although he waits on one of {@code lanes} and comes
     * first in order; null for nobody.
     */
    @Nullable
    JobEntry passedBy(JobEntry entry, int lanes) {
        JobEntry first = inOrder(lanes);
        return first != null && first != entry && precedes(first, entry) ? first : null;
    }

    private static boolean precedes(JobEntry a, JobEntry b) {
        return a.effective == b.effective ? a.order < b.order : a.effective.isAbove(b.effective);
    }

    private @Nullable JobEntry starved(int lanes) {
        JobEntry best = null;
        for (int c = HIGHEST; c >= 0; c--) {
            for (JobEntry entry = heads[c]; entry != null; entry = entry.next) {
                if (!isStt(entry) && (lanes & 1 << entry.lane.index) != 0 && (best == null || before(entry, best))) {
                    best = entry;
                }
            }
        }
        return best;
    }

    private static boolean before(JobEntry a, JobEntry b) {
        int byRank = Integer.compare(rank(a.workload), rank(b.workload));
        return byRank != 0 ? byRank < 0 : a.id < b.id;
    }

    private static int rank(NpuWorkload workload) {
        return switch (workload) {
            case TTS_DECODER -> 0;
            case TTS_ENCODER -> 1;
            case VAD, STT_ENCODER, STT_DECODER, STT_JOINER, LLM -> 2;
        };
    }

    /**
     * Takes the selected job out to be served.
     *
     * @return whether this promoted it
     */
    boolean take(JobEntry entry, long nowNanos) {
        boolean promotes = !isStt(entry) && !entry.promoted && isStarving(nowNanos);
        // Served before it is removed: in between it would seem that nobody but STT is there, which clears the clock.
        startServing(entry, nowNanos);
        remove(entry, nowNanos);
        if (promotes) {
            entry.promoted = true;
            entry.effective = NpuPriority.HIGH;
        }
        return promotes;
    }

    /** A job gets a core, from the queue or directly. */
    void startServing(JobEntry entry, long nowNanos) {
        served(entry, 1, nowNanos);
    }

    /** A job gives its core back. If it ended, the clock is cleared; if it yielded, {@link #putBack} comes before. */
    void stopServing(JobEntry entry, boolean ended, long nowNanos) {
        served(entry, -1, nowNanos);
        if (ended && !isStt(entry)) {
            clear(nowNanos);
        }
    }

    private void served(JobEntry entry, int change, long nowNanos) {
        if (isStt(entry)) {
            sttServed += change;
        } else {
            othersServed += change;
        }
        if (isLlm(entry)) {
            llmServed += change;
        }
        recount(nowNanos);
    }

    private void recount(long nowNanos) {
        boolean should = sttServed > 0 && othersWaiting > 0;
        if (counting && !should) {
            countedNanos += nowNanos - countingSinceNanos;
        } else if (should && !counting) {
            countingSinceNanos = nowNanos;
        }
        counting = should;
        if (othersWaiting == 0 && othersServed == 0) {
            clear(nowNanos);
        }
        boolean pauses = llmWaiting > 0 && llmServed == 0;
        if (llmPauses && !pauses) {
            llmLongestPauseNanos = Math.max(llmLongestPauseNanos, nowNanos - llmPausesSinceNanos);
        } else if (pauses && !llmPauses) {
            llmPausesSinceNanos = nowNanos;
        }
        llmPauses = pauses;
    }

    private void clear(long nowNanos) {
        countedNanos = 0;
        countingSinceNanos = nowNanos;
    }

    private boolean isStarving(long nowNanos) {
        return countedNanos + (counting ? nowNanos - countingSinceNanos : 0) > starvationNanos;
    }

    /** After this moment the clock is past the threshold, if it goes on as it does; never, while it stands. */
    long starvationAtNanos() {
        return counting ? countingSinceNanos + starvationNanos - countedNanos : Long.MAX_VALUE;
    }

    /** From this moment the language model's reservation is due, if it is not served before; never, while it stands. */
    long reservationAtNanos() {
        return llmPauses && reservedEveryNanos > 0 ? llmPausesSinceNanos + reservedEveryNanos : Long.MAX_VALUE;
    }

    /** The longest time that an LLM job waited while none was served. */
    long llmLongestPauseNanos() {
        return llmLongestPauseNanos;
    }

    /** The first of class {@code priority}; {@link JobEntry#next} leads on. For the group's sweeps. */
    @Nullable
    JobEntry first(NpuPriority priority) {
        return heads[priority.ordinal()];
    }

    private static boolean isStt(JobEntry entry) {
        return entry.workload.family() == Family.STT;
    }

    static boolean isLlm(JobEntry entry) {
        return entry.workload.family() == Family.LLM;
    }
}
