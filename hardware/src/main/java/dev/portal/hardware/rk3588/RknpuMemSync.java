package dev.portal.hardware.rk3588;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct rknpu_mem_sync}, 32 bytes. Cleans or invalidates a range of a cacheable buffer (spec 2.6, 9).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class RknpuMemSync {
    public static final StructLayout LAYOUT = RknpuAbi.struct(
            "rknpu_mem_sync",
            32,
            ValueLayout.JAVA_INT.withName("flags"),
            ValueLayout.JAVA_INT.withName("reserved"),
            ValueLayout.JAVA_LONG.withName("obj_addr"),
            ValueLayout.JAVA_LONG.withName("offset"),
            ValueLayout.JAVA_LONG.withName("size"));

    private static final VarHandle FLAGS = RknpuAbi.field(LAYOUT, "flags");
    private static final VarHandle RESERVED = RknpuAbi.field(LAYOUT, "reserved");
    private static final VarHandle OBJ_ADDR = RknpuAbi.field(LAYOUT, "obj_addr");
    private static final VarHandle OFFSET = RknpuAbi.field(LAYOUT, "offset");
    private static final VarHandle SIZE = RknpuAbi.field(LAYOUT, "size");

    private final MemorySegment segment;

    /** @param segment at least 32 bytes, aligned to 8 */
    public RknpuMemSync(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves, for the ioctl. */
    public MemorySegment segment() {
        return segment;
    }

    /** {@link RknpuAbi#SYNC_TO_DEVICE}, {@link RknpuAbi#SYNC_FROM_DEVICE}, or both. */
    public int flags() {
        return (int) FLAGS.get(segment, 0L);
    }

    public void flags(int value) {
        FLAGS.set(segment, 0L, value);
    }

    public int reserved() {
        return (int) RESERVED.get(segment, 0L);
    }

    public void reserved(int value) {
        RESERVED.set(segment, 0L, value);
    }

    public long objAddr() {
        return (long) OBJ_ADDR.get(segment, 0L);
    }

    public void objAddr(long value) {
        OBJ_ADDR.set(segment, 0L, value);
    }

    /** In bytes. */
    public long offset() {
        return (long) OFFSET.get(segment, 0L);
    }

    public void offset(long value) {
        OFFSET.set(segment, 0L, value);
    }

    /** In bytes. */
    public long size() {
        return (long) SIZE.get(segment, 0L);
    }

    public void size(long value) {
        SIZE.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "flags=0x" + Integer.toHexString(flags())
                + " reserved=0x" + Integer.toHexString(reserved())
                + " obj_addr=0x" + Long.toHexString(objAddr())
                + " offset=" + Long.toUnsignedString(offset())
                + " size=" + Long.toUnsignedString(size());
    }
}
