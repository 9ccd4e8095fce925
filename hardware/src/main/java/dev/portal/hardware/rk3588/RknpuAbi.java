package dev.portal.hardware.rk3588;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * Numbers of the vendor driver's interface: ioctls, flags, actions. Source: the header of driver 0.9.8, compiled
 * (spec/rk3588-npu.md section 2); every value is tested against what that compiler printed.
 */
public final class RknpuAbi {
    /** What {@code DRM_IOCTL_VERSION} answers as the name of the vendor driver, and of the mainline one. */
    public static final String DRIVER_NAME = "rknpu";

    public static final String MAINLINE_DRIVER_NAME = "rocket";

    /** Request codes of the DRM flavour, {@code 'd'}, base 0x40. */
    public static final int DRM_ACTION = iowr('d', 0x40, 8);

    public static final int DRM_SUBMIT = iowr('d', 0x41, 104);
    public static final int DRM_MEM_CREATE = iowr('d', 0x42, 48);
    /** Before driver 0.9.6. */
    public static final int DRM_MEM_CREATE_40 = iowr('d', 0x42, 40);

    public static final int DRM_MEM_MAP = iowr('d', 0x43, 16);
    public static final int DRM_MEM_DESTROY = iowr('d', 0x44, 16);
    public static final int DRM_MEM_SYNC = iowr('d', 0x45, 32);

    /** Request codes of the {@code /dev/rknpu} flavour, {@code 'r'}. */
    public static final int HEAP_ACTION = iowr('r', 0, 8);

    public static final int HEAP_SUBMIT = iowr('r', 1, 104);
    public static final int HEAP_MEM_CREATE = iowr('r', 2, 48);
    public static final int HEAP_MEM_MAP = iowr('r', 3, 16);
    public static final int HEAP_MEM_DESTROY = iowr('r', 4, 16);
    public static final int HEAP_MEM_SYNC = iowr('r', 5, 32);

    /** Generic DRM requests, and those of the DMA heap and of DMA-BUF. */
    public static final int DRM_VERSION = iowr('d', 0x00, 64);

    public static final int DRM_GEM_CLOSE = iow('d', 0x09, 8);
    public static final int DRM_PRIME_HANDLE_TO_FD = iowr('d', 0x2d, 12);
    public static final int DRM_PRIME_FD_TO_HANDLE = iowr('d', 0x2e, 12);
    public static final int DMA_HEAP_ALLOC = iowr('H', 0, 24);
    public static final int DMA_BUF_SYNC = iow('b', 0, 8);

    /** {@code submit.flags} (spec 2.4). */
    public static final int JOB_PC = 0x1;

    public static final int JOB_NONBLOCK = 0x2;
    public static final int JOB_PINGPONG = 0x4;
    public static final int JOB_FENCE_IN = 0x8;
    public static final int JOB_FENCE_OUT = 0x10;

    /** {@code mem_create.flags} (spec 2.4). */
    public static final int MEM_NON_CONTIGUOUS = 0x1;

    public static final int MEM_CACHEABLE = 0x2;
    public static final int MEM_WRITE_COMBINE = 0x4;
    public static final int MEM_KERNEL_MAPPING = 0x8;
    public static final int MEM_IOMMU = 0x10;
    public static final int MEM_ZEROING = 0x20;
    public static final int MEM_SECURE = 0x40;
    public static final int MEM_DMA32 = 0x80;
    public static final int MEM_TRY_ALLOC_SRAM = 0x100;
    public static final int MEM_TRY_ALLOC_NBUF = 0x200;
    /** Since 0.9.7; without it the shared window fragments for good (Q20). */
    public static final int MEM_IOMMU_LIMIT_IOVA_ALIGNMENT = 0x400;

    public static final int MEM_MASK = 0x7ff;

    /** {@code mem_sync.flags}. */
    public static final int SYNC_TO_DEVICE = 0x1;

    public static final int SYNC_FROM_DEVICE = 0x2;

    /** Action codes (spec 2.5). */
    public static final int ACTION_GET_HW_VERSION = 0;

    public static final int ACTION_GET_DRV_VERSION = 1;
    public static final int ACTION_GET_FREQ = 2;
    public static final int ACTION_SET_FREQ = 3;
    public static final int ACTION_GET_VOLT = 4;
    public static final int ACTION_SET_VOLT = 5;
    public static final int ACTION_RESET = 6;
    public static final int ACTION_GET_BW_PRIORITY = 7;
    public static final int ACTION_SET_BW_PRIORITY = 8;
    public static final int ACTION_GET_BW_EXPECT = 9;
    public static final int ACTION_SET_BW_EXPECT = 10;
    public static final int ACTION_GET_BW_TW = 11;
    public static final int ACTION_SET_BW_TW = 12;
    public static final int ACTION_CLR_TOTAL_RW_AMOUNT = 13;
    public static final int ACTION_GET_DT_WR_AMOUNT = 14;
    public static final int ACTION_GET_DT_RD_AMOUNT = 15;
    public static final int ACTION_GET_WT_RD_AMOUNT = 16;
    public static final int ACTION_GET_TOTAL_RW_AMOUNT = 17;
    public static final int ACTION_GET_IOMMU_EN = 18;
    public static final int ACTION_SET_PROC_NICE = 19;
    public static final int ACTION_POWER_ON = 20;
    public static final int ACTION_POWER_OFF = 21;
    public static final int ACTION_GET_TOTAL_SRAM_SIZE = 22;
    public static final int ACTION_GET_FREE_SRAM_SIZE = 23;
    public static final int ACTION_GET_IOMMU_DOMAIN_ID = 24;
    public static final int ACTION_SET_IOMMU_DOMAIN_ID = 25;

    /** What GET_HW_VERSION answers on RK3588 boards: the letters "FIRE". */
    public static final int HW_VERSION_RK3588 = 0x46495245;

    private RknpuAbi() {}

    /** A driver version as GET_DRV_VERSION packs it: 908 is 0.9.8. */
    public static String driverVersionText(int packed) {
        return packed / 10_000 + "." + packed / 100 % 100 + "." + packed % 100;
    }

    private static int iowr(char type, int number, int size) {
        return 3 << 30 | iocBody(type, number, size);
    }

    private static int iow(char type, int number, int size) {
        return 1 << 30 | iocBody(type, number, size);
    }

    private static int iocBody(char type, int number, int size) {
        return size << 16 | type << 8 | number;
    }

    static StructLayout struct(String name, long sizeBytes, MemoryLayout... members) {
        StructLayout layout = MemoryLayout.structLayout(members).withName(name);
        if (layout.byteSize() != sizeBytes) {
            throw new AssertionError(name + " has " + layout.byteSize() + " bytes, not " + sizeBytes);
        }
        return layout;
    }

    static VarHandle field(StructLayout layout, String name) {
        return layout.varHandle(MemoryLayout.PathElement.groupElement(name)).withInvokeExactBehavior();
    }
}
