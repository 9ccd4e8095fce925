package dev.portal.base;

/**
 * The only source of time. Components take one as a constructor argument, so that a thirty-second bound is tested in
 * milliseconds and replays bit for bit.
 *
 * <p>A polling loop calls {@link #spin()} each round; a wait calls {@link #parkUntil(long)}. On {@link SystemClock} they
 * spin and park the thread; on {@link VirtualClock} they let the next event happen.
 *
 * <p>Implementations are safe for use by several threads unless they say otherwise.
 */
public interface Clock {
    /** A deadline that never comes. */
    long NEVER = Long.MAX_VALUE;

    /** Monotonic time in nanoseconds from an arbitrary origin, never negative. */
    long nanos();

    /** Time of day in milliseconds since 1970-01-01 UTC; for labels, never for intervals. */
    long wallMillis();

    /** One round of a polling loop went by without news. */
    void spin();

    /**
     * One round of a polling loop that gives up at {@code deadlineNanos}: like {@link #spin()}, and time that stands still
     * goes to the deadline instead of waiting for an event that never comes.
     */
    default void spinUntil(long deadlineNanos) {
        spin();
    }

    /**
     * Waits until {@link #nanos()} reaches {@code deadlineNanos}, or the calling thread is given to {@link
     * #unpark(Thread)}, or for no reason at all: callers check their condition in a loop.
     *
     * @param deadlineNanos absolute, on the scale of {@link #nanos()}; {@link #NEVER} waits for an unpark only
     */
    void parkUntil(long deadlineNanos);

    /** Ends the present or the next {@link #parkUntil(long)} of {@code thread}. */
    void unpark(Thread thread);
}
