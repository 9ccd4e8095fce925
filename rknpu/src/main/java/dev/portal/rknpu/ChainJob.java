package dev.portal.rknpu;

import dev.portal.kernel.DeviceException;
import dev.portal.scheduler.Admission.Declaration;
import dev.portal.scheduler.CoreLoans;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuPriority;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import java.util.ArrayList;
import java.util.List;

/**
 * A compiled chain as a job of the arbiter: the preempt flag becomes the driver's halt.
 *
 * <pre>
 *   flag set ──► stop at the first program that the controller has not fetched ──► the job retires ──► Yielded
 *                                                                                       │
 *                what has not landed is submitted ◄── the arbiter runs the job again ◄──┘
 * </pre>
 *
 * <p>Under an arbiter a chain of several cores has the core of its lane, and borrows others while their lanes are idle
 * ({@link CoreLoans}). Stretches that got no core run afterwards on those that it has. A core that its lane wants back is
 * given back at the next program boundary: the launch is stopped in the same way, and the rest goes on without it.
 *
 * <p>The flag is looked at with the doorbells. However often and wherever the job is stopped, the results are those of an
 * undisturbed run: a step is either done, or done later by the same program on the same operands. Each call gets at least
 * one step done. Completed means that C is visible to the processor; the job can then be submitted again for the next run.
 * A chain that never ends fails the job, which the arbiter tells its monitor; submitted again, it resets the device and goes
 * on where it stood.
 *
 * <p>One thread at a time; the arbiter may use another one for each call. The chain stays the caller's.
 */
public final class ChainJob implements NpuJob {
    /** Steps of a job under {@link StopStrategy#CHUNK}. */
    public static final int CHUNK_STEPS = 4;

    /** A submit, from the call to the first program and from the last one to its end (spec 10: one submit floor). */
    private static final long FLOOR_NANOS = 167_000;

    /** Programs that still run once the flag is seen: the running one, the fetched one, the one that is patched. */
    private static final int PROGRAMS_TO_STOP = Track.FETCHED_AHEAD + 1;

    /** A minimal program with its link, with room. */
    private static final long MINIMAL_NANOS = 2_000;

    /** Memory bandwidth of a core while all three stream (spec 10: 20 GB/s for three). */
    private static final double BYTES_PER_NANO = 20.0 / 3;

    private static final long PROGRAM_FLOOR_NANOS = 2_000;

    private final CompiledChain chain;
    private final NpuWorkload workload;
    private final NpuPriority priority;
    private final StopStrategy strategy;
    private final int chunk;
    private final String label;
    private boolean begun;
    private int stops;

    /** Cores of other lanes that the present call has, and launches that ended because one was wanted. */
    private int lent;

    private int returns;

    /**
     * @param chain what it runs
     * @param strategy how it is stopped; {@link StopStrategy#of} chooses by what was measured
     */
    public ChainJob(CompiledChain chain, NpuWorkload workload, StopStrategy strategy) {
        this(chain, workload, workload.conventionalPriority(), strategy, CHUNK_STEPS);
    }

    /** @param chunk steps of a job under {@link StopStrategy#CHUNK}, at least 1 */
    public ChainJob(CompiledChain chain, NpuWorkload workload, NpuPriority priority, StopStrategy strategy, int chunk) {
        if (chunk < 1) {
            throw new IllegalArgumentException("chunks of " + chunk + " steps");
        }
        this.chain = chain;
        this.workload = workload;
        this.priority = priority;
        this.strategy = strategy;
        this.chunk = chunk;
        label = "chain of " + chain.steps() + ", " + strategy;
    }

    @Override
    public NpuWorkload workload() {
        return workload;
    }

    @Override
    public NpuPriority priority() {
        return priority;
    }

    /** Names the strategy, for the trace. */
    @Override
    public String label() {
        return label;
    }

    /** Steps of the present run that are done. */
    public int stepsDone() {
        return chain.flight().landedSteps();
    }

    /** How often it was made to stop since it was made. */
    public int stops() {
        return stops;
    }

    /** How often it stopped because a core that it had borrowed was wanted. */
    public int returns() {
        return returns;
    }

    @Override
    public NpuJobResult execute(Preemption preemption) {
        Flight flight = chain.flight();
        if (!begun) {
            preemption.enter(Preemption.Phase.COPY_IN);
            chain.refresh();
            begun = true;
        }
        preemption.enter(Preemption.Phase.DEVICE);
        flight.revive();
        CoreLoans loans = preemption.loans();
        lent = 0;
        try {
            if (!run(flight, preemption, loans)) {
                return NpuJobResult.YIELDED;
            }
        } finally {
            land(flight);
            giveBack(loans, lent);
        }
        preemption.enter(Preemption.Phase.COPY_OUT);
        begun = false;
        chain.table().writeBack(0, chain.steps());
        return NpuJobResult.DONE;
    }

