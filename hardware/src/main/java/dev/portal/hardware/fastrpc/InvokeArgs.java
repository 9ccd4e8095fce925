package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_invoke_args}, 24 bytes. One argument of a remote call (spec 1.3, 1.6).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class InvokeArgs {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_invoke_args",
            24,
            ValueLayout.JAVA_LONG.withName("ptr"),
            ValueLayout.JAVA_LONG.withName("length"),
            ValueLayout.JAVA_INT.withName("fd"),
            ValueLayout.JAVA_INT.withName("attr"));

    private static final VarHandle PTR = Fastrpc.field(LAYOUT, "ptr");
    private static final VarHandle LENGTH = Fastrpc.field(LAYOUT, "length");
    private static final VarHandle FD = Fastrpc.field(LAYOUT, "fd");
    private static final VarHandle ATTR = Fastrpc.field(LAYOUT, "attr");

    private final MemorySegment segment;

    /** @param segment at least 24 bytes, aligned to 8 */
    public InvokeArgs(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The {@code index}-th of several in a row that starts at {@code first}. */
    public static InvokeArgs at(MemorySegment first, int index) {
        return new InvokeArgs(first.asSlice(index * LAYOUT.byteSize(), LAYOUT.byteSize()));
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** Address of the bytes; for a descriptor, inside the client's own mapping of it. For handles, the 32-bit offset. */
    public long ptr() {
        return (long) PTR.get(segment, 0L);
    }

    public void ptr(long value) {
        PTR.set(segment, 0L, value);
    }

    /** In bytes; zero is sent with no pages. */
    public long length() {
        return (long) LENGTH.get(segment, 0L);
    }

    public void length(long value) {
        LENGTH.set(segment, 0L, value);
    }

    /** A DMA-BUF, or -1 for plain memory. 0 counts as none too. */
    public int fd() {
        return (int) FD.get(segment, 0L);
    }

    public void fd(int value) {
        FD.set(segment, 0L, value);
    }

    /** {@link Fastrpc#ATTR_SECUREMAP} or 0; named {@code reserved} before kernel 5.19. */
    public int attr() {
        return (int) ATTR.get(segment, 0L);
    }

    public void attr(int value) {
        ATTR.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "ptr=0x" + Long.toHexString(ptr()) + " length=" + Long.toUnsignedString(length()) + " fd=" + fd()
                + " attr=0x" + Integer.toHexString(attr());
    }
}
