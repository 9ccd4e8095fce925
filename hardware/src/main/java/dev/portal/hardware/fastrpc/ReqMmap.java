package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_req_mmap}, 32 bytes. The argument of {@link Fastrpc#MMAP}, which grows the DSP heap and does not map a buffer (spec 1.6).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class ReqMmap {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_req_mmap",
            32,
            ValueLayout.JAVA_INT.withName("fd"),
            ValueLayout.JAVA_INT.withName("flags"),
            ValueLayout.JAVA_LONG.withName("vaddrin"),
            ValueLayout.JAVA_LONG.withName("size"),
            ValueLayout.JAVA_LONG.withName("vaddrout"));

    private static final VarHandle FD = Fastrpc.field(LAYOUT, "fd");
    private static final VarHandle FLAGS = Fastrpc.field(LAYOUT, "flags");
    private static final VarHandle VADDRIN = Fastrpc.field(LAYOUT, "vaddrin");
    private static final VarHandle SIZE = Fastrpc.field(LAYOUT, "size");
    private static final VarHandle VADDROUT = Fastrpc.field(LAYOUT, "vaddrout");

    private final MemorySegment segment;

    /** @param segment at least 32 bytes, aligned to 8 */
    public ReqMmap(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** Ignored by the driver. */
    public int fd() {
        return (int) FD.get(segment, 0L);
    }

    public void fd(int value) {
        FD.set(segment, 0L, value);
    }

    /** {@link Fastrpc#MMAP_ADD_PAGES}, on newer kernels also {@link Fastrpc#MMAP_REMOTE_HEAP}. */
    public int flags() {
        return (int) FLAGS.get(segment, 0L);
    }

    public void flags(int value) {
        FLAGS.set(segment, 0L, value);
    }

    /** Must be 0. */
    public long vaddrin() {
        return (long) VADDRIN.get(segment, 0L);
    }

    public void vaddrin(long value) {
        VADDRIN.set(segment, 0L, value);
    }

    /** In bytes. */
    public long size() {
        return (long) SIZE.get(segment, 0L);
    }

    public void size(long value) {
        SIZE.set(segment, 0L, value);
    }

    /** Out: an address of the DSP. */
    public long vaddrout() {
        return (long) VADDROUT.get(segment, 0L);
    }

    public void vaddrout(long value) {
        VADDROUT.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "fd=" + fd() + " flags=0x" + Integer.toHexString(flags()) + " vaddrin=0x" + Long.toHexString(vaddrin())
                + " size=" + Long.toUnsignedString(size()) + " vaddrout=0x" + Long.toHexString(vaddrout());
    }
}
