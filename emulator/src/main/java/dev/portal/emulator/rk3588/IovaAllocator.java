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

    /** Start to end of what is free, neighbours merged. */
    private final TreeMap<Long, Long> holes = new TreeMap<>();

    /** Sizes of what is taken. */
    private final Map<Long, Long> taken = new HashMap<>();

    private final Map<Long, Deque<Long>> cached = new HashMap<>();

    IovaAllocator() {
        holes.put(PAGE, TOP);
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
        for (Entry<Long, Long> hole : holes.descendingMap().entrySet()) {
            long end = hole.getValue();
            long start = (end - bytes) / alignment * alignment;
            if (end >= bytes && start >= hole.getKey()) {
                cut(hole.getKey(), end, start, start + bytes);
                taken.put(start, bytes);
                return OptionalLong.of(start);
            }
        }
        return OptionalLong.empty();
    }

    private void cut(long holeStart, long holeEnd, long start, long end) {
        holes.remove(holeStart);
        if (start > holeStart) {
            holes.put(holeStart, start);
        }
        if (end < holeEnd) {
            holes.put(end, holeEnd);
        }
    }

    /** Gives back what {@link #allocate} gave with the same arguments. */
    void free(long address, long bytes, boolean limited) {
        long rounded = limited ? bytes : genericSize(bytes);
        if (!limited && rounded <= CACHED_PIECE) {
            cached.computeIfAbsent(rounded, size -> new ArrayDeque<>()).push(address);
            return;
        }
        if (!taken.remove(address, rounded)) {
            throw new AssertionError("IOVA 0x" + Long.toHexString(address) + " is freed and was not allocated");
        }
        long start = address;
        long end = address + rounded;
        Entry<Long, Long> below = holes.floorEntry(start);
        if (below != null && below.getValue() == start) {
            start = below.getKey();
        }
        Long above = holes.remove(end);
        holes.put(start, above == null ? end : above);
    }

    private static long genericSize(long bytes) {
        long top = Long.highestOneBit(bytes);
        return top == bytes ? bytes : top << 1;
    }

    /** Bytes taken, cached pieces included. */
    long takenBytes() {
        return taken.values().stream().mapToLong(Long::longValue).sum();
    }
}
