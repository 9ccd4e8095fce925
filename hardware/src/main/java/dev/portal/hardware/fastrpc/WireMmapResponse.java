package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_mmap_rsp_msg}, 8 bytes. The DSP's answer to a mapping.
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class WireMmapResponse {
    public static final StructLayout LAYOUT =
            Fastrpc.struct("fastrpc_mmap_rsp_msg", 8, ValueLayout.JAVA_LONG.withName("vaddr"));

    private static final VarHandle VADDR = Fastrpc.field(LAYOUT, "vaddr");

    private final MemorySegment segment;

    /** @param segment at least 8 bytes, aligned to 8 */
    public WireMmapResponse(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** An address of the DSP. */
    public long vaddr() {
        return (long) VADDR.get(segment, 0L);
    }

    public void vaddr(long value) {
        VADDR.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "vaddr=0x" + Long.toHexString(vaddr());
    }
}
