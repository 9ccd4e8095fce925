package dev.portal.emulator.hexagon;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One argument of a call on its way through the driver.
 *
 * <p>The kernel's own calls carry bytes of the kernel's; calls of the process carry pointers.
 */
final class CallArgument {
    final long ptr;
    final long length;
    final int fd;
    final @Nullable MemorySegment kernelBytes;

    @Nullable
    BufferMap map;

    /** Where the argument's first byte lies behind the start of what was copied before it, when both overlap. */
    long overlap;

    /** How many bytes of it lie in the payload that no argument before has brought. */
    long fresh;

    private CallArgument(long ptr, long length, int fd, @Nullable MemorySegment kernelBytes) {
        this.ptr = ptr;
        this.length = length;
        this.fd = fd;
        this.kernelBytes = kernelBytes;
    }

    static CallArgument ofProcess(long ptr, long length, int fd) {
        return new CallArgument(ptr, length, fd, null);
    }

    /** Of the kernel's own calls; {@code ptr} is made up, and no two overlap. */
    static CallArgument ofKernel(long ptr, MemorySegment bytes) {
        return new CallArgument(ptr, bytes.byteSize(), -1, bytes);
    }

    /** Whether it is copied into the payload, and not passed by descriptor. */
    boolean inline() {
        return map == null;
    }
}
