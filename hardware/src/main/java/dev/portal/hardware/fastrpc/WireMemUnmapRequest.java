package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_mem_unmap_req_msg}, 24 bytes. The kernel's call behind {@link Fastrpc#MEM_UNMAP}.
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class WireMemUnmapRequest {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_mem_unmap_req_msg",
            24,
            ValueLayout.JAVA_INT.withName("pgid"),
            ValueLayout.JAVA_INT.withName("fd"),
            ValueLayout.JAVA_LONG.withName("vaddrin"),
            ValueLayout.JAVA_LONG.withName("len"));

    private static final VarHandle PGID = Fastrpc.field(LAYOUT, "pgid");
    private static final VarHandle FD = Fastrpc.field(LAYOUT, "fd");
    private static final VarHandle VADDRIN = Fastrpc.field(LAYOUT, "vaddrin");
    private static final VarHandle LEN = Fastrpc.field(LAYOUT, "len");

    private final MemorySegment segment;

    /** @param segment at least 24 bytes, aligned to 8 */
    public WireMemUnmapRequest(MemorySegment segment) {
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

    public int fd() {
        return (int) FD.get(segment, 0L);
    }

    public void fd(int value) {
        FD.set(segment, 0L, value);
    }

    public long vaddrin() {
        return (long) VADDRIN.get(segment, 0L);
    }

    public void vaddrin(long value) {
        VADDRIN.set(segment, 0L, value);
    }

    /** In bytes. */
    public long len() {
        return (long) LEN.get(segment, 0L);
    }

    public void len(long value) {
        LEN.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "pgid=" + pgid() + " fd=" + fd() + " vaddrin=0x" + Long.toHexString(vaddrin()) + " len="
                + Long.toUnsignedString(len());
    }
}
