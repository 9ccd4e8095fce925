package dev.portal.base;

import java.util.concurrent.locks.LockSupport;

/** The machine's clock. Constructed by the wiring and by benchmarks; everything else is handed a {@link Clock}. */
public final class SystemClock implements Clock {
    private final long origin = System.nanoTime();

    @Override
    public long nanos() {
        return System.nanoTime() - origin;
    }

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public void spin() {
        Thread.onSpinWait();
    }

    @Override
    public void parkUntil(long deadlineNanos) {
        if (deadlineNanos == NEVER) {
            LockSupport.park(this);
            return;
        }
        long remaining = deadlineNanos - nanos();
        if (remaining > 0) {
            LockSupport.parkNanos(this, remaining);
        }
    }

    @Override
    public void unpark(Thread thread) {
        LockSupport.unpark(thread);
    }
}
