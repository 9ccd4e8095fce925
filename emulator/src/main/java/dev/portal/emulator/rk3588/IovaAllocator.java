package dev.portal.emulator.rk3588;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Map.Entry;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The 4 GiB window of device addresses of one domain, shared by every process (spec 2.6). The highest hole that fits is
 * used, its upper end first: the first buffers are 0xfffff000, 0xffffe000, ...
 *
 * <p>Page 0 is never given out, so 31 buffers of 128 MiB fit, 63 of 64, 255 of 16 (experiments.tsv). Allocation comes in
 * two kinds. <i>Limited</i> alignment (flag 0x400) takes exactly the pages and gives them back. The kernel's generic
 * route rounds sizes up to a power of two and aligns them to themselves, and keeps freed pieces of up to 32 pages in its
 * caches, where only requests of the same size find them: the window fragments for good (Q20).
 */
final class IovaAllocator {
    static final long PAGE = 4096;
    private static final long TOP = 1L << 32;
    private static final long CACHED_PIECE = 32 * PAGE;

    /** Start to end of what is taken. */
    private final TreeMap<Long, Long> taken = new TreeMap<>();

    private final Map<Long, Deque<Long>> cached = new HashMap<>();

    IovaAllocator() {
        taken.put(0L, PAGE);
    }

    /**
     * Takes a range.
     *
     * @param bytes a multiple of the page
     * @param limited flag 0x400
     * @return its address; empty when no hole fits
     */
    OptionalLong allocate(long bytes, boolean limited) {
        if (bytes <= 0 || bytes > TOP) {
            return OptionalLong.empty();
        }
        if (limited) {
            return take(bytes, PAGE);
        }
        long rounded = genericSize(bytes);
        Deque<Long> pieces = cached.get(rounded);
        if (pieces != null && !pieces.isEmpty()) {
            return OptionalLong.of(pieces.pop());
        }
        return take(rounded, rounded);
    }

    private OptionalLong take(long bytes, long alignment) {
        long end = TOP;
        for (Entry<Long, Long> range : taken.descendingMap().entrySet()) {
            long start = (end - bytes) / alignment * alignment;
            if (start >= range.getValue()) {
                taken.put(start, start + bytes);
                return OptionalLong.of(start);
            }
            end = range.getKey();
        }
        return OptionalLong.empty();
    }

    /** Gives back what {@link #allocate} gave with the same arguments. */
    void free(long address, long bytes, boolean limited) {
        long rounded = limited ? bytes : genericSize(bytes);
        if (!limited && rounded <= CACHED_PIECE) {
            cached.computeIfAbsent(rounded, size -> new ArrayDeque<>()).push(address);
            return;
        }
        if (taken.remove(address) == null) {
            throw new AssertionError("IOVA 0x" + Long.toHexString(address) + " is freed and was not allocated");
        }
    }

    private static long genericSize(long bytes) {
        long top = Long.highestOneBit(bytes);
        return top == bytes ? bytes : top << 1;
    }

    /** Bytes taken, page 0 and cached pieces included. */
    long takenBytes() {
        return taken.entrySet().stream()
                .mapToLong(range -> range.getValue() - range.getKey())
                .sum();
    }
}
