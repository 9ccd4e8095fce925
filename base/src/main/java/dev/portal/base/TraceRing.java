package dev.portal.base;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * A flight recorder: the last events, in memory set aside once. Writing allocates nothing and waits for nobody; the oldest
 * events are overwritten. The count of each kind is never lost.
 *
 * <p>The kinds are an enum of the owner's, each declared once with what its fields mean.
 *
 * <p>One writer at a time: a thread, or whoever holds a lock of the owner's. Any thread may read meanwhile. A slot carries
 * a stamp, negative while it is being filled and then the event's number; a reader takes a slot only if the stamp was
 * the same before and after.
 *
 * @param <K> the kinds
 */
public final class TraceRing<K extends Enum<K>> {
    private static final int FIELDS = 6;
    private static final long FILLING = -1;

    /**
     * One event.
     *
     * @param number its position in the order of recording, from 0
     * @param kind what happened
     * @param startNanos when it began, on the owner's clock
     * @param endNanos when it ended; the same for an instant
     * @param subject whom it concerns
     * @param cause whom it was due to, as the kind says
     * @param detail as the kind says
     * @param label free text, if any
     */
    public record Event<K>(
            long number,
            K kind,
            long startNanos,
            long endNanos,
            long subject,
            long cause,
            long detail,
            @Nullable String label) {}

    private final K[] kinds;
    private final int mask;
    private final long[] fields;
    private final @Nullable String[] labels;
    private final AtomicLongArray stamps;
    private final AtomicLongArray counts;
    private final AtomicLong next = new AtomicLong();

    /**
     * A ring.
     *
     * @param kinds all kinds ({@code Kind.values()})
     * @param capacity how many events are kept; rounded up to a power of two
     */
    public TraceRing(K[] kinds, int capacity) {
        if (capacity < 1 || capacity > 1 << 24) {
            throw new IllegalArgumentException(
                    "a ring of " + capacity + " events; 1 to " + (1 << 24) + " are possible");
        }
        int size = Integer.highestOneBit(2 * capacity - 1);
        this.kinds = kinds.clone();
        this.mask = size - 1;
        this.fields = new long[size * FIELDS];
        this.labels = new String[size];
        this.stamps = new AtomicLongArray(size);
        this.counts = new AtomicLongArray(kinds.length);
    }

    /** Records an event. */
    public void record(
            K kind, long startNanos, long endNanos, long subject, long cause, long detail, @Nullable String label) {
        long number = next.getPlain();
        int slot = (int) number & mask;
        stamps.setPlain(slot, FILLING);
        VarHandle.storeStoreFence();
        int at = slot * FIELDS;
        fields[at] = kind.ordinal();
        fields[at + 1] = startNanos;
        fields[at + 2] = endNanos;
        fields[at + 3] = subject;
        fields[at + 4] = cause;
        fields[at + 5] = detail;
        labels[slot] = label;
        stamps.setRelease(slot, number + 1);
        counts.setRelease(kind.ordinal(), counts.getPlain(kind.ordinal()) + 1);
        next.setRelease(number + 1);
    }

    /** How often {@code kind} was recorded since the beginning, overwritten events included. */
    public long count(K kind) {
        return counts.getAcquire(kind.ordinal());
    }

    /** The events that are still there, oldest first. */
    public List<Event<K>> events() {
        long end = next.getAcquire();
        List<Event<K>> events = new ArrayList<>();
        for (long number = Math.max(0, end - mask - 1); number < end; number++) {
            int slot = (int) number & mask;
            if (stamps.getAcquire(slot) != number + 1) {
                continue;
            }
            int at = slot * FIELDS;
            Event<K> event = new Event<>(
                    number,
                    kinds[(int) fields[at]],
                    fields[at + 1],
                    fields[at + 2],
                    fields[at + 3],
                    fields[at + 4],
                    fields[at + 5],
                    labels[slot]);
            VarHandle.acquireFence();
            if (stamps.getOpaque(slot) == number + 1) {
                events.add(event);
            }
        }
        return events;
    }
}
