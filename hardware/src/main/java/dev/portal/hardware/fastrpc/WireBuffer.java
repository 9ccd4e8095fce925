package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_remote_buf}, 16 bytes. A buffer argument in a payload (spec 1.7).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class WireBuffer {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_remote_buf", 16, ValueLayout.JAVA_LONG.withName("pv"), ValueLayout.JAVA_LONG.withName("len"));

    private static final VarHandle PV = Fastrpc.field(LAYOUT, "pv");
    private static final VarHandle LEN = Fastrpc.field(LAYOUT, "len");

    private final MemorySegment segment;

    /** @param segment at least 16 bytes, aligned to 8 */
    public WireBuffer(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** Its address. */
    public long pv() {
        return (long) PV.get(segment, 0L);
    }

    public void pv(long value) {
        PV.set(segment, 0L, value);
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
        return "pv=0x" + Long.toHexString(pv()) + " len=" + Long.toUnsignedString(len());
    }
}
