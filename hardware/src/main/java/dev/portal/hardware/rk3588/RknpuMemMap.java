package dev.portal.hardware.rk3588;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct rknpu_mem_map}, 16 bytes. Asks for the offset at which {@code mmap} finds a buffer (spec 2.6).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class RknpuMemMap {
    public static final StructLayout LAYOUT = RknpuAbi.struct(
            "rknpu_mem_map",
            16,
            ValueLayout.JAVA_INT.withName("handle"),
            ValueLayout.JAVA_INT.withName("reserved"),
            ValueLayout.JAVA_LONG.withName("offset"));

    private static final VarHandle HANDLE = RknpuAbi.field(LAYOUT, "handle");
    private static final VarHandle RESERVED = RknpuAbi.field(LAYOUT, "reserved");
    private static final VarHandle OFFSET = RknpuAbi.field(LAYOUT, "offset");

    private final MemorySegment segment;

    /** @param segment at least 16 bytes, aligned to 8 */
    public RknpuMemMap(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves, for the ioctl. */
    public MemorySegment segment() {
        return segment;
    }

    public int handle() {
        return (int) HANDLE.get(segment, 0L);
    }

    public void handle(int value) {
        HANDLE.set(segment, 0L, value);
    }

    public int reserved() {
        return (int) RESERVED.get(segment, 0L);
    }

    public void reserved(int value) {
        RESERVED.set(segment, 0L, value);
    }

    /** Out: fake offset for mmap on the same descriptor. */
    public long offset() {
        return (long) OFFSET.get(segment, 0L);
    }

    public void offset(long value) {
        OFFSET.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "handle=0x" + Integer.toHexString(handle())
                + " reserved=0x" + Integer.toHexString(reserved())
                + " offset=0x" + Long.toHexString(offset());
    }
}
