package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_invoke_rsp}, 16 bytes. What the DSP answers (spec 1.7).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class WireResponse {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_invoke_rsp",
            16,
            ValueLayout.JAVA_LONG.withName("ctx"),
            ValueLayout.JAVA_INT.withName("retval"),
            MemoryLayout.paddingLayout(4));

    private static final VarHandle CTX = Fastrpc.field(LAYOUT, "ctx");
    private static final VarHandle RETVAL = Fastrpc.field(LAYOUT, "retval");

    private final MemorySegment segment;

    /** @param segment at least 16 bytes, aligned to 8 */
    public WireResponse(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** As in the message; matched with {@link Fastrpc#CTXID_MASK}. */
    public long ctx() {
        return (long) CTX.get(segment, 0L);
    }

    public void ctx(long value) {
        CTX.set(segment, 0L, value);
    }

    /** Returned to the caller unchanged. */
    public int retval() {
        return (int) RETVAL.get(segment, 0L);
    }

    public void retval(int value) {
        RETVAL.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "ctx=0x" + Long.toHexString(ctx()) + " retval=0x" + Integer.toHexString(retval());
    }
}
