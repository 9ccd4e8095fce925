package dev.portal.hardware.rk3588;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct rknpu_task}, 40 bytes. One program of a job, an element of the task array (spec 2.3, 8.3).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class RknpuTask {
    public static final StructLayout LAYOUT = RknpuAbi.struct(
            "rknpu_task",
            40,
            ValueLayout.JAVA_INT.withName("flags"),
            ValueLayout.JAVA_INT.withName("op_idx"),
            ValueLayout.JAVA_INT.withName("enable_mask"),
            ValueLayout.JAVA_INT.withName("int_mask"),
            ValueLayout.JAVA_INT.withName("int_clear"),
            ValueLayout.JAVA_INT.withName("int_status"),
            ValueLayout.JAVA_INT.withName("regcfg_amount"),
            ValueLayout.JAVA_INT.withName("regcfg_offset"),
            ValueLayout.JAVA_LONG.withName("regcmd_addr"));

    private static final VarHandle FLAGS = RknpuAbi.field(LAYOUT, "flags");
    private static final VarHandle OP_IDX = RknpuAbi.field(LAYOUT, "op_idx");
    private static final VarHandle ENABLE_MASK = RknpuAbi.field(LAYOUT, "enable_mask");
    private static final VarHandle INT_MASK = RknpuAbi.field(LAYOUT, "int_mask");
    private static final VarHandle INT_CLEAR = RknpuAbi.field(LAYOUT, "int_clear");
    private static final VarHandle INT_STATUS = RknpuAbi.field(LAYOUT, "int_status");
    private static final VarHandle REGCFG_AMOUNT = RknpuAbi.field(LAYOUT, "regcfg_amount");
    private static final VarHandle REGCFG_OFFSET = RknpuAbi.field(LAYOUT, "regcfg_offset");
    private static final VarHandle REGCMD_ADDR = RknpuAbi.field(LAYOUT, "regcmd_addr");

    private final MemorySegment segment;

    /** @param segment at least 40 bytes, aligned to 8 */
    public RknpuTask(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves, for the ioctl. */
    public MemorySegment segment() {
        return segment;
    }

    /** Ignored by the driver. */
    public int flags() {
        return (int) FLAGS.get(segment, 0L);
    }

    public void flags(int value) {
        FLAGS.set(segment, 0L, value);
    }

    /** Ignored by the driver. */
    public int opIdx() {
        return (int) OP_IDX.get(segment, 0L);
    }

    public void opIdx(int value) {
        OP_IDX.set(segment, 0L, value);
    }

    /** Informative: the program itself carries it. */
    public int enableMask() {
        return (int) ENABLE_MASK.get(segment, 0L);
    }

    public void enableMask(int value) {
        ENABLE_MASK.set(segment, 0L, value);
    }

    /** The last task's is the one that counts. */
    public int intMask() {
        return (int) INT_MASK.get(segment, 0L);
    }

    public void intMask(int value) {
        INT_MASK.set(segment, 0L, value);
    }

    public int intClear() {
        return (int) INT_CLEAR.get(segment, 0L);
    }

    public void intClear(int value) {
        INT_CLEAR.set(segment, 0L, value);
    }

    /** Out, the last task of a blocking job. */
    public int intStatus() {
        return (int) INT_STATUS.get(segment, 0L);
    }

    public void intStatus(int value) {
        INT_STATUS.set(segment, 0L, value);
    }

    /** Words of the body, without the trailer. */
    public int regcfgAmount() {
        return (int) REGCFG_AMOUNT.get(segment, 0L);
    }

    public void regcfgAmount(int value) {
        REGCFG_AMOUNT.set(segment, 0L, value);
    }

    /** Ignored by the driver. */
    public int regcfgOffset() {
        return (int) REGCFG_OFFSET.get(segment, 0L);
    }

    public void regcfgOffset(int value) {
        REGCFG_OFFSET.set(segment, 0L, value);
    }

    /** IOVA of the program. */
    public long regcmdAddr() {
        return (long) REGCMD_ADDR.get(segment, 0L);
    }

    public void regcmdAddr(long value) {
        REGCMD_ADDR.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "flags=0x" + Integer.toHexString(flags())
                + " op_idx=" + Integer.toUnsignedString(opIdx())
                + " enable_mask=0x" + Integer.toHexString(enableMask())
                + " int_mask=0x" + Integer.toHexString(intMask())
                + " int_clear=0x" + Integer.toHexString(intClear())
                + " int_status=0x" + Integer.toHexString(intStatus())
                + " regcfg_amount=" + Integer.toUnsignedString(regcfgAmount())
                + " regcfg_offset=" + Integer.toUnsignedString(regcfgOffset())
                + " regcmd_addr=0x" + Long.toHexString(regcmdAddr());
    }
}
