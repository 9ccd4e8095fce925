package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_remote_dmahandle}, 12 bytes. A handle argument in a payload (spec 1.7). Aligned to 4.
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class WireDmaHandle {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_remote_dmahandle",
            12,
            ValueLayout.JAVA_INT.withName("fd"),
            ValueLayout.JAVA_INT.withName("offset"),
            ValueLayout.JAVA_INT.withName("len"));

    private static final VarHandle FD = Fastrpc.field(LAYOUT, "fd");
    private static final VarHandle OFFSET = Fastrpc.field(LAYOUT, "offset");
    private static final VarHandle LEN = Fastrpc.field(LAYOUT, "len");

    private final MemorySegment segment;

    /** @param segment at least 12 bytes, aligned to 4 */
    public WireDmaHandle(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
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

    /** In bytes. */
    public int len() {
        return (int) LEN.get(segment, 0L);
    }

    public void len(int value) {
        LEN.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "fd=" + fd() + " offset=" + offset() + " len=" + Integer.toUnsignedString(len());
    }
}
