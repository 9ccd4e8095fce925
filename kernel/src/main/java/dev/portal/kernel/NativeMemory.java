package dev.portal.kernel;

import java.lang.foreign.MemorySegment;

/** Reads the pointers that structs of system calls carry. The one place where an address becomes memory. */
public final class NativeMemory {
    private NativeMemory() {}

    /**
     * The memory at {@code address}. The caller vouches that it is mapped and stays so: a wrong address ends the process.
     *
     * @param address as it stands in a struct; not zero
     * @param bytes how much of it may be touched
     */
    @SuppressWarnings("restricted")
    public static MemorySegment at(long address, long bytes) {
        if (address == 0) {
            throw new IllegalArgumentException("a null pointer where " + bytes + " bytes were expected");
        }
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }
}
