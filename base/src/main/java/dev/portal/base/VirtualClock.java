package dev.portal.base;

import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Time that passes only when somebody waits for it.
 *
 * <p>Events are ordered by time, then by the order in which they were booked. {@link #spin()} runs the next event; {@link
 * #parkUntil(long)} runs events up to the deadline and then stands at the deadline. A polling loop for which nothing is
 * booked would never end: {@link #spin()} then throws instead, naming the time at which the simulation stood still.
 *
 * <p>One thread runs a simulation. The methods are not synchronised.
 */
public final class VirtualClock implements Clock, Timers {
    private record Event(long atNanos, long sequence, Runnable action) {}

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::sequence));
    private final long wallMillisAtZero;
    private long now;
    private long sequence;

    public VirtualClock() {
        this(0);
    }

    /** Starts at zero nanoseconds, with the time of day that zero stands for. */
    public VirtualClock(long wallMillisAtZero) {
        this.wallMillisAtZero = wallMillisAtZero;
    }

    @Override
    public long nanos() {
        return now;
    }

    @Override
    public long wallMillis() {
        return wallMillisAtZero + now / 1_000_000;
    }

    @Override
    public void at(long atNanos, Runnable event) {
        events.add(new Event(Math.max(atNanos, now), sequence++, event));
    }

    /** The time of the next event, or {@link Clock#NEVER}. */
    public long nextEventNanos() {
        Event next = events.peek();
        return next == null ? NEVER : next.atNanos();
    }

    /** Runs the next event, if there is one. */
    public boolean runNext() {
        Event next = events.poll();
        if (next == null) {
            return false;
        }
        now = next.atNanos();
        next.action().run();
        return true;
    }

    /** Runs every event up to {@code untilNanos} inclusive, then stands there. */
    public void advanceTo(long untilNanos) {
        while (nextEventNanos() <= untilNanos) {
            runNext();
        }
        now = Math.max(now, untilNanos);
    }

    /** Runs every event within the next {@code byNanos}, then stands there. */
    public void advance(long byNanos) {
        advanceTo(now + byNanos);
    }

    @Override
    public void spin() {
        if (!runNext()) {
            throw new IllegalStateException("virtual time stands still at " + now
                    + " ns: a loop polls and no event is booked that could end it");
        }
    }

    @Override
    public void spinUntil(long deadlineNanos) {
        parkUntil(deadlineNanos);
    }

    @Override
    public void parkUntil(long deadlineNanos) {
        if (nextEventNanos() <= deadlineNanos) {
            spin();
            return;
        }
        if (deadlineNanos == NEVER) {
            spin();
        }
        now = Math.max(now, deadlineNanos);
    }

    /** Parking on a virtual clock never blocks, so there is nothing to end. */
    @Override
    public void unpark(Thread thread) {}
}
