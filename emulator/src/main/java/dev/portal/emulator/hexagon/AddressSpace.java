package dev.portal.emulator.hexagon;

import java.util.Map.Entry;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Addresses from the top downwards, whole pages, with a page between neighbours that nothing may touch: of a user
 * process on the DSP (32 bit, spec 8), or of a session's context bank.
 */
final class AddressSpace {
    static final long PAGE = 4096;

    private final long bottom;
    private final long top;
    private final TreeMap<Long, Long> taken = new TreeMap<>();
    private long bytes;

    AddressSpace(long bottom, long top) {
        this.bottom = bottom;
        this.top = top;
    }

    static long pages(long bytes) {
        return (bytes + PAGE - 1) / PAGE * PAGE;
    }

    /** A range; empty when no hole fits. */
    OptionalLong allocate(long wanted) {
        if (wanted <= 0 || wanted > top - bottom) {
            return OptionalLong.empty();
        }
        long size = pages(wanted);
        long end = top;
        for (Entry<Long, Long> block : taken.descendingMap().entrySet()) {
            if (end - size >= block.getValue() + PAGE) {
                break;
            }
            end = block.getKey() - PAGE;
        }
        if (end - size < bottom) {
            return OptionalLong.empty();
        }
        taken.put(end - size, end);
        bytes += size;
        return OptionalLong.of(end - size);
    }

    void free(long start) {
        Long end = taken.remove(start);
        if (end == null) {
            throw new AssertionError("0x" + Long.toHexString(start) + " is freed and was not allocated");
        }
        bytes -= end - start;
    }

    /** Bytes taken, in whole pages. */
    long bytes() {
        return bytes;
    }
}
