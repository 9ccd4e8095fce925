package dev.portal.hexagon;

import dev.portal.base.Clock;
import java.util.concurrent.atomic.AtomicLong;

/** Time that a test moves, for several threads: a wait passes it at once. */
final class TestClock implements Clock {
    private final AtomicLong now = new AtomicLong(1);

    void advance(long nanos) {
        now.addAndGet(nanos);
    }

    @Override
    public long nanos() {
        return now.get();
    }

    @Override
    public long wallMillis() {
        return now.get() / 1_000_000;
    }

    @Override
    public void spin() {
        Thread.onSpinWait();
    }

    @Override
    public void parkUntil(long deadlineNanos) {
        if (deadlineNanos != NEVER) {
            now.accumulateAndGet(deadlineNanos, Math::max);
        }
        Thread.onSpinWait();
    }

    @Override
    public void unpark(Thread thread) {}
}
