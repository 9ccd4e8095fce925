package dev.portal.scheduler;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A lock for critical sections of tens of nanoseconds: spins, and gives up the processor when the holder seems to have
 * lost its own. Not reentrant, not fair, never held while a job, a listener or a future runs.
 */
final class SpinLock {
    private static final int SPINS = 200;

    private final AtomicBoolean held = new AtomicBoolean();

    @SuppressWarnings("ThreadPriorityCheck") // yielding is what lets a preempted holder go on
    void lock() {
        int spins = 0;
        while (held.getOpaque() || !held.compareAndSet(false, true)) {
            if (++spins < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    void unlock() {
        held.setRelease(false);
    }
}
