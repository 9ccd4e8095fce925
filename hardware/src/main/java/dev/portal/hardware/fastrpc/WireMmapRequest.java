package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_mmap_req_msg}, 24 bytes. The kernel's call behind {@link Fastrpc#MMAP}.
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class WireMmapRequest {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_mmap_req_msg",
            24,
            ValueLayout.JAVA_INT.withName("pgid"),
            ValueLayout.JAVA_INT.withName("flags"),
            ValueLayout.JAVA_LONG.withName("vaddr"),
            ValueLayout.JAVA_INT.withName("num"),
            MemoryLayout.paddingLayout(4));

    private static final VarHandle PGID = Fastrpc.field(LAYOUT, "pgid");
    private static final VarHandle FLAGS = Fastrpc.field(LAYOUT, "flags");
    private static final VarHandle VADDR = Fastrpc.field(LAYOUT, "vaddr");
    private static final VarHandle NUM = Fastrpc.field(LAYOUT, "num");

    private final MemorySegment segment;

    /** @param segment at least 24 bytes, aligned to 8 */
    public WireMmapRequest(MemorySegment segment) {
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

    public int flags() {
        return (int) FLAGS.get(segment, 0L);
    }

    public void flags(int value) {
        FLAGS.set(segment, 0L, value);
    }

    public long vaddr() {
        return (long) VADDR.get(segment, 0L);
    }

    public void vaddr(long value) {
        VADDR.set(segment, 0L, value);
    }

    /** Bytes of page descriptors. */
    public int num() {
        return (int) NUM.get(segment, 0L);
    }

    public void num(int value) {
        NUM.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "pgid=" + pgid() + " flags=0x" + Integer.toHexString(flags()) + " vaddr=0x" + Long.toHexString(vaddr())
                + " num=" + Integer.toUnsignedString(num());
    }
}
