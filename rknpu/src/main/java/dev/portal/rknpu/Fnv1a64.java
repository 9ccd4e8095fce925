package dev.portal.rknpu;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** FNV-1a, 64 bits: the fingerprint of results in the golden files (spec 14). */
public final class Fnv1a64 {
    private static final long OFFSET_BASIS = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private Fnv1a64() {}

    /** The fingerprint of all bytes of a segment, in order. */
    public static long of(MemorySegment bytes) {
        long hash = OFFSET_BASIS;
        for (long i = 0; i < bytes.byteSize(); i++) {
            hash = (hash ^ (bytes.get(ValueLayout.JAVA_BYTE, i) & 0xff)) * PRIME;
        }
        return hash;
    }

    /** As the golden files write it: 16 hexadecimal digits. */
    public static String hex(long hash) {
        return "%016x".formatted(hash);
    }
}
