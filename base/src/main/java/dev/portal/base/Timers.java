package dev.portal.base;

/** Where a component books something for later. Events at one time run in the order in which they were booked. */
public interface Timers {
    /**
     * Books {@code event}.
     *
     * @param atNanos absolute, on the scale of the clock that these timers belong to; a time gone by means as soon as
     *     possible
     */
    void at(long atNanos, Runnable event);
}
