package dev.portal.rknpu;

import java.util.concurrent.atomic.AtomicLongArray;

/** How often each named recovery was needed (design 5.5). Any thread may read. */
public final class Counters {
    /** What went wrong and was put right. */
    public enum Recovery {
        /** Submit answered EINVAL or EBUSY and was tried again (Q7). */
        TRANSIENT(0),
        /** A job never completed and was submitted again after the driver's reset (Q8). */
        LOST_DISPATCH(1),
        /** A throw-away pass over a cold core (Q5). */
        WARM_UP(2),
        /** We reset the device. */
        RESET(3),
        /** Steps of a chain that did not land in time and were submitted again (Q8). */
        RESUBMITTED(4),
        /** A chain that never completed; its buffers stay until the next reset (design 5.3). */
        PARKED(5);

        private final int slot;

        Recovery(int slot) {
            this.slot = slot;
        }
    }

    private final AtomicLongArray counts = new AtomicLongArray(Recovery.values().length);

    public long get(Recovery recovery) {
        return counts.get(recovery.slot);
    }

    void count(Recovery recovery) {
        counts.incrementAndGet(recovery.slot);
    }
}
