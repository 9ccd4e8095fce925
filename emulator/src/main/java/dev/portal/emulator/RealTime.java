package dev.portal.emulator;

import dev.portal.base.Clock;
import dev.portal.base.Timers;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * The machine's time with the emulator's events in it: whoever polls or waits on this clock, or enters the emulated
 * kernel, lets the events run that are due. There is no thread behind it, so an emulated chip stands still while nobody
 * looks, and catches up at the next look.
 *
 * <p>Any thread may call. Events run one at a time, in order of time and booking.
 */
public final class RealTime implements Clock, Timers {
    private record Event(long atNanos, long sequence, Runnable action) {}

    private final Clock machine;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::sequence));
    private final Object running = new Object();
    private long sequence;

    public RealTime(Clock machine) {
        this.machine = machine;
    }

    /** Runs what is due and says how much that was. */
    public int runDue() {
        int count = 0;
        synchronized (running) {
            while (true) {
                Event next;
                synchronized (events) {
                    next = events.peek();
                    if (next == null || next.atNanos() > machine.nanos()) {
                        return count;
                    }
                    events.remove();
                }
                next.action().run();
                count++;
            }
        }
    }

    @Override
    public void at(long atNanos, Runnable event) {
        synchronized (events) {
            events.add(new Event(atNanos, sequence++, event));
        }
    }

    @Override
    public long nanos() {
        return machine.nanos();
    }

    @Override
    public long wallMillis() {
        return machine.wallMillis();
    }

    @Override
    public void spin() {
        if (runDue() == 0) {
            machine.spin();
        }
    }

    @Override
    public void parkUntil(long deadlineNanos) {
        runDue();
        long next;
        synchronized (events) {
            Event first = events.peek();
            next = first == null ? NEVER : first.atNanos();
        }
        long until = Math.min(deadlineNanos, next);
        if (until > machine.nanos()) {
            machine.parkUntil(until);
        }
        runDue();
    }

    @Override
    public void unpark(Thread thread) {
        machine.unpark(thread);
    }
}
