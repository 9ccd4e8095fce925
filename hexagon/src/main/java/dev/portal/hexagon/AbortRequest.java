package dev.portal.hexagon;

import dev.portal.scheduler.Preemption;

/** Carries a preemption to the control block of a running graph. The watchdog polls it; at most one abort is written. */
final class AbortRequest {
    private final Preemption preemption;
    private final ControlBlock control;
    private volatile boolean sent;

    AbortRequest(Preemption preemption, ControlBlock control) {
        this.preemption = preemption;
        this.control = control;
    }

    void poll() {
        if (!sent && preemption.requested()) {
            sent = true;
            control.abort();
        }
    }
}
