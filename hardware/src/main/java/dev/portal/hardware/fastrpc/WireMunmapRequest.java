package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_munmap_req_msg}, 24 bytes. The kernel's call behind {@link Fastrpc#MUNMAP}.
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class WireMunmapRequest {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_munmap_req_msg",
            24,
            ValueLayout.JAVA_INT.withName("pgid"),
            MemoryLayout.paddingLayout(4),
            ValueLayout.JAVA_LONG.withName("vaddr"),
            ValueLayout.JAVA_LONG.withName("size"));

    private static final VarHandle PGID = Fastrpc.field(LAYOUT, "pgid");
    private static final VarHandle VADDR = Fastrpc.field(LAYOUT, "vaddr");
    private static final VarHandle SIZE = Fastrpc.field(LAYOUT, "size");

    private final MemorySegment segment;

    /** @param segment at least 24 bytes, aligned to 8 */
    public WireMunmapRequest(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** The client. */
    public int pgid() {
        return (int) PGID.get(segment, 0L);
    }

    public void pgid(int value) {
        PGID.set(segment, 0L, value);
    }

    public long vaddr() {
        return (long) VADDR.get(segment, 0L);
    }

    public void vaddr(long value) {
        VADDR.set(segment, 0L, value);
    }

    /** In bytes. */
    public long size() {
        return (long) SIZE.get(segment, 0L);
    }

    public void size(long value) {
        SIZE.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "pgid=" + pgid() + " vaddr=0x" + Long.toHexString(vaddr()) + " size=" + Long.toUnsignedString(size());
    }
}
