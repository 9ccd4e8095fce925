package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct dma_buf_sync}, 8 bytes. The argument of {@link Fastrpc#DMA_BUF_SYNC}: begins or ends access by the processor (spec 1.11).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class DmaBufSync {
    public static final StructLayout LAYOUT =
            Fastrpc.struct("dma_buf_sync", 8, ValueLayout.JAVA_LONG.withName("flags"));

    private static final VarHandle FLAGS = Fastrpc.field(LAYOUT, "flags");

    private final MemorySegment segment;

    /** @param segment at least 8 bytes, aligned to 8 */
    public DmaBufSync(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** A direction {@code Fastrpc.SYNC_READ|SYNC_WRITE} with {@link Fastrpc#SYNC_START} or {@link Fastrpc#SYNC_END}. */
    public long flags() {
        return (long) FLAGS.get(segment, 0L);
    }

    public void flags(long value) {
        FLAGS.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "flags=0x" + Long.toHexString(flags());
    }
}
