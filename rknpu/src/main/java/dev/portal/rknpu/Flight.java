package dev.portal.rknpu;

import dev.portal.base.Clock;
import dev.portal.kernel.DeviceException;
import dev.portal.kernel.DeviceException.Recovery;
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

    private enum State {
        READY,
        FLYING,
        PARKED
    }

    private final RknpuDevice device;
    private final AsyncJobs jobs;
    private final Clock clock;
    private final StepTable table;
    private final Stretch[] stretches;
    private final int[] start;
    private final @Nullable JointJob joint;
    private final String name;

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
        this.start = start;
        this.joint = joint;
        this.ownsTracks = ownsTracks;
        this.name = name;
        stretches = new Stretch[tracks.length];
        for (int t = 0; t < stretches.length; t++) {
            stretches[t] = new Stretch(table, tracks[t], staging[t]);
        }
        rewind();
    }

    /** Where the features of the first core are staged. */
    DeviceBuffer staging() {
        return stretches[0].staging();
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
        for (Stretch stretch : stretches) {
            if (!stretch.isComplete()) {
                return false;
            }
        }
        return true;
    }

    /** Index of the last step before the first that has not landed; -1 when that is step 0. */
    int progress() {
        for (Stretch stretch : stretches) {
            if (!stretch.isComplete()) {
                return stretch.next() - 1;
            }
        }
        return steps() - 1;
    }

    /** Whether a step has landed; a step counts only when those before it on its core do. */
    boolean isLanded(int step) {
        Objects.checkIndex(step, steps());
        for (Stretch stretch : stretches) {
            if (stretch.has(step)) {
                return step < stretch.next();
            }
        }
        return false;
    }

    /** Steps that have landed, wherever they are. */
    int landedSteps() {
        int sum = 0;
        for (Stretch stretch : stretches) {
            sum += stretch.landed();
        }
        return sum;
    }

    /** Makes a parked flight usable again: the reset that it waits for. What has landed stays landed. */
    void revive() {
        if (state == State.PARKED) {
            device.reset();
        }
    }

    /** Forgets what has landed, and takes the division into stretches as it is now: for another run. */
    void rewind() {
        require(State.READY);
        for (int t = 0; t < stretches.length; t++) {
            stretches[t].cover(start[t], start[t + 1]);
        }
    }

    /** Cores of the stretches that have not landed, each on its own: bit i for core i. */
    int homes() {
        int mask = 0;
        for (Stretch stretch : stretches) {
            if (!stretch.isComplete()) {
                mask |= stretch.track().home().mask();
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
            for (Stretch stretch : stretches) {
                if (!stretch.isSettled()) {
                    free(stretch.track().core());
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
        for (Stretch stretch : stretches) {
            CoreState home = stretch.track().home();
            if (!stretch.isComplete() && (cores & home.mask()) != 0) {
                stretch.track().moveTo(home);
                stretch.plan(most);
                taken |= home.mask();
            } else {
                stretch.sitOut();
            }
        }
        for (Stretch stretch : stretches) {
            int free = cores & ~taken & device.soc().coreMask();
            if (stretch.isSettled() && !stretch.isComplete() && free != 0) {
                CoreState other = device.core(Integer.numberOfTrailingZeros(free));
                stretch.track().moveTo(other);
                stretch.plan(most);
                taken |= other.mask();
            }
        }
    }

    private void free(CoreState core) {
        if (core.isStuck()) {
            device.reset();
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
                for (Stretch stretch : stretches) {
                    free(stretch.track().core());
                    warm(stretch.track().core());
                    stretch.prepare();
                    stretch.runBlocking();
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
        for (Stretch stretch : stretches) {
            CoreState core = stretch.track().core();
            if (!stretch.isSettled() && !core.claim(this)) {
                DeviceException busy = device.busy(core);
                giveBackCores();
                throw busy;
            }
        }
    }

    private void giveBackCores() {
        for (Stretch stretch : stretches) {
            stretch.track().core().giveBack(this);
        }
    }

    private void retain() {
        int operand = 0;
        int track = 0;
        try {
            for (; operand < table.operands().size(); operand++) {
                table.operands().get(operand).retain();
            }
            for (; track < stretches.length; track++) {
                stretches[track].track().retain();
            }
            if (joint != null) {
                joint.retain();
            }
        } catch (RuntimeException e) {
            while (--track >= 0) {
                stretches[track].track().release();
            }
            while (--operand >= 0) {
                table.operands().get(operand).release();
            }
            throw e;
        }
    }

    private void release() {
        for (Stretch stretch : stretches) {
            stretch.track().release();
        }
        if (joint != null) {
            joint.release();
        }
        for (int i = 0; i < table.operands().size(); i++) {
            table.operands().get(i).release();
        }
    }

    /** Warms, prepares and submits every stretch that has something to do. */
    private void submitUnsettled() {
        int mask = 0;
        for (Stretch stretch : stretches) {
            if (!stretch.isSettled()) {
                mask |= stretch.track().core().mask();
                warm(stretch.track().core());
                stretch.prepare();
            }
        }
        JointJob together = Integer.bitCount(mask) > 1 && SubmitCall.isOneJob(mask) ? joint : null;
        isJoint = together != null;
        epoch = jobs.beginSubmit();
        try {
            if (together != null) {
                together.submitAsync(stretches);
            } else {
                submitEach();
            }
        } finally {
            jobs.endSubmit();
        }
        progressNanos = clock.nanos();
    }

    private void submitEach() {
        for (Stretch stretch : stretches) {
            if (!stretch.isSettled()) {
                stretch.submitAsync();
            }
        }
    }

    private void warm(CoreState core) {
        if (device.options().warmUp() && !core.isWarmFor(table.type().input())) {
            new WarmUp(device).warm(core.index(), table.type().input());
        }
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
        for (Stretch stretch : stretches) {
            if (!stretch.isSettled()) {
                progress |= stretch.advance();
                if (stretch.stands() && (!stretch.isBeingCut() || isCutProven(stretch))) {
                    stretch.settle();
                } else {
                    all = false;
                }
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

    /** A cut chain stands at one of its cuts; proof is an interrupt behind it, or the reset that it needs. */
    private boolean isCutProven(Stretch stretch) {
        if (!mayBeProven()) {
            return false;
        }
        if (jobs.haltBehaviour() == HaltBehaviour.RETIRES) {
            if (!stretch.track().fence()) {
                jobs.haltBehaviour(HaltBehaviour.STICKS);
                device.reset();
                stretch.track().flush();
            }
        } else if (clock.nanos() - progressNanos < plateau(stretch)) {
            return false;
        } else {
            // The driver may go on owning the job: only a reset says that it is over.
            device.reset();
        }
        stretch.advance();
        return true;
    }

    /**
     * A job of several cores may retire on none of them before all have ended, so that nothing which is submitted behind it
     * would prove more.
     */
    private boolean mayBeProven() {
        if (isJoint) {
            for (Stretch stretch : stretches) {
                if (!stretch.stands()) {
                    return false;
                }
            }
        }
        return true;
    }

    private static long plateau(Stretch stretch) {
        return PLATEAU_NANOS + (long) (stretch.nextShape().bBytes() / SLOW_BYTES_PER_NANO);
    }

    /** When {@link #poll} has something to do although no doorbell rings. */
    long deadlineNanos() {
        long wait = MISS_NANOS;
        for (Stretch stretch : stretches) {
            if (!stretch.isSettled() && stretch.isBeingCut() && stretch.stands() && mayBeProven()) {
                wait = Math.min(wait, plateau(stretch));
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
        for (Stretch stretch : stretches) {
            if (!stretch.isSettled()) {
                stretch.advance();
                // A stop that a reset overtook is done: nothing runs any more.
                if (stretch.left() == 0 || stretch.isStopping()) {
                    stretch.settle();
                } else {
                    all = false;
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
        for (Stretch stretch : stretches) {
            if (!stretch.isSettled()) {
                busy |= stretch.track().core().mask();
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
        for (Stretch stretch : stretches) {
            if (!stretch.isSettled()) {
                stretch.track().core().becomeStuck();
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
            for (Stretch stretch : stretches) {
                jobs.giveBack(stretch.track());
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
        for (Stretch stretch : stretches) {
            if (!stretch.isSettled() && !stretch.isStopping()) {
                boolean rang = switch (strategy) {
                    case HALT -> stretch.cut();
                    case DRAIN -> stretch.drain();
                    case CHUNK -> false;
                };
                if (rang) {
                    progressNanos = clock.nanos();
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
        Stretch stretch = stretches[0];
        if (poll() || stretch.isStopping()) {
            return progress();
        }
        if (stretch.cut(step)) {
            progressNanos = clock.nanos();
        }
        return stretch.lastStep();
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
