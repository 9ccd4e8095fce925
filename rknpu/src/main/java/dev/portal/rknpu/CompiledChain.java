package dev.portal.rknpu;

import dev.portal.kernel.DeviceException;
import java.util.List;

/**
 * A chain that is encoded once and run many times (seed section 6, regime A): a run copies A, seeds the doorbells and
 * submits. Nothing is encoded or allocated for it.
 *
 * <pre>{@code
 * try (CompiledChain chain = device.compile(steps)) {
 *     for (each token) {
 *         // write the token into the segments that the steps name as A
 *         chain.run();   // C has the results
 *     }
 * }
 * }</pre>
 *
 * <p>Addresses are part of the programs: once a buffer of a step is closed the chain is invalid and refuses to run (Q15).
 *
 * <p>One thread at a time. Closing gives its programs back; B and C are the caller's.
 */
public final class CompiledChain implements AutoCloseable {
    /** Steps of a compiled chain. */
    public static final int MAX_STEPS = 512;

    private final StepTable table;
    private final Flight flight;
    private final DeviceBuffer staging;
    private boolean closed;

    private CompiledChain(StepTable table, Flight flight, DeviceBuffer staging) {
        this.table = table;
        this.flight = flight;
        this.staging = staging;
    }

    static CompiledChain compile(RknpuDevice device, List<ChainStep> steps, ChainOptions options) {
        if (steps.isEmpty() || steps.size() > MAX_STEPS) {
            throw new IllegalArgumentException(steps.size() + " steps; a compiled chain has 1 to " + MAX_STEPS);
        }
        Chain.checkCores(device, options);
        StepTable table = new StepTable(steps);
        if (table.type() != MatmulType.INT8_INT32 && !options.asynchronousHalf()) {
            throw new ProgramRefusedException("a compiled chain of fp16 steps runs without waiting, which is not"
                    + " reliable on boards (seed section 7b); use Matmul, or ask for asynchronousHalf");
        }
        int cores = Math.min(options.cores(), steps.size());
        Flight flight = Flights.encode(
                device,
                table,
                options,
                cores,
                "a compiled chain of " + steps.size() + " steps on " + cores + " core(s)");
        return new CompiledChain(table, flight, flight.staging());
    }

    public int steps() {
        return table.size();
    }

    /** Whether every buffer that its programs name is open. */
    public boolean isValid() {
        return !closed && table.isOpen();
    }

    /**
     * Copies A, submits and waits; C has the results then.
     *
     * @throws IllegalStateException when it runs already, was closed, or a buffer of it was closed
     * @throws DeviceException.TimedOut when it got lost as often as it may; its buffers are parked until a reset
     */
    public void run() {
        begin();
        end();
    }

    /** Copies A, submits and returns. */
    public void begin() {
        refresh();
        flight.launch(MAX_STEPS);
    }

    /** Copies A, and forgets the results of the last run. */
    void refresh() {
        if (closed) {
            throw new IllegalStateException(flight + " is closed");
        }
        if (!table.isOpen()) {
            throw new IllegalStateException(flight
                    + " names a buffer that was closed: another one may be at its address" + " now. Compile it again");
        }
        flight.revive();
        flight.rewind();
        table.stage(staging);
    }

    /** Index of the last step before the first that is not done; -1 when step 0 is not. */
    public int progress() {
        flight.poll();
        return flight.progress();
    }

    /** Steps that are not known to be done. */
    public int remaining() {
        return steps() - (progress() + 1);
    }

    /** Waits for the end; returns how many steps from the first on were computed. */
    public int end() {
        flight.await();
        table.writeBack(0, steps());
        return flight.progress() + 1;
    }

    Flight flight() {
        return flight;
    }

    StepTable table() {
        return table;
    }

    /** Ends a run that is under way, and gives the programs back. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (!flight.isParked()) {
                flight.stop(StopStrategy.DRAIN);
                flight.await();
            }
        } finally {
            flight.abandon();
        }
    }

    @Override
    public String toString() {
        return flight.toString();
    }
}
