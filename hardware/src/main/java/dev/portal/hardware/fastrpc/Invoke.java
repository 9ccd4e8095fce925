package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_invoke}, 16 bytes. The argument of {@link Fastrpc#INVOKE}: one remote call (spec 1.3, 1.6).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class Invoke {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_invoke",
            16,
            ValueLayout.JAVA_INT.withName("handle"),
            ValueLayout.JAVA_INT.withName("sc"),
            ValueLayout.JAVA_LONG.withName("args"));

    private static final VarHandle HANDLE = Fastrpc.field(LAYOUT, "handle");
    private static final VarHandle SC = Fastrpc.field(LAYOUT, "sc");
    private static final VarHandle ARGS = Fastrpc.field(LAYOUT, "args");

    private final MemorySegment segment;

    /** @param segment at least 16 bytes, aligned to 8 */
    public Invoke(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** The remote handle; {@link Fastrpc#HANDLE_KERNEL} is refused from user space. */
    public int handle() {
        return (int) HANDLE.get(segment, 0L);
    }

    public void handle(int value) {
        HANDLE.set(segment, 0L, value);
    }

    /** The scalars word; see {@link Scalars}. The kernel trusts the counts in it. */
    public int sc() {
        return (int) SC.get(segment, 0L);
    }

    public void sc(int value) {
        SC.set(segment, 0L, value);
    }

    /** Address of {@code Scalars.count(sc)} consecutive {@link InvokeArgs}. */
    public long args() {
        return (long) ARGS.get(segment, 0L);
    }

    public void args(long value) {
        ARGS.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "handle=0x" + Integer.toHexString(handle()) + " sc=0x" + Integer.toHexString(sc()) + " args=0x"
                + Long.toHexString(args());
    }
}
