package dev.portal.scheduler;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What can be set about the arbiter. The constants are the scheduling seed's.
 *
 * @param cores 1, or 3 and more: the home cores are 0, 1 and 2
 * @param lanesPerDevice how many cores of the device can compute at once, 1 to {@code cores}
 * @param queueCapacity jobs that may wait for one core
 * @param starvationNanos how long speech recognition may be served while other work waits
 * @param degradeThreshold consecutive failures that make the device DEGRADED
 * @param fallbackThreshold consecutive failures that put it out of use
 * @param recoveryNanos time without a failure before a success ends DEGRADED
 * @param memoryWarningBytes registered models above this are warned of
 * @param displacement whether a HIGH arrival at a full queue displaces the newest of the lowest waiting entries
 * @param spinNanos how long a lane without work, or a caller that waits, polls before it parks; 0 parks at once
 * @param canary what may bring a device back from FALLBACK; null for nothing but {@code setStatus}
 * @param reservation what the language model gets where it shares run tokens; null, as in the seed, for nothing
 */
public record SchedulerOptions(
        int cores,
        int lanesPerDevice,
        int queueCapacity,
        long starvationNanos,
        int degradeThreshold,
        int fallbackThreshold,
        long recoveryNanos,
        long memoryWarningBytes,
        boolean displacement,
        long spinNanos,
        @Nullable Canary canary,
        @Nullable Reservation reservation) {
    public static final int CORE1_QUEUE_CAPACITY = 16;
    public static final int STARVATION_THRESHOLD_SECS = 30;
    public static final int DEGRADE_THRESHOLD = 3;
    public static final int FALLBACK_THRESHOLD = 10;
    public static final int RECOVERY_WINDOW_SECS = 60;
    /** 100 MB, of 1024 * 1024 bytes each. */
    public static final long MEMORY_WARNING_BYTES = 100L * 1024 * 1024;
    /** {@link #spinNanos()} of the spinning mode. */
    public static final long SPINNING_NANOS = 50_000;

    private static final long SECOND = 1_000_000_000L;

    /**
     * A probe that runs while the status is FALLBACK; after {@link #GOOD_PROBES} good ones in a row the status is
     * HEALTHY.
     *
     * @param probe makes a small job that is known to work
     * @param periodNanos from one probe to the next
     */
    public record Canary(Supplier<? extends NpuJob> probe, long periodNanos) {
        public static final int GOOD_PROBES = 3;

        public Canary {
            require(periodNanos > 0, "canary period", periodNanos);
        }
    }

    /**
     * The language model's share under continuous speech: once it has waited for {@code everyNanos} without a segment, it
     * goes before all waiting work but a starved job, for {@code quantumNanos} and at least one segment (spec 5.2:
     * budget and period). {@link ReservationBound} is what it gives and costs.
     *
     * @param everyNanos from the end of its last dispatch, or the arrival of its job; above 0, an hour at most
     * @param quantumNanos how long it may go on before it obeys its flag again; 0 for one segment
     */
    public record Reservation(long everyNanos, long quantumNanos) {
        public Reservation {
            require(everyNanos > 0 && everyNanos <= 3600 * SECOND, "everyNanos of the reservation", everyNanos);
            require(
                    quantumNanos >= 0 && quantumNanos <= 3600 * SECOND,
                    "quantumNanos of the reservation",
                    quantumNanos);
        }

        /**
         * The longest that one turn of it takes.
         *
         * @param segmentNanos the language model's longest segment
         */
        public long turnNanos(long segmentNanos) {
            return quantumNanos + segmentNanos;
        }
    }

    public SchedulerOptions {
        if (cores != 1 && (cores < 3 || cores > 32)) {
            throw new IllegalArgumentException("cores is " + cores
                    + "; it is 1, where everything shares core 0, or 3 to 32, since the home cores are 0, 1 and 2");
        }
        require(lanesPerDevice >= 1 && lanesPerDevice <= cores, "lanesPerDevice", lanesPerDevice);
        require(queueCapacity >= 1, "queueCapacity", queueCapacity);
        require(starvationNanos > 0, "starvationNanos", starvationNanos);
        require(degradeThreshold >= 1, "degradeThreshold", degradeThreshold);
        require(fallbackThreshold >= degradeThreshold, "fallbackThreshold", fallbackThreshold);
        require(recoveryNanos >= 0, "recoveryNanos", recoveryNanos);
        require(memoryWarningBytes >= 0, "memoryWarningBytes", memoryWarningBytes);
        require(spinNanos >= 0, "spinNanos", spinNanos);
    }

    private static void require(boolean holds, String name, long value) {
        if (!holds) {
            throw new IllegalArgumentException(name + " is " + value + ", which is out of its range");
        }
    }

    /** Three cores, all of which compute at once. */
    public static SchedulerOptions defaults() {
        return of(3, 3);
    }

    /** One core for everything. */
    public static SchedulerOptions singleCore() {
        return of(1, 1);
    }

    /** What fits a detected device. */
    public static SchedulerOptions of(NpuDetection detection) {
        return of(detection.cores(), detection.lanesPerDevice());
    }

    private static SchedulerOptions of(int cores, int lanesPerDevice) {
        return new SchedulerOptions(
                cores,
                lanesPerDevice,
                CORE1_QUEUE_CAPACITY,
                STARVATION_THRESHOLD_SECS * SECOND,
                DEGRADE_THRESHOLD,
                FALLBACK_THRESHOLD,
                RECOVERY_WINDOW_SECS * SECOND,
                MEMORY_WARNING_BYTES,
                false,
                0,
                null,
                null);
    }

    /** The same with other run tokens: how many cores compute at once. */
    public SchedulerOptions withLanesPerDevice(int lanes) {
        return copy(lanes, displacement, spinNanos, canary, reservation);
    }

    /** The same with or without displacement from a full queue. */
    public SchedulerOptions withDisplacement(boolean on) {
        return copy(lanesPerDevice, on, spinNanos, canary, reservation);
    }

    /** The same, polling for so long before parking. */
    public SchedulerOptions withSpinNanos(long nanos) {
        return copy(lanesPerDevice, displacement, nanos, canary, reservation);
    }

    /** The same with a way out of FALLBACK. */
    public SchedulerOptions withCanary(Canary way) {
        return copy(lanesPerDevice, displacement, spinNanos, way, reservation);
    }

    /** The same with a reservation for the language model; null for none. */
    public SchedulerOptions withReservation(@Nullable Reservation share) {
        return copy(lanesPerDevice, displacement, spinNanos, canary, share);
    }

    /** What the withers change; the constants stay. */
    private SchedulerOptions copy(
            int lanes, boolean displaces, long spins, @Nullable Canary way, @Nullable Reservation share) {
        return new SchedulerOptions(
                cores,
                lanes,
                queueCapacity,
                starvationNanos,
                degradeThreshold,
                fallbackThreshold,
                recoveryNanos,
                memoryWarningBytes,
                displaces,
                spins,
                way,
                share);
    }
}
