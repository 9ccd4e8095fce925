package dev.portal.hardware.rk3588;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct rknpu_mem_destroy}, 16 bytes. Drops a handle (spec 2.6).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class RknpuMemDestroy {
    public static final StructLayout LAYOUT = RknpuAbi.struct(
            "rknpu_mem_destroy",
            16,
            ValueLayout.JAVA_INT.withName("handle"),
            ValueLayout.JAVA_INT.withName("reserved"),
            ValueLayout.JAVA_LONG.withName("obj_addr"));

    private static final VarHandle HANDLE = RknpuAbi.field(LAYOUT, "handle");
    private static final VarHandle RESERVED = RknpuAbi.field(LAYOUT, "reserved");
    private static final VarHandle OBJ_ADDR = RknpuAbi.field(LAYOUT, "obj_addr");

    private final MemorySegment segment;

    /** @param segment at least 16 bytes, aligned to 8 */
    public RknpuMemDestroy(MemorySegment segment) {
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

    /** Ignored by the DRM flavour: the handle decides. */
    public long objAddr() {
        return (long) OBJ_ADDR.get(segment, 0L);
    }

    public void objAddr(long value) {
        OBJ_ADDR.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "handle=0x" + Integer.toHexString(handle())
                + " reserved=0x" + Integer.toHexString(reserved())
                + " obj_addr=0x" + Long.toHexString(objAddr());
    }
}
