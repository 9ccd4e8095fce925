package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_mem_map}, 64 bytes. The argument of {@link Fastrpc#MEM_MAP}: maps a DMA-BUF into the DSP process (spec 1.6). Four bytes of padding end it.
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class MemMap {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_mem_map",
            64,
            ValueLayout.JAVA_INT.withName("version"),
            ValueLayout.JAVA_INT.withName("fd"),
            ValueLayout.JAVA_INT.withName("offset"),
            ValueLayout.JAVA_INT.withName("flags"),
            ValueLayout.JAVA_LONG.withName("vaddrin"),
            ValueLayout.JAVA_LONG.withName("length"),
            ValueLayout.JAVA_LONG.withName("vaddrout"),
            ValueLayout.JAVA_INT.withName("attrs"),
            MemoryLayout.sequenceLayout(4, ValueLayout.JAVA_INT).withName("reserved"),
            MemoryLayout.paddingLayout(4));

    private static final VarHandle VERSION = Fastrpc.field(LAYOUT, "version");
    private static final VarHandle FD = Fastrpc.field(LAYOUT, "fd");
    private static final VarHandle OFFSET = Fastrpc.field(LAYOUT, "offset");
    private static final VarHandle FLAGS = Fastrpc.field(LAYOUT, "flags");
    private static final VarHandle VADDRIN = Fastrpc.field(LAYOUT, "vaddrin");
    private static final VarHandle LENGTH = Fastrpc.field(LAYOUT, "length");
    private static final VarHandle VADDROUT = Fastrpc.field(LAYOUT, "vaddrout");
    private static final VarHandle ATTRS = Fastrpc.field(LAYOUT, "attrs");

    private final MemorySegment segment;

    /** @param segment at least 64 bytes, aligned to 8 */
    public MemMap(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** Not examined; 0. */
    public int version() {
        return (int) VERSION.get(segment, 0L);
    }

    public void version(int value) {
        VERSION.set(segment, 0L, value);
    }

    /** The DMA-BUF. */
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

    /** {@code Fastrpc.MAP_*}. */
    public int flags() {
        return (int) FLAGS.get(segment, 0L);
    }

    public void flags(int value) {
        FLAGS.set(segment, 0L, value);
    }

    /** The client's address of the mapping. */
    public long vaddrin() {
        return (long) VADDRIN.get(segment, 0L);
    }

    public void vaddrin(long value) {
        VADDRIN.set(segment, 0L, value);
    }

    /** In bytes. */
    public long length() {
        return (long) LENGTH.get(segment, 0L);
    }

    public void length(long value) {
        LENGTH.set(segment, 0L, value);
    }

    /** Out: the address that the DSP sees, below 4 GiB on today's parts. */
    public long vaddrout() {
        return (long) VADDROUT.get(segment, 0L);
    }

    public void vaddrout(long value) {
        VADDROUT.set(segment, 0L, value);
    }

    /** Not examined; 0. */
    public int attrs() {
        return (int) ATTRS.get(segment, 0L);
    }

    public void attrs(int value) {
        ATTRS.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "version=" + version() + " fd=" + fd() + " offset=" + offset() + " flags=0x"
                + Integer.toHexString(flags()) + " vaddrin=0x" + Long.toHexString(vaddrin()) + " length="
                + Long.toUnsignedString(length()) + " vaddrout=0x" + Long.toHexString(vaddrout()) + " attrs=0x"
                + Integer.toHexString(attrs());
    }
}
