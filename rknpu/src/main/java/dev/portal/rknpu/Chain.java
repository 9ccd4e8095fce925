package dev.portal.rknpu;

import dev.portal.hardware.rk3588.Precision;
import dev.portal.kernel.DeviceException;
import java.util.List;

/**
 * Matrix products that run one after the other without the processor: submitted in one call, watched, stopped before
 * their end, ended (seed sections 1 to 4).
 *
 * <pre>{@code
 * try (Chain chain = device.begin(steps)) {
 *     while (chain.progress() < 3) { ... }   // the processor does something else
 *     chain.halt(8);                         // steps 9 and up are not needed after all
 *     int computed = chain.end();            // 9
 * }
 * }</pre>
 *
 * <p>The outputs of steps that were not computed hold what they held, but for the doorbell in the last column of each row.
 *
 * <p>One thread at a time; another one may go on where the first stopped.
 */
public final class Chain implements AutoCloseable {
    /** Steps of one chain. */
    public static final int MAX_STEPS = 1024;

    private static final int SEED_K_GRANULE = 512;
    private static final int SEED_MAX_K = 4096;
    private static final int SEED_MAX_N = 8192;

    private final StepTable table;
    private final Flight flight;
    private final int cores;
    private boolean ended;

    private Chain(StepTable table, Flight flight, int cores) {
        this.table = table;
        this.flight = flight;
        this.cores = cores;
    }

    /** What the seed's first version takes (seed section 3). */
    static void checkSeedLimits(ChainStep step) {
        MatmulShape shape = step.shape();
        if (shape.type() != MatmulType.INT8_INT32
                || shape.m() != 1
                || shape.k() % SEED_K_GRANULE != 0
                || shape.k() > SEED_MAX_K
                || shape.n() > SEED_MAX_N) {
            throw new ProgramRefusedException(shape + " in a chain of one core: it takes int8, M = 1, K a multiple of "
                    + SEED_K_GRANULE + " up to " + SEED_MAX_K + ", N up to " + SEED_MAX_N
                    + "; begin(steps, cores) takes what one program can do");
        }
    }

    static void checkCores(RknpuDevice device, ChainOptions options) {
        int available = device.soc().cores();
        if (options.firstCore() + options.cores() > available) {
            throw new IllegalArgumentException(options.cores() + " core(s) from core " + options.firstCore() + "; "
                    + device.soc().name() + " has " + available);
        }
    }

    static Chain begin(RknpuDevice device, List<ChainStep> steps, ChainOptions options) {
        if (steps.isEmpty() || steps.size() > MAX_STEPS) {
            throw new IllegalArgumentException(steps.size() + " steps; a chain has 1 to " + MAX_STEPS);
        }
        checkCores(device, options);
        StepTable table = new StepTable(steps);
        int cores = Math.min(options.cores(), steps.size());
        Flight flight = Flights.encode(
                device, table, options, cores, "a chain of " + steps.size() + " steps on " + cores + " core(s)");
        Chain chain = new Chain(table, flight, cores);
        try {
            if (table.type().input() != Precision.FP16) {
                flight.launch(MAX_STEPS);
            } else if (options.asynchronousHalf()) {
                // As in the seed: a real round is polled to its end before anybody else looks.
                flight.launch(MAX_STEPS);
                flight.await();
            } else {
                flight.runBlocking();
            }
        } catch (RuntimeException e) {
            flight.abandon();
            throw e;
        }
        return chain;
    }

    /** One round of a loop that polls it: time passes until something may have happened. */
    public void spin() {
        flight.spin();
    }

    /** Steps that were begun. */
    public int steps() {
        return table.size();
    }

    /** How many cores share it. */
    public int cores() {
        return cores;
    }

    /**
     * Index of the last step before the first that is not done; -1 when step 0 is not. Looks at the doorbells.
     *
     * @throws DeviceException.TimedOut when the chain got lost as often as it may
     */
    public int progress() {
        flight.poll();
        return flight.progress();
    }

    /** Steps that are not known to be done: {@code steps() - (progress() + 1)}. */
    public int remaining() {
        return steps() - (progress() + 1);
    }

    /**
     * Whether a step was computed, as far as is known. On several cores steps are done out of order; a step counts once
     * those before it on its core are done.
     */
    public boolean isDone(int step) {
        return flight.isLanded(step);
    }

    /**
     * Makes the chain end after a step, and frees the silicon early. The controller fetches ahead: when it has the step's
     * program already, the chain ends at the first one that it has not.
     *
     * @param at index of the last step that is wanted
     * @return index of the last step that may be computed, at least {@code at}; {@link #end} tells which one it was
     * @throws IllegalStateException on several cores, where there is no one place to stop
     */
    public int halt(int at) {
        if (at < 0 || at >= steps()) {
            throw new IndexOutOfBoundsException("halt after step " + at + " of " + steps());
        }
        if (cores > 1) {
            throw new IllegalStateException("a chain on " + cores
                    + " cores cannot be halted at a step: its cores are at different ones; begin it on one core");
        }
        return ended ? flight.progress() : flight.cutAfter(at);
    }

    /**
     * Makes the chain end as soon as it can.
     *
     * @param strategy how; {@link StopStrategy#CHUNK} lets it run to its end
     */
    public void stop(StopStrategy strategy) {
        if (!ended) {
            flight.stop(strategy);
        }
    }

    /**
     * Waits for the end, makes the results visible and gives everything back. Again it only returns.
     *
     * @return how many steps from the first on were computed
     * @throws DeviceException.TimedOut when the chain did not end; its buffers are parked until a reset
     */
    public int end() {
        if (!ended) {
            ended = true;
            try {
                flight.await();
                table.writeBack(0, steps());
            } finally {
                flight.abandon();
            }
        }
        return flight.progress() + 1;
    }

    /** Ends it early, if {@link #end} has not been called. */
    @Override
    public void close() {
        if (!ended && flight.isParked()) {
            ended = true;
            flight.abandon();
        } else if (!ended) {
            flight.stop(StopStrategy.DRAIN);
            end();
        }
    }
}
