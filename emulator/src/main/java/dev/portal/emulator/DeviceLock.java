package dev.portal.emulator;

import dev.portal.base.Clock;
import dev.portal.base.Timers;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The one lock of an emulated device, with waits on its clock. Events of the device run under it; a wait gives it up, so
 * that events and other callers go on.
 */
public final class DeviceLock implements Timers {
    private final ReentrantLock lock = new ReentrantLock();
    private final Clock clock;
    private final Timers timers;
    private final Set<Thread> waiters = new HashSet<>();

    public DeviceLock(Clock clock, Timers timers) {
        this.clock = clock;
        this.timers = timers;
    }

    public void lock() {
        lock.lock();
    }

    public void unlock() {
        lock.unlock();
    }

    /** Books an event that runs under the lock. */
    @Override
    public void at(long atNanos, Runnable event) {
        timers.at(atNanos, () -> {
            lock.lock();
            try {
                event.run();
            } finally {
                lock.unlock();
            }
        });
    }

    /**
     * Waits for a condition, the lock given up meanwhile. The caller holds the lock once.
     *
     * @return whether it came true by {@code deadlineNanos}
     */
    public boolean await(BooleanSupplier condition, long deadlineNanos) {
        Thread self = Thread.currentThread();
        while (!condition.getAsBoolean()) {
            if (clock.nanos() >= deadlineNanos) {
                return false;
            }
            waiters.add(self);
            lock.unlock();
            try {
                clock.parkUntil(deadlineNanos);
            } finally {
                lock.lock();
                waiters.remove(self);
            }
        }
        return true;
    }

    /** Lets time pass. */
    public void sleep(long nanos) {
        if (nanos > 0) {
            await(() -> false, clock.nanos() + nanos);
        }
    }

    /** Something changed that a waiter may look at. */
    public void wakeWaiters() {
        waiters.forEach(clock::unpark);
    }
}
