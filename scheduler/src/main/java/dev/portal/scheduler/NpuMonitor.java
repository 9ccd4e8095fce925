package dev.portal.scheduler;

import dev.portal.base.Clock;

/**
 * The device's health from the results of its jobs, as a table of state and event:
 *
 * <pre>
 *              success                                 failure
 *   HEALTHY    HEALTHY                                 3rd in a row: DEGRADED
 *   DEGRADED   60 s or more since the last failure:    10th in a row: FALLBACK
 *              HEALTHY, else DEGRADED
 *   FALLBACK   FALLBACK                                FALLBACK
 * </pre>
 *
 * A success sets the count of consecutive failures to 0 at once, whatever the status. FALLBACK is left by {@link
 * #setStatus} only, which the canary uses too.
 *
 * <p>Any thread. Writers hold the monitor's lock; a success in good health, which is the usual event, is one volatile
 * read. The listener is called inside the lock, in order, and must not call back.
 */
public final class NpuMonitor {
    /** How far the device can be relied on. */
    public enum Status {
        HEALTHY,
        /** It fails often; jobs still go to it. */
        DEGRADED,
        /** It is out of use; engines use the CPU lanes. */
        FALLBACK
    }

    /** Told of each change. */
    @FunctionalInterface
    public interface Listener {
        /** The status changed after {@code consecutiveFailures} failures in a row. */
        void changed(Status from, Status to, int consecutiveFailures);
    }

    private record State(Status status, int consecutiveFailures, long lastFailureNanos) {}

    private final Clock clock;
    private final int degradeThreshold;
    private final int fallbackThreshold;
    private final long recoveryNanos;
    private final Listener listener;
    private volatile State state;

    /** A monitor that starts as {@code initial}. */
    public NpuMonitor(Clock clock, SchedulerOptions options, Status initial, Listener listener) {
        this.clock = clock;
        this.degradeThreshold = options.degradeThreshold();
        this.fallbackThreshold = options.fallbackThreshold();
        this.recoveryNanos = options.recoveryNanos();
        this.listener = listener;
        this.state = new State(initial, 0, 0);
    }

    /** A job of the device completed. */
    public void recordSuccess() {
        State before = state;
        if (before.status == Status.HEALTHY && before.consecutiveFailures == 0) {
            return;
        }
        synchronized (this) {
            State now = state;
            boolean recovered = now.status == Status.DEGRADED && clock.nanos() - now.lastFailureNanos >= recoveryNanos;
            become(new State(recovered ? Status.HEALTHY : now.status, 0, now.lastFailureNanos));
        }
    }

    /** A job of the device failed. */
    public synchronized void recordFailure() {
        int failures = state.consecutiveFailures + 1;
        Status next = state.status;
        if (failures >= fallbackThreshold) {
            next = Status.FALLBACK;
        } else if (failures >= degradeThreshold && next == Status.HEALTHY) {
            next = Status.DEGRADED;
        }
        become(new State(next, failures, clock.nanos()));
    }

    /** Forces the status: FALLBACK when detection finds nothing, HEALTHY after a repair. Clears the count. */
    public synchronized void setStatus(Status status) {
        become(new State(status, 0, state.lastFailureNanos));
    }

    private void become(State next) {
        State before = state;
        state = next;
        if (before.status != next.status) {
            listener.changed(
                    before.status, next.status, Math.max(before.consecutiveFailures, next.consecutiveFailures));
        }
    }

    public Status status() {
        return state.status;
    }

    /** Failures since the last success. */
    public int consecutiveFailures() {
        return state.consecutiveFailures;
    }
}
