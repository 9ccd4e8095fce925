package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_msg}, 40 bytes. What the kernel sends to the DSP for one call (spec 1.7).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class WireMessage {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_msg",
            40,
            ValueLayout.JAVA_INT.withName("pid"),
            ValueLayout.JAVA_INT.withName("tid"),
            ValueLayout.JAVA_LONG.withName("ctx"),
            ValueLayout.JAVA_INT.withName("handle"),
            ValueLayout.JAVA_INT.withName("sc"),
            ValueLayout.JAVA_LONG.withName("addr"),
            ValueLayout.JAVA_LONG.withName("size"));

    private static final VarHandle PID = Fastrpc.field(LAYOUT, "pid");
    private static final VarHandle TID = Fastrpc.field(LAYOUT, "tid");
    private static final VarHandle CTX = Fastrpc.field(LAYOUT, "ctx");
    private static final VarHandle HANDLE = Fastrpc.field(LAYOUT, "handle");
    private static final VarHandle SC = Fastrpc.field(LAYOUT, "sc");
    private static final VarHandle ADDR = Fastrpc.field(LAYOUT, "addr");
    private static final VarHandle SIZE = Fastrpc.field(LAYOUT, "size");

    private final MemorySegment segment;

    /** @param segment at least 40 bytes, aligned to 8 */
    public WireMessage(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** Client: thread group id on 6.1, session index + 1 later; 0 for the kernel's own calls. */
    public int pid() {
        return (int) PID.get(segment, 0L);
    }

    public void pid(int value) {
        PID.set(segment, 0L, value);
    }

    /** The calling thread. */
    public int tid() {
        return (int) TID.get(segment, 0L);
    }

    public void tid(int value) {
        TID.set(segment, 0L, value);
    }

    /** {@code ctxid << 4 | pd}. */
    public long ctx() {
        return (long) CTX.get(segment, 0L);
    }

    public void ctx(long value) {
        CTX.set(segment, 0L, value);
    }

    public int handle() {
        return (int) HANDLE.get(segment, 0L);
    }

    public void handle(int value) {
        HANDLE.set(segment, 0L, value);
    }

    /** The scalars word. */
    public int sc() {
        return (int) SC.get(segment, 0L);
    }

    public void sc(int value) {
        SC.set(segment, 0L, value);
    }

    /** Where the payload is. */
    public long addr() {
        return (long) ADDR.get(segment, 0L);
    }

    public void addr(long value) {
        ADDR.set(segment, 0L, value);
    }

    /** Bytes of payload, rounded up to a page. */
    public long size() {
        return (long) SIZE.get(segment, 0L);
    }

    public void size(long value) {
        SIZE.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "pid=" + pid() + " tid=" + tid() + " ctx=0x" + Long.toHexString(ctx()) + " handle=0x"
                + Integer.toHexString(handle()) + " sc=0x" + Integer.toHexString(sc()) + " addr=0x"
                + Long.toHexString(addr()) + " size=" + Long.toUnsignedString(size());
    }
}
