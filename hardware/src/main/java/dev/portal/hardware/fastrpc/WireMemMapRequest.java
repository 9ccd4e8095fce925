package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_mem_map_req_msg}, 32 bytes. The kernel's call behind {@link Fastrpc#MEM_MAP}.
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class WireMemMapRequest {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_mem_map_req_msg",
            32,
            ValueLayout.JAVA_INT.withName("pgid"),
            ValueLayout.JAVA_INT.withName("fd"),
            ValueLayout.JAVA_INT.withName("offset"),
            ValueLayout.JAVA_INT.withName("flags"),
            ValueLayout.JAVA_LONG.withName("vaddrin"),
            ValueLayout.JAVA_INT.withName("num"),
            ValueLayout.JAVA_INT.withName("data_len"));

    private static final VarHandle PGID = Fastrpc.field(LAYOUT, "pgid");
    private static final VarHandle FD = Fastrpc.field(LAYOUT, "fd");
    private static final VarHandle OFFSET = Fastrpc.field(LAYOUT, "offset");
    private static final VarHandle FLAGS = Fastrpc.field(LAYOUT, "flags");
    private static final VarHandle VADDRIN = Fastrpc.field(LAYOUT, "vaddrin");
    private static final VarHandle NUM = Fastrpc.field(LAYOUT, "num");
    private static final VarHandle DATA_LEN = Fastrpc.field(LAYOUT, "data_len");

    private final MemorySegment segment;

    /** @param segment at least 32 bytes, aligned to 8 */
    public WireMemMapRequest(MemorySegment segment) {
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

    /** In bytes. */
    public int offset() {
        return (int) OFFSET.get(segment, 0L);
    }

    public void offset(int value) {
        OFFSET.set(segment, 0L, value);
    }

    public int flags() {
        return (int) FLAGS.get(segment, 0L);
    }

    public void flags(int value) {
        FLAGS.set(segment, 0L, value);
    }

    public long vaddrin() {
        return (long) VADDRIN.get(segment, 0L);
    }

    public void vaddrin(long value) {
        VADDRIN.set(segment, 0L, value);
    }

    /** Always 16: bytes of the one page descriptor. */
    public int num() {
        return (int) NUM.get(segment, 0L);
    }

    public void num(int value) {
        NUM.set(segment, 0L, value);
    }

    /** Always 0. */
    public int dataLen() {
        return (int) DATA_LEN.get(segment, 0L);
    }

    public void dataLen(int value) {
        DATA_LEN.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "pgid=" + pgid() + " fd=" + fd() + " offset=" + offset() + " flags=0x" + Integer.toHexString(flags())
                + " vaddrin=0x" + Long.toHexString(vaddrin()) + " num=" + Integer.toUnsignedString(num()) + " data_len="
                + Integer.toUnsignedString(dataLen());
    }
}