    /** Whether it got to the end; otherwise it was asked to stop. Either way nothing is under way afterwards. */
    private boolean run(Flight flight, Preemption preemption, CoreLoans loans) {
        boolean stopping = false;
        while (!flight.isComplete()) {
            if (stopping) {
                return false;
            }
            giveBack(loans, loans.wanted());
            borrow(flight, loans);
            flight.launch(strategy == StopStrategy.CHUNK ? chunk : CompiledChain.MAX_STEPS, loans.own() | lent);
            boolean returning = false;
            while (!flight.poll()) {
                if (!stopping && preemption.requested()) {
                    stopping = true;
                    stops++;
                    flight.stop(strategy);
                } else if (!stopping && !returning && isWanted(flight, loans)) {
                    returning = true;
                    returns++;
                    flight.stop(strategy);
                } else {
                    flight.spin();
                }
            }
            stopping |= preemption.requested();
        }
        return true;
    }

    /** Gives back what is wanted and idle; says whether something else is wanted. */
    private boolean isWanted(Flight flight, CoreLoans loans) {
        int wanted = loans.wanted() & lent;
        if (wanted == 0) {
            return false;
        }
        giveBack(loans, flight.vacate(wanted));
        return (wanted & lent) != 0;
    }

    /** Asks for cores of idle lanes, as many as there are stretches that have none; those above that go back. */
    private void borrow(Flight flight, CoreLoans loans) {
        int homes = flight.homes();
        int missing = Integer.bitCount(homes) - Integer.bitCount(loans.own() | lent);
        for (; missing < 0 && lent != 0; missing++) {
            giveBack(loans, Integer.lowestOneBit(lent));
        }
        int candidates = homes & ~(loans.own() | lent);
        while (missing > 0 && candidates != 0) {
            int core = Integer.lowestOneBit(candidates);
            candidates &= ~core;
            int granted = loans.borrow(core);
            lent |= granted;
            missing -= Integer.bitCount(granted);
        }
    }

    private void giveBack(CoreLoans loans, int cores) {
        int back = cores & lent;
        if (back != 0) {
            lent &= ~back;
            loans.giveBack(back);
        }
    }

    /** After a failure that is not the flight's own: a core goes back only when nothing is under way on it. */
    private static void land(Flight flight) {
        if (flight.isFlying()) {
            try {
                flight.stop(StopStrategy.DRAIN);
                flight.await();
            } catch (DeviceException e) {
                // It is parked now, which its next run says, too: who takes one of its cores resets it first.
            }
        }
    }

    /**
     * The longest time from the flag to the yield: the programs that cannot be stopped any more, what the strategy adds,
     * and one submit. Computed from the operands' bytes at the bandwidth of a core while all cores stream.
     */
    @Override
    public long segmentNanos() {
        long program = longestProgramNanos();
        int steps = chain.steps();
        int unstoppable = Math.min(steps, PROGRAMS_TO_STOP);
        return FLOOR_NANOS
                + switch (strategy) {
                    case HALT -> unstoppable * program + FLOOR_NANOS;
                    case DRAIN -> unstoppable * program + (steps - unstoppable) * MINIMAL_NANOS;
                    case CHUNK -> Math.min(steps, chunk) * program;
                };
    }

    /** Its time in all, cut into pieces of at most {@link #segmentNanos()}: what the response-time analysis takes. */
    public List<Long> segments() {
        long segment = segmentNanos();
        List<Long> pieces = new ArrayList<>();
        for (long left = costNanos(); left > 0; left -= segment) {
            pieces.add(Math.min(left, segment));
        }
        return pieces;
    }

    /** What it promises to the admission: its segments, at most one run in {@code periodNanos}. */
    public Declaration declaration(long periodNanos, long deadlineNanos) {
        return new Declaration(workload, priority, periodNanos, segments(), deadlineNanos);
    }

    private long costNanos() {
        long sum = 0;
        for (int i = 0; i < chain.steps(); i++) {
            sum += programNanos(i);
        }
        int jobs = strategy == StopStrategy.CHUNK ? Math.ceilDiv(chain.steps(), chunk) : 1;
        return sum + jobs * FLOOR_NANOS;
    }

    private long longestProgramNanos() {
        long longest = 0;
        for (int i = 0; i < chain.steps(); i++) {
            longest = Math.max(longest, programNanos(i));
        }
        return longest;
    }

    private long programNanos(int step) {
        MatmulShape shape = chain.table().shape(step);
        return PROGRAM_FLOOR_NANOS + (long) ((shape.aBytes() + shape.bBytes()) / BYTES_PER_NANO);
    }
}
