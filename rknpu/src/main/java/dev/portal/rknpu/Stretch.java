package dev.portal.rknpu;

/**
 * The steps of a flight that one core does: how far it has come, and how it is made to end before its last one.
 *
 * <pre>
 *   steps of the flight   first ........ landed ........ limit ........ size
 *                         done           to be seen      not launched
 * </pre>
 *
 * <p>Landed only grows between {@link #cover}s: a step counts only when every step before it does. What a stop has written
 * into the programs is undone by {@link #mend} before they run again. Not safe for several threads.
 */
final class Stretch {
    /** The fastest that a core reads weights, and the least time of a program (spec 10). */
    private static final double FAST_BYTES_PER_NANO = 9.5;

    private static final double LEAST_PROGRAM_NANOS = 670;

    /** A program that is overwritten and cleaned, with a look at the doorbell before it. */
    private static final double WRITE_NANOS = 8_000;

    /** How it is being stopped. */
    private enum Stop {
        NONE,
        CUT,
        DRAINED
    }

    private final StepTable table;
    private final Track track;
    private final DeviceBuffer staging;

    private int first;
    private int size;
    private int landed;
    private int limit;
    private boolean settled;
    private Stop stop = Stop.NONE;
    private int cutAt;
    private int lastCutAt;
    private int drainFrom;

    /** @param staging where the features of its steps are */
    Stretch(StepTable table, Track track, DeviceBuffer staging) {
        this.table = table;
        this.track = track;
        this.staging = staging;
    }

    /** From now on it is steps {@code from} to {@code to - 1}, none of which has landed. */
    void cover(int from, int to) {
        first = from;
        size = to - from;
        landed = 0;
    }

    Track track() {
        return track;
    }

    DeviceBuffer staging() {
        return staging;
    }

    /** Index of the next step of the flight, or of the first one behind this stretch. */
    int next() {
        return first + landed;
    }

    /** Steps of it that have landed. */
    int landed() {
        return landed;
    }

    /** Steps that the present launch has left. */
    int left() {
        return limit - landed;
    }

    boolean isComplete() {
        return landed == size;
    }

    /** Whether it has a step of the flight. */
    boolean has(int step) {
        return step >= first && step < first + size;
    }

    /** Whether nothing of it is under way. */
    boolean isSettled() {
        return settled;
    }

    void settle() {
        settled = true;
    }

    /** Takes part in the next launch. */
    void plan(int most) {
        limit = Math.min(size, landed + most);
        settled = landed >= limit;
    }

    /** Takes no part in the next launch. */
    void sitOut() {
        limit = landed;
        settled = true;
    }

    /** Before it is submitted: whole programs, and doorbells that have not rung. */
    void prepare() {
        mend();
        table.seed(first + landed, first + limit);
    }

    /** Makes programs whole again that a stop has changed. */
    private void mend() {
        switch (stop) {
            case NONE -> {}
            case CUT -> {
                for (int i = cutAt; i <= lastCutAt; i++) {
                    track.mend(i);
                }
            }
            case DRAINED -> track.restore(table, first, drainFrom, size, staging);
        }
        stop = Stop.NONE;
    }

    /** Submits what the launch has left, and returns. */
    void submitAsync() {
        track.submitAsync(landed, left());
    }

    /** Submits what the launch has left, and waits for its interrupt. */
    void runBlocking() {
        track.submitBlocking(landed, left());
        landed = limit;
        settled = true;
    }

    /** Looks at the doorbells from the first that has not rung; says whether one had. */
    boolean advance() {
        int before = landed;
        while (landed < limit && table.isDone(first + landed)) {
            landed++;
        }
        return landed != before;
    }

    /** Whether it is being stopped. */
    boolean isStopping() {
        return stop != Stop.NONE;
    }

    /** Whether it is being cut, and has neither come to its end nor was proven to have ended. */
    boolean isBeingCut() {
        return stop == Stop.CUT && landed < limit;
    }

    /** Whether the controller has come to where it ends, as far as the doorbells tell; of a cut that is no proof yet. */
    boolean stands() {
        return settled
                || switch (stop) {
                    case NONE -> landed == limit;
                    case CUT -> landed == limit || landed > cutAt;
                    case DRAINED -> isDrained();
                };
    }

    /**
     * The last program has run: as the minimal one, or as it was, where the controller was faster than our pen. Then every
     * program before it has run, too, each in one of its two forms.
     */
    private boolean isDrained() {
        if (!track.isDrained() && !table.isDone(first + limit - 1)) {
            return false;
        }
        advance();
        return true;
    }

    /** The step after which a cut ends it at the latest, or its last one. */
    int lastStep() {
        return first + (stop == Stop.CUT ? lastCutAt : limit - 1);
    }

    /** What the next program is. */
    MatmulShape nextShape() {
        return table.shape(first + landed);
    }

    /** Cuts it at the first program that was not fetched; says whether a doorbell rang meanwhile. */
    boolean cut() {
        return cut(landed);
    }

    /**
     * Cuts it after program {@code wanted}, or at the first that was not fetched; says whether a doorbell rang meanwhile.
     * Near its end nothing can be cut any more.
     */
    boolean cut(int wanted) {
        int at = Math.max(wanted, landed + Track.FETCHED_AHEAD);
        if (at >= limit - 1) {
            return false;
        }
        stop = Stop.CUT;
        cutAt = at;
        lastCutAt = at;
        track.cut(at);
        // While the word was on its way the controller may have fetched the program: then a later one has to do.
        boolean rang = false;
        while (advance()) {
            rang = true;
            int later = landed + Track.FETCHED_AHEAD;
            if (later <= lastCutAt) {
                return true;
            }
            lastCutAt = Math.min(later, limit - 1);
            if (later >= limit - 1) {
                return true;
            }
            track.cut(later);
        }
        return rang;
    }

    /**
     * Overwrites what was not fetched, from the last program towards the running one, so that the controller meets only
     * programs that are whole: it runs minimal ones faster than they can be written. Says whether a doorbell rang meanwhile.
     */
    boolean drain() {
        int end = limit;
        int ahead = Track.FETCHED_AHEAD + writtenMeanwhile();
        if (landed + ahead >= end) {
            return false;
        }
        track.seedDrain();
        stop = Stop.DRAINED;
        drainFrom = end;
        boolean rang = false;
        for (int i = end - 1; i >= landed + ahead; i--) {
            track.drain(i, i == end - 1, table.type());
            drainFrom = i;
            rang |= advance();
        }
        return rang;
    }

    /** Programs that a core may run while one is overwritten: none of the usual size. */
    private int writtenMeanwhile() {
        double nanos = nextShape().bBytes() / FAST_BYTES_PER_NANO;
        return (int) (WRITE_NANOS / Math.max(nanos, LEAST_PROGRAM_NANOS));
    }
}
