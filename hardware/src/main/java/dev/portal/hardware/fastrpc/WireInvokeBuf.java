package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_invoke_buf}, 8 bytes. Which page descriptors an argument has (spec 1.7). Aligned to 4.
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class WireInvokeBuf {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_invoke_buf", 8, ValueLayout.JAVA_INT.withName("num"), ValueLayout.JAVA_INT.withName("pgidx"));

    private static final VarHandle NUM = Fastrpc.field(LAYOUT, "num");
    private static final VarHandle PGIDX = Fastrpc.field(LAYOUT, "pgidx");

    private final MemorySegment segment;

    /** @param segment at least 8 bytes, aligned to 4 */
    public WireInvokeBuf(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** 1 when the argument has a length, else 0. */
    public int num() {
        return (int) NUM.get(segment, 0L);
    }

    public void num(int value) {
        NUM.set(segment, 0L, value);
    }

    /** Index of the first. */
    public int pgidx() {
        return (int) PGIDX.get(segment, 0L);
    }

    public void pgidx(int value) {
        PGIDX.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "num=" + Integer.toUnsignedString(num()) + " pgidx=" + Integer.toUnsignedString(pgidx());
    }
}
