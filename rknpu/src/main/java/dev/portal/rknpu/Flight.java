package dev.portal.rknpu;

import dev.portal.base.Clock;
import dev.portal.kernel.DeviceException;
import dev.portal.kernel.DeviceException.Recovery;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Steps in flight on one to three cores: submitted without waiting, watched through their doorbells, stopped, recovered.
 *
 * <pre>
 *   READY ──launch──► FLYING ──every launched step landed, or the stop is proven──► READY
 *                       │  └─ stop: still FLYING, towards an earlier end
 *                       └──── no end within {@link #CAP_NANOS}: PARKED until a reset
 * </pre>
 *
 * <p>Invariants: landed counts per core only grow between launches, and a step counts only when every step before it on
 * its core does. While FLYING or PARKED the flight has its cores and holds every buffer. READY is entered only when
 * nothing of it is under way: each launched program's output was seen, or a later interrupt of the same core, or a reset.
 *
 * <p>One thread at a time. Polling allocates nothing.
 */
final class Flight {
    /** Without progress for so long a dispatch counts as lost (spec 12). */
    static final long MISS_NANOS = 300_000_000;

    static final int MAX_RESUBMISSIONS = 6;

    private static final int EVERY_CORE = -1;

    /** No launch lasts longer, its recoveries included (spec 12). */
    static final long CAP_NANOS = 3_000_000_000L;

    /** A halted chain has ended when nothing lands for so long (seed 7b), and for the time of one more program. */
    static final long PLATEAU_NANOS = 500_000;

    /** A pessimistic time of a program: its bytes at this rate. */
    private static final double SLOW_BYTES_PER_NANO = 2;

    /** The fastest that a core reads weights, and the least time of a program (spec 10). */
    private static final double FAST_BYTES_PER_NANO = 9.5;

    private static final double LEAST_PROGRAM_NANOS = 670;

    /** A program that is overwritten and cleaned, with a look at the doorbell before it. */
    private static final double WRITE_NANOS = 8_000;

    private enum State {
        READY,
        FLYING,
        PARKED
    }

    /** How a track is being stopped. */
    private enum Stop {
        NONE,
        CUT,
        DRAINED
    }

    private final RknpuDevice device;
    private final AsyncJobs jobs;
    private final Clock clock;
    private final StepTable table;
    private final Track[] tracks;
    private final int[] start;
    private final DeviceBuffer[] staging;
    private final @Nullable JointJob joint;
    private final String name;

    private final int[] landed;
    private final int[] limit;
    private final Stop[] stop;
    private final int[] cutAt;
    private final int[] lastCutAt;
    private final int[] drainFrom;
    private final boolean[] settled;

    /** A reset by another thread ends what is parked. */
    private volatile State state = State.READY;

    private int epoch;
    private int attempts;
    private long launchedNanos;
    private long progressNanos;
    private boolean ownsTracks;
    private boolean abandoned;

    /** Whether what flies is one job of several cores. */
    private boolean isJoint;

    /**
     * @param tracks encoded already, track i with steps {@code start[i]} to {@code start[i + 1] - 1}
     * @param staging of the features, by track
     * @param joint submits the tracks together where the driver can; null when each core gets a job of its own
     * @param ownsTracks whether tracks and joint job go back to the device with the flight
     * @param name what a refusal names
     */
    Flight(
            RknpuDevice device,
            StepTable table,
            Track[] tracks,
            int[] start,
            DeviceBuffer[] staging,
            @Nullable JointJob joint,
            boolean ownsTracks,
            String name) {
        this.device = device;
        this.jobs = device.jobs();
        this.clock = device.clock();
        this.table = table;
        this.tracks = tracks;
        this.start = start;
        this.staging = staging;
        this.joint = joint;
        this.ownsTracks = ownsTracks;
        this.name = name;
        int count = tracks.length;
        landed = new int[count];
        limit = new int[count];
        stop = new Stop[count];
        cutAt = new int[count];
        lastCutAt = new int[count];
        drainFrom = new int[count];
        settled = new boolean[count];
        Arrays.fill(stop, Stop.NONE);
    }

    /** Where the features of the first core are staged. */
    DeviceBuffer staging() {
        return staging[0];
    }

    int steps() {
        return table.size();
    }

    /** Whether something may be under way. */
    boolean isFlying() {
        return state == State.FLYING;
    }

    boolean isParked() {
        return state == State.PARKED;
    }

    /** Whether every step has landed. */
    boolean isComplete() {
        for (int t = 0; t < tracks.length; t++) {
            if (landed[t] < size(t)) {
                return false;
            }
        }
        return true;
    }

    /** Index of the last step before the first that has not landed; -1 when that is step 0. */
    int progress() {
        for (int t = 0; t < tracks.length; t++) {
            if (landed[t] < size(t)) {
                return start[t] + landed[t] - 1;
            }
        }
        return steps() - 1;
    }

    /** Whether a step has landed; a step counts only when those before it on its core do. */
    boolean isLanded(int step) {
        int t = trackOf(step);
        return step - start[t] < landed[t];
    }

    /** Steps that have landed, wherever they are. */
    int landedSteps() {
        int sum = 0;
        for (int count : landed) {
            sum += count;
        }
        return sum;
    }

    private int trackOf(int step) {
        Objects.checkIndex(step, steps());
        int t = 0;
        while (step >= start[t + 1]) {
            t++;
        }
        return t;
    }

    private int size(int t) {
        return start[t + 1] - start[t];
    }

    /** Makes a parked flight usable again: the reset that it waits for. What has landed stays landed. */
    void revive() {
        if (state == State.PARKED) {
            device.reset();
        }
    }

    /** Forgets what has landed, for another run of the same programs. */
    void rewind() {
        require(State.READY);
        Arrays.fill(landed, 0);
    }

    /** Cores of the stretches that have not landed, each on its own: bit i for core i. */
    int homes() {
        int mask = 0;
        for (int t = 0; t < tracks.length; t++) {
            if (landed[t] < size(t)) {
                mask |= tracks[t].home().mask();
            }
        }
        return mask;
    }

    /**
     * Submits what has not landed, each stretch on its own core, and returns.
     *
     * @param most how many steps a core may do in this launch
     * @throws DeviceException.Busy when another chain has one of the cores
     */
    void launch(int most) {
        launch(most, EVERY_CORE);
    }

    /**
     * Submits what has not landed, as far as there are cores for it, and returns. A stretch runs on its own core where that
     * may be used, otherwise on one that no other stretch needs; what is left over waits for another launch.
     *
     * @param cores that may be used, bit i for core i; at least one
     */
    void launch(int most, int cores) {
        require(State.READY);
        place(most, cores);
        claim();
        boolean flying = false;
        try {
            for (int t = 0; t < tracks.length; t++) {
                if (!settled[t] && tracks[t].core().isStuck()) {
                    device.reset();
                }
            }
            retain();
            attempts = 0;
            flying = true;
            state = State.FLYING;
            submitUnsettled();
            launchedNanos = progressNanos;
        } catch (RuntimeException e) {
            if (flying) {
                fail();
            } else {
                giveBackCores();
            }
            throw e;
        }
    }

    private void place(int most, int cores) {
        int taken = 0;
        for (int t = 0; t < tracks.length; t++) {
            CoreState home = tracks[t].home();
            boolean fits = landed[t] < size(t) && (cores & home.mask()) != 0;
            settled[t] = !fits;
            if (fits) {
                tracks[t].moveTo(home);
                taken |= home.mask();
            }
        }
        for (int t = 0; t < tracks.length; t++) {
            int free = cores & ~taken & device.coreMask();
            if (settled[t] && landed[t] < size(t) && free != 0) {
                CoreState other = device.core(Integer.numberOfTrailingZeros(free));
                settled[t] = false;
                tracks[t].moveTo(other);
                taken |= other.mask();
            }
            limit[t] = settled[t] ? landed[t] : Math.min(size(t), landed[t] + most);
        }
    }

    /** Runs everything, one core after the other, each waited for by interrupt. */
    void runBlocking() {
        require(State.READY);
        place(steps(), EVERY_CORE);
        claim();
        try {
            retain();
            try {
                for (int t = 0; t < tracks.length; t++) {
                    if (tracks[t].core().isStuck()) {
                        device.reset();
                    }
                    limit[t] = size(t);
                    warm(tracks[t].core());
                    table.seed(start[t] + landed[t], start[t] + limit[t]);
                    tracks[t].submitBlocking(landed[t], limit[t] - landed[t]);
                    landed[t] = limit[t];
                    settled[t] = true;
                }
            } finally {
                // The driver's call has returned: nothing runs any more.
                release();
            }
        } finally {
            giveBackCores();
        }
    }

    private void claim() {
        for (int t = 0; t < tracks.length; t++) {
            CoreState core = tracks[t].core();
            if (!settled[t] && !core.claim(this)) {
                DeviceException busy = device.busy(core);
                giveBackCores();
                throw busy;
            }
        }
    }

    private void giveBackCores() {
        for (Track track : tracks) {
            track.core().giveBack(this);
        }
    }

    private void retain() {
        int operand = 0;
        int track = 0;
        try {
            for (; operand < table.operands().size(); operand++) {
                table.operands().get(operand).retain();
            }
            for (; track < tracks.length; track++) {
                tracks[track].retain();
            }
            if (joint != null) {
                joint.retain();
            }
        } catch (RuntimeException e) {
            while (--track >= 0) {
                tracks[track].release();
            }
            while (--operand >= 0) {
                table.operands().get(operand).release();
            }
            throw e;
        }
    }

    private void release() {
        for (Track track : tracks) {
            track.release();
        }
        if (joint != null) {
            joint.release();
        }
        for (int i = 0; i < table.operands().size(); i++) {
            table.operands().get(i).release();
        }
    }

    /** Warms, seeds and submits every track that has something to do. */
    private void submitUnsettled() {
        int mask = 0;
        for (int t = 0; t < tracks.length; t++) {
            if (!settled[t]) {
                mask |= tracks[t].core().mask();
                warm(tracks[t].core());
                mend(t);
                table.seed(start[t] + landed[t], start[t] + limit[t]);
            }
        }
        JointJob together = Integer.bitCount(mask) > 1 && SubmitCall.isOneJob(mask) ? joint : null;
        isJoint = together != null;
        epoch = jobs.beginSubmit();
        try {
            if (together != null) {
                together.submitAsync(tracks, settled, landed, limit);
            } else {
                submitEach();
            }
        } finally {
            jobs.endSubmit();
        }
        progressNanos = clock.nanos();
    }

    private void submitEach() {
        for (int t = 0; t < tracks.length; t++) {
            if (!settled[t]) {
                tracks[t].submitAsync(landed[t], limit[t] - landed[t]);
            }
        }
    }

    private void warm(CoreState core) {
        if (device.options().warmUp() && !core.isWarmFor(table.type().input())) {
            new WarmUp(device).warm(core.index(), table.type().input());
        }
    }

    /** Makes programs whole again that a stop has changed. */
    private void mend(int t) {
        switch (stop[t]) {
            case NONE -> {}
            case CUT -> {
                for (int i = cutAt[t]; i <= lastCutAt[t]; i++) {
                    tracks[t].mend(i);
                }
            }
            case DRAINED -> tracks[t].restore(table, start[t], drainFrom[t], size(t), staging[t]);
        }
        stop[t] = Stop.NONE;
    }

    /**
     * Looks at the doorbells, and does what is due: proves a stop, submits again what got lost.
     *
     * @return whether the launch has ended
     * @throws DeviceException.TimedOut when it has not ended in time; the buffers are parked then
     */
    boolean poll() {
        if (state != State.FLYING) {
            if (state == State.PARKED) {
                throw timedOut();
            }
            return true;
        }
        try {
            return look();
        } catch (RuntimeException e) {
            if (state == State.FLYING) {
                fail();
            }
            throw e;
        }
    }

    private boolean look() {
        boolean progress = false;
        boolean all = true;
        for (int t = 0; t < tracks.length; t++) {
            if (!settled[t]) {
                progress |= advance(t);
                settled[t] = isSettled(t);
                all &= settled[t];
            }
        }
        if (all) {
            land();
            return true;
        }
        if (progress) {
            progressNanos = clock.nanos();
        }
        if (epoch != jobs.epoch()) {
            resubmit();
        } else if (clock.nanos() - progressNanos >= MISS_NANOS) {
            recover();
        }
        return state != State.FLYING;
    }

    private boolean advance(int t) {
        int before = landed[t];
        while (landed[t] < limit[t] && table.isDone(start[t] + landed[t])) {
            landed[t]++;
        }
        return landed[t] != before;
    }

    private boolean isSettled(int t) {
        return switch (stop[t]) {
            case NONE -> landed[t] == limit[t];
            case CUT -> landed[t] == limit[t] || isCut(t);
            case DRAINED -> isDrained(t);
        };
    }

    /**
     * The last program has run: as the minimal one, or as it was, where the controller was faster than our pen. Then every
     * program before it has run, too, each in one of its two forms.
     */
    private boolean isDrained(int t) {
        if (!tracks[t].isDrained() && !table.isDone(start[t] + limit[t] - 1)) {
            return false;
        }
        advance(t);
        return true;
    }

    /** A cut chain stands at one of its cuts; proof is an interrupt behind it, or the reset that it needs. */
    private boolean isCut(int t) {
        if (!standsAtCut(t)) {
            return false;
        }
        if (jobs.haltBehaviour() == HaltBehaviour.RETIRES) {
            if (!tracks[t].fence()) {
                jobs.haltBehaviour(HaltBehaviour.STICKS);
                device.reset();
                tracks[t].flush();
            }
            advance(t);
            return true;
        }
        if (clock.nanos() - progressNanos < plateau(t)) {
            return false;
        }
        // The driver may go on owning the job: only a reset says that it is over.
        device.reset();
        advance(t);
        return true;
    }

    /**
     * Whether a cut chain has come to its cut. A job of several cores may retire on none of them before all have ended, so
     * that nothing which is submitted behind it would prove more: there the others have to stand, too.
     */
    private boolean standsAtCut(int t) {
        return stop[t] == Stop.CUT && landed[t] > cutAt[t] && (!isJoint || everyCoreStands());
    }

    private boolean everyCoreStands() {
        for (int t = 0; t < tracks.length; t++) {
            boolean there = settled[t]
                    || landed[t] == limit[t]
                    || (stop[t] == Stop.CUT && landed[t] > cutAt[t])
                    || (stop[t] == Stop.DRAINED && isDrained(t));
            if (!there) {
                return false;
            }
        }
        return true;
    }

    private long plateau(int t) {
        MatmulShape next = table.shape(start[t] + landed[t]);
        return PLATEAU_NANOS + (long) (next.bBytes() / SLOW_BYTES_PER_NANO);
    }

    /** When {@link #poll} has something to do although no doorbell rings. */
    long deadlineNanos() {
        long wait = MISS_NANOS;
        for (int t = 0; t < tracks.length; t++) {
            if (!settled[t] && landed[t] < limit[t] && standsAtCut(t)) {
                wait = Math.min(wait, plateau(t));
            }
        }
        return progressNanos + wait;
    }

    /** Everything has ended: buffers and cores are free. */
    private void land() {
        state = State.READY;
        release();
        giveBackCores();
    }

    /** No progress for too long: the dispatch is lost, and only a reset makes the core take another (Q8). */
    private void recover() {
        if (attempts >= MAX_RESUBMISSIONS || clock.nanos() - launchedNanos >= CAP_NANOS) {
            fail();
            throw timedOut();
        }
        device.counters().count(Counters.Recovery.LOST_DISPATCH);
        device.reset();
        resubmit();
    }

    private DeviceException.TimedOut timedOut() {
        return new DeviceException.TimedOut(
                device.node(),
                name + " stands at step " + (progress() + 1) + " after " + attempts + " resubmission(s) in "
                        + (progressNanos + MISS_NANOS - launchedNanos) / 1_000_000
                        + " ms; its buffers are parked until the next reset. Reset the device; dmesg | grep RKNPU shows"
                        + " the driver's view",
                Recovery.RESET);
    }

    /** A reset has ended all jobs; what has not landed runs again. */
    private void resubmit() {
        attempts++;
        boolean all = true;
        for (int t = 0; t < tracks.length; t++) {
            if (!settled[t]) {
                advance(t);
                // A stop that a reset overtook is done: nothing runs any more.
                settled[t] = landed[t] == limit[t] || stop[t] != Stop.NONE;
                all &= settled[t];
                if (!settled[t]) {
                    device.counters().count(Counters.Recovery.RESUBMITTED);
                }
            }
        }
        if (all) {
            land();
            return;
        }
        submitUnsettled();
    }

    /**
     * Lets go of those of {@code cores} on which nothing is left to do, while others are busy. Of a job of several cores none
     * is free before all are.
     *
     * @return cores that it has no more
     */
    int vacate(int cores) {
        if (isJoint) {
            return 0;
        }
        int busy = 0;
        for (int t = 0; t < tracks.length; t++) {
            if (!settled[t]) {
                busy |= tracks[t].core().mask();
            }
        }
        int free = cores & ~busy;
        for (int left = free; left != 0; left &= left - 1) {
            device.core(Integer.numberOfTrailingZeros(left)).giveBack(this);
        }
        return free;
    }

    /** Gives up: whatever may still be written to stays allocated until a reset. */
    private void fail() {
        state = State.PARKED;
        for (int t = 0; t < tracks.length; t++) {
            if (!settled[t]) {
                tracks[t].core().becomeStuck();
            }
        }
        giveBackCores();
        jobs.park(this);
    }

    /** A reset came, perhaps by another thread: nothing can be under way any more. */
    synchronized void unpark() {
        if (state == State.PARKED) {
            state = State.READY;
            release();
            if (abandoned) {
                giveBackTracks();
            }
        }
    }

    /** The owner has no more use for the tracks; they go back at once, or when a reset has freed them. */
    synchronized void abandon() {
        abandoned = true;
        if (state == State.READY) {
            giveBackTracks();
        }
    }

    private void giveBackTracks() {
        if (ownsTracks) {
            ownsTracks = false;
            for (Track track : tracks) {
                jobs.giveBack(track);
            }
            if (joint != null) {
                jobs.giveBack(joint);
            }
        }
    }

    /** Polls until the launch has ended. */
    void await() {
        while (!poll()) {
            spin();
        }
    }

    /** Lets time pass until a doorbell may have rung or {@link #poll} has something to do. */
    void spin() {
        if (state == State.FLYING) {
            clock.spinUntil(deadlineNanos());
        }
    }

    /**
     * Makes every core stop at the first program that its controller has not fetched.
     *
     * @param strategy {@link StopStrategy#CHUNK} changes nothing: the present launch goes to its end
     */
    void stop(StopStrategy strategy) {
        if (poll()) {
            return;
        }
        for (int t = 0; t < tracks.length; t++) {
            if (!settled[t] && stop[t] == Stop.NONE) {
                switch (strategy) {
                    case HALT -> cut(t, landed[t] + Track.FETCHED_AHEAD);
                    case DRAIN -> drain(t);
                    case CHUNK -> {}
                }
            }
        }
    }

    /**
     * Makes a single-core flight end after a step.
     *
     * @return the step after which it ends at the latest: the one asked for, or the first that the controller had not
     *     fetched
     */
    int cutAfter(int step) {
        if (poll() || stop[0] != Stop.NONE) {
            return progress();
        }
        cut(0, Math.max(step, landed[0] + Track.FETCHED_AHEAD));
        return stop[0] == Stop.CUT ? lastCutAt[0] : limit[0] - 1;
    }

    private void cut(int t, int at) {
        if (at >= limit[t] - 1) {
            return;
        }
        stop[t] = Stop.CUT;
        cutAt[t] = at;
        lastCutAt[t] = at;
        tracks[t].cut(at);
        // While the word was on its way the controller may have fetched the program: then a later one has to do.
        while (advance(t)) {
            progressNanos = clock.nanos();
            int later = landed[t] + Track.FETCHED_AHEAD;
            if (later <= lastCutAt[t]) {
                return;
            }
            lastCutAt[t] = Math.min(later, limit[t] - 1);
            if (later >= limit[t] - 1) {
                return;
            }
            tracks[t].cut(later);
        }
    }

    /**
     * From the last program towards the running one, so that the controller meets only programs that are whole: it runs
     * minimal ones faster than they can be written.
     */
    private void drain(int t) {
        int end = limit[t];
        int ahead = Track.FETCHED_AHEAD + writtenMeanwhile(t);
        if (landed[t] + ahead >= end) {
            return;
        }
        tracks[t].seedDrain();
        stop[t] = Stop.DRAINED;
        drainFrom[t] = end;
        for (int i = end - 1; i >= landed[t] + ahead; i--) {
            tracks[t].drain(i, i == end - 1, table.type());
            drainFrom[t] = i;
            if (advance(t)) {
                progressNanos = clock.nanos();
            }
        }
    }

    /** Programs that a core may run while one is overwritten: none of the usual size. */
    private int writtenMeanwhile(int t) {
        double nanos = table.shape(start[t] + landed[t]).bBytes() / FAST_BYTES_PER_NANO;
        return (int) (WRITE_NANOS / Math.max(nanos, LEAST_PROGRAM_NANOS));
    }

    private void require(State expected) {
        if (state != expected) {
            throw new IllegalStateException(name
                    + (state == State.FLYING
                            ? " is in flight; end it first"
                            : " is parked until a reset: it never ended"));
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
