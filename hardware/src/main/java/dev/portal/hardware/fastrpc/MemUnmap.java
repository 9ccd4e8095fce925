package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_mem_unmap}, 48 bytes. The argument of {@link Fastrpc#MEM_UNMAP} (spec 1.6). Four bytes of padding end it.
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class MemUnmap {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_mem_unmap",
            48,
            ValueLayout.JAVA_INT.withName("vesion"),
            ValueLayout.JAVA_INT.withName("fd"),
            ValueLayout.JAVA_LONG.withName("vaddr"),
            ValueLayout.JAVA_LONG.withName("length"),
            MemoryLayout.sequenceLayout(5, ValueLayout.JAVA_INT).withName("reserved"),
            MemoryLayout.paddingLayout(4));

    private static final VarHandle VESION = Fastrpc.field(LAYOUT, "vesion");
    private static final VarHandle FD = Fastrpc.field(LAYOUT, "fd");
    private static final VarHandle VADDR = Fastrpc.field(LAYOUT, "vaddr");
    private static final VarHandle LENGTH = Fastrpc.field(LAYOUT, "length");

    private final MemorySegment segment;

    /** @param segment at least 48 bytes, aligned to 8 */
    public MemUnmap(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** Not examined; 0. The kernel spells it so. */
    public int vesion() {
        return (int) VESION.get(segment, 0L);
    }

    public void vesion(int value) {
        VESION.set(segment, 0L, value);
    }

    /** The DMA-BUF, or negative for any. */
    public int fd() {
        return (int) FD.get(segment, 0L);
    }

    public void fd(int value) {
        FD.set(segment, 0L, value);
    }

    /** The address of the DSP that MEM_MAP gave. */
    public long vaddr() {
        return (long) VADDR.get(segment, 0L);
    }

    public void vaddr(long value) {
        VADDR.set(segment, 0L, value);
    }

    /** Ignored by the driver: it has its own. */
    public long length() {
        return (long) LENGTH.get(segment, 0L);
    }

    public void length(long value) {
        LENGTH.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "vesion=" + vesion() + " fd=" + fd() + " vaddr=0x" + Long.toHexString(vaddr()) + " length="
                + Long.toUnsignedString(length());
    }
}
