package dev.portal.llm.decoder;

import dev.portal.base.Clock;
import org.jspecify.annotations.Nullable;

/**
 * How the processor's part of a split takes up the device's time. On a board it does by itself. The time of an emulated
 * device stands still while this machine computes; there, the part's time is let pass on the device's clock once the part
 * is computed, and what the chip does meanwhile happens meanwhile.
 *
 * <pre>
 *   device's clock   began ──────── joined ───────────────── end
 *   helpers          [ threads - 1 of them work ............. ]
 *   caller           [ hands in   ] [ works along .......... ]
 * </pre>
 *
 * <p>Immutable, but for the clocks.
 */
public final class ProcessorTime {
    /** No clock at all: for who wants neither times nor spans. */
    public static final ProcessorTime NONE = new ProcessorTime(null, null, 0, false);

    private final @Nullable Clock device;
    private final @Nullable Clock host;
    private final double bytesPerNano;
    private final boolean passes;

    private ProcessorTime(@Nullable Clock device, @Nullable Clock host, double bytesPerNano, boolean passes) {
        this.device = device;
        this.host = host;
        this.bytesPerNano = bytesPerNano;
        this.passes = passes;
    }

    /** A board, which works while the processor does. */
    public static ProcessorTime byItself(Clock clock) {
        return new ProcessorTime(clock, clock, 0, false);
    }

    /**
     * An emulated device: the part takes as long as this machine's threads worked on it.
     *
     * @param device on which that time passes
     * @param host that measures it
     */
    public static ProcessorTime measured(Clock device, Clock host) {
        return new ProcessorTime(device, host, 0, true);
    }

    /**
     * An emulated device beside a processor of a given speed, so that a run is reproducible.
     *
     * @param bytesPerNano weights that all threads of the team read together, above 0
     */
    public static ProcessorTime atRate(Clock device, double bytesPerNano) {
        if (!(bytesPerNano > 0)) {
            throw new IllegalArgumentException("a processor that reads " + bytesPerNano + " bytes in a nanosecond");
        }
        return new ProcessorTime(device, null, bytesPerNano, true);
    }

    /** The device's time; 0 without a clock. */
    long now() {
        return device == null ? 0 : device.nanos();
    }

    /** The clock that measures threads; null where nothing is measured. */
    @Nullable
    Clock host() {
        return host;
    }

    /** Whether the processor's time has to be let pass. */
    boolean passes() {
        return passes;
    }

    /**
     * What the threads of a team spend together on so many weights.
     *
     * @param measuredNanos what they spent on this machine
     */
    long threadNanos(long measuredNanos, long bytes, int threads) {
        return bytesPerNano > 0 ? Math.round(bytes / bytesPerNano * threads) : measuredNanos;
    }

    /**
     * Lets the time of a part pass that the helpers began at {@code began} and the caller joined now.
     *
     * @param threadNanos what all threads work together
     * @param look run after each event on the device's clock
     * @return when the part ends
     */
    long pass(long began, int threads, long threadNanos, Runnable look) {
        if (!passes || device == null) {
            return now();
        }
        long joined = device.nanos();
        long ahead = (threads - 1) * (joined - began);
        if (ahead >= threadNanos) {
            return threads == 1 ? joined : began + threadNanos / (threads - 1);
        }
        long end = joined + (threadNanos - ahead) / threads;
        while (device.nanos() < end) {
            device.parkUntil(end);
            look.run();
        }
        return end;
    }
}
