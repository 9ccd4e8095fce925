package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_alloc_dma_buf}, 16 bytes. The argument of {@link Fastrpc#ALLOC_DMA_BUFF}: coherent memory of the session's context bank (spec 1.6).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class AllocDmaBuf {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_alloc_dma_buf",
            16,
            ValueLayout.JAVA_INT.withName("fd"),
            ValueLayout.JAVA_INT.withName("flags"),
            ValueLayout.JAVA_LONG.withName("size"));

    private static final VarHandle FD = Fastrpc.field(LAYOUT, "fd");
    private static final VarHandle FLAGS = Fastrpc.field(LAYOUT, "flags");
    private static final VarHandle SIZE = Fastrpc.field(LAYOUT, "size");

    private final MemorySegment segment;

    /** @param segment at least 16 bytes, aligned to 8 */
    public AllocDmaBuf(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** Out: the DMA-BUF, not close-on-exec. */
    public int fd() {
        return (int) FD.get(segment, 0L);
    }

    public void fd(int value) {
        FD.set(segment, 0L, value);
    }

    /** Ignored by the driver. */
    public int flags() {
        return (int) FLAGS.get(segment, 0L);
    }

    public void flags(int value) {
        FLAGS.set(segment, 0L, value);
    }

    /** In bytes; used as given, so round to pages first. */
    public long size() {
        return (long) SIZE.get(segment, 0L);
    }

    public void size(long value) {
        SIZE.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "fd=" + fd() + " flags=0x" + Integer.toHexString(flags()) + " size=" + Long.toUnsignedString(size());
    }
}
