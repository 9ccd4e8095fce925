package dev.portal.hardware.rk3588;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct rknpu_mem_create}, 48 bytes. Allocates a buffer: the form of driver 0.9.6 and later (spec 2.3, 2.6).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class RknpuMemCreate {
    public static final StructLayout LAYOUT = RknpuAbi.struct(
            "rknpu_mem_create",
            48,
            ValueLayout.JAVA_INT.withName("handle"),
            ValueLayout.JAVA_INT.withName("flags"),
            ValueLayout.JAVA_LONG.withName("size"),
            ValueLayout.JAVA_LONG.withName("obj_addr"),
            ValueLayout.JAVA_LONG.withName("dma_addr"),
            ValueLayout.JAVA_LONG.withName("sram_size"),
            ValueLayout.JAVA_INT.withName("iommu_domain_id"),
            ValueLayout.JAVA_INT.withName("core_mask"));

    private static final VarHandle HANDLE = RknpuAbi.field(LAYOUT, "handle");
    private static final VarHandle FLAGS = RknpuAbi.field(LAYOUT, "flags");
    private static final VarHandle SIZE = RknpuAbi.field(LAYOUT, "size");
    private static final VarHandle OBJ_ADDR = RknpuAbi.field(LAYOUT, "obj_addr");
    private static final VarHandle DMA_ADDR = RknpuAbi.field(LAYOUT, "dma_addr");
    private static final VarHandle SRAM_SIZE = RknpuAbi.field(LAYOUT, "sram_size");
    private static final VarHandle IOMMU_DOMAIN_ID = RknpuAbi.field(LAYOUT, "iommu_domain_id");
    private static final VarHandle CORE_MASK = RknpuAbi.field(LAYOUT, "core_mask");

    private final MemorySegment segment;

    /** @param segment at least 48 bytes, aligned to 8 */
    public RknpuMemCreate(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves, for the ioctl. */
    public MemorySegment segment() {
        return segment;
    }

    /** In and out. */
    public int handle() {
        return (int) HANDLE.get(segment, 0L);
    }

    public void handle(int value) {
        HANDLE.set(segment, 0L, value);
    }

    /** Bits {@code RknpuAbi.MEM_*}. */
    public int flags() {
        return (int) FLAGS.get(segment, 0L);
    }

    public void flags(int value) {
        FLAGS.set(segment, 0L, value);
    }

    /** In and out, rounded up to pages. */
    public long size() {
        return (long) SIZE.get(segment, 0L);
    }

    public void size(long value) {
        SIZE.set(segment, 0L, value);
    }

    /** Out: the kernel pointer that names the object in SYNC and SUBMIT. */
    public long objAddr() {
        return (long) OBJ_ADDR.get(segment, 0L);
    }

    public void objAddr(long value) {
        OBJ_ADDR.set(segment, 0L, value);
    }

    /** Out: the IOVA, below 4 GiB. */
    public long dmaAddr() {
        return (long) DMA_ADDR.get(segment, 0L);
    }

    public void dmaAddr(long value) {
        DMA_ADDR.set(segment, 0L, value);
    }

    /** In and out. */
    public long sramSize() {
        return (long) SRAM_SIZE.get(segment, 0L);
    }

    public void sramSize(long value) {
        SRAM_SIZE.set(segment, 0L, value);
    }

    public int iommuDomainId() {
        return (int) IOMMU_DOMAIN_ID.get(segment, 0L);
    }

    public void iommuDomainId(int value) {
        IOMMU_DOMAIN_ID.set(segment, 0L, value);
    }

    public int coreMask() {
        return (int) CORE_MASK.get(segment, 0L);
    }

    public void coreMask(int value) {
        CORE_MASK.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "handle=0x" + Integer.toHexString(handle())
                + " flags=0x" + Integer.toHexString(flags())
                + " size=" + Long.toUnsignedString(size())
                + " obj_addr=0x" + Long.toHexString(objAddr())
                + " dma_addr=0x" + Long.toHexString(dmaAddr())
                + " sram_size=" + Long.toUnsignedString(sramSize())
                + " iommu_domain_id=" + iommuDomainId()
                + " core_mask=0x" + Integer.toHexString(coreMask());
    }
}
