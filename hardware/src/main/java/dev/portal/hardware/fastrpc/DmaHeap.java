package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct dma_heap_allocation_data}, 24 bytes. The argument of {@link Fastrpc#DMA_HEAP_ALLOC}: a buffer of a DMA heap (spec 1.11).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class DmaHeap {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "dma_heap_allocation_data",
            24,
            ValueLayout.JAVA_LONG.withName("len"),
            ValueLayout.JAVA_INT.withName("fd"),
            ValueLayout.JAVA_INT.withName("fd_flags"),
            ValueLayout.JAVA_LONG.withName("heap_flags"));

    private static final VarHandle LEN = Fastrpc.field(LAYOUT, "len");
    private static final VarHandle FD = Fastrpc.field(LAYOUT, "fd");
    private static final VarHandle FD_FLAGS = Fastrpc.field(LAYOUT, "fd_flags");
    private static final VarHandle HEAP_FLAGS = Fastrpc.field(LAYOUT, "heap_flags");

    private final MemorySegment segment;

    /** @param segment at least 24 bytes, aligned to 8 */
    public DmaHeap(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** In bytes; the heap rounds to pages; 0 is EINVAL. */
    public long len() {
        return (long) LEN.get(segment, 0L);
    }

    public void len(long value) {
        LEN.set(segment, 0L, value);
    }

    /** Out: the DMA-BUF. Must be 0 on entry on current kernels. */
    public int fd() {
        return (int) FD.get(segment, 0L);
    }

    public void fd(int value) {
        FD.set(segment, 0L, value);
    }

    /** O_CLOEXEC and an access mode only: {@link Fastrpc#DMA_HEAP_VALID_FD_FLAGS}. */
    public int fdFlags() {
        return (int) FD_FLAGS.get(segment, 0L);
    }

    public void fdFlags(int value) {
        FD_FLAGS.set(segment, 0L, value);
    }

    /** Must be 0. */
    public long heapFlags() {
        return (long) HEAP_FLAGS.get(segment, 0L);
    }

    public void heapFlags(long value) {
        HEAP_FLAGS.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "len=" + Long.toUnsignedString(len()) + " fd=" + fd() + " fd_flags=0x" + Integer.toHexString(fdFlags())
                + " heap_flags=0x" + Long.toHexString(heapFlags());
    }
}
