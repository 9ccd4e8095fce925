package dev.portal.kernel;

import java.lang.foreign.MemorySegment;

/**
 * What {@code mmap} answers.
 *
 * @param memory the mapping; {@link MemorySegment#NULL} when the call failed
 * @param errno 0, or why it failed
 */
public record Mapping(MemorySegment memory, int errno) {
    public static Mapping of(MemorySegment memory) {
        return new Mapping(memory, 0);
    }

    public static Mapping error(int errno) {
        return new Mapping(MemorySegment.NULL, errno);
    }
}
