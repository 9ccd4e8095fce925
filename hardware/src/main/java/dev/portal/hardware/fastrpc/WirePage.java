package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_phy_page}, 16 bytes. A range of whole pages (spec 1.7).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class WirePage {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_phy_page", 16, ValueLayout.JAVA_LONG.withName("addr"), ValueLayout.JAVA_LONG.withName("size"));

    private static final VarHandle ADDR = Fastrpc.field(LAYOUT, "addr");
    private static final VarHandle SIZE = Fastrpc.field(LAYOUT, "size");

    private final MemorySegment segment;

    /** @param segment at least 16 bytes, aligned to 8 */
    public WirePage(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** Carries the stream id above bit 32. */
    public long addr() {
        return (long) ADDR.get(segment, 0L);
    }

    public void addr(long value) {
        ADDR.set(segment, 0L, value);
    }

    /** In bytes, whole pages. */
    public long size() {
        return (long) SIZE.get(segment, 0L);
    }

    public void size(long value) {
        SIZE.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "addr=0x" + Long.toHexString(addr()) + " size=" + Long.toUnsignedString(size());
    }
}
