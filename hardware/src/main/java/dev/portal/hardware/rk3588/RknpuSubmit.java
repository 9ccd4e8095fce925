package dev.portal.hardware.rk3588;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct rknpu_submit}, 104 bytes. Submits a job (spec 2.3, 8.2 to 8.4).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class RknpuSubmit {
    /** Ranges in one submission: cores 0, 1, 2 for one or two cores; entries 2, 3, 4 for three. */
    public static final int SUBCORE_TASKS = 5;

    public static final StructLayout LAYOUT = RknpuAbi.struct(
            "rknpu_submit",
            104,
            ValueLayout.JAVA_INT.withName("flags"),
            ValueLayout.JAVA_INT.withName("timeout"),
            ValueLayout.JAVA_INT.withName("task_start"),
            ValueLayout.JAVA_INT.withName("task_number"),
            ValueLayout.JAVA_INT.withName("task_counter"),
            ValueLayout.JAVA_INT.withName("priority"),
            ValueLayout.JAVA_LONG.withName("task_obj_addr"),
            ValueLayout.JAVA_INT.withName("iommu_domain_id"),
            ValueLayout.JAVA_INT.withName("reserved"),
            ValueLayout.JAVA_LONG.withName("task_base_addr"),
            ValueLayout.JAVA_LONG.withName("hw_elapse_time"),
            ValueLayout.JAVA_INT.withName("core_mask"),
            ValueLayout.JAVA_INT.withName("fence_fd"),
            MemoryLayout.sequenceLayout(SUBCORE_TASKS, RknpuSubcoreTask.LAYOUT).withName("subcore_task"));

    private static final VarHandle FLAGS = RknpuAbi.field(LAYOUT, "flags");
    private static final VarHandle TIMEOUT = RknpuAbi.field(LAYOUT, "timeout");
    private static final VarHandle TASK_START = RknpuAbi.field(LAYOUT, "task_start");
    private static final VarHandle TASK_NUMBER = RknpuAbi.field(LAYOUT, "task_number");
    private static final VarHandle TASK_COUNTER = RknpuAbi.field(LAYOUT, "task_counter");
    private static final VarHandle PRIORITY = RknpuAbi.field(LAYOUT, "priority");
    private static final VarHandle TASK_OBJ_ADDR = RknpuAbi.field(LAYOUT, "task_obj_addr");
    private static final VarHandle IOMMU_DOMAIN_ID = RknpuAbi.field(LAYOUT, "iommu_domain_id");
    private static final VarHandle RESERVED = RknpuAbi.field(LAYOUT, "reserved");
    private static final VarHandle TASK_BASE_ADDR = RknpuAbi.field(LAYOUT, "task_base_addr");
    private static final VarHandle HW_ELAPSE_TIME = RknpuAbi.field(LAYOUT, "hw_elapse_time");
    private static final VarHandle CORE_MASK = RknpuAbi.field(LAYOUT, "core_mask");
    private static final VarHandle FENCE_FD = RknpuAbi.field(LAYOUT, "fence_fd");
    private static final long SUBCORE_TASK_OFFSET =
            LAYOUT.byteOffset(MemoryLayout.PathElement.groupElement("subcore_task"));

    private final MemorySegment segment;

    /** @param segment at least 104 bytes, aligned to 8 */
    public RknpuSubmit(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves, for the ioctl. */
    public MemorySegment segment() {
        return segment;
    }

    /** Bits {@code RknpuAbi.JOB_*}. */
    public int flags() {
        return (int) FLAGS.get(segment, 0L);
    }

    public void flags(int value) {
        FLAGS.set(segment, 0L, value);
    }

    /** In milliseconds. */
    public int timeout() {
        return (int) TIMEOUT.get(segment, 0L);
    }

    public void timeout(int value) {
        TIMEOUT.set(segment, 0L, value);
    }

    public int taskStart() {
        return (int) TASK_START.get(segment, 0L);
    }

    public void taskStart(int value) {
        TASK_START.set(segment, 0L, value);
    }

    public int taskNumber() {
        return (int) TASK_NUMBER.get(segment, 0L);
    }

    public void taskNumber(int value) {
        TASK_NUMBER.set(segment, 0L, value);
    }

    /** Out, also on failure. */
    public int taskCounter() {
        return (int) TASK_COUNTER.get(segment, 0L);
    }

    public void taskCounter(int value) {
        TASK_COUNTER.set(segment, 0L, value);
    }

    /** Ignored by the driver. */
    public int priority() {
        return (int) PRIORITY.get(segment, 0L);
    }

    public void priority(int value) {
        PRIORITY.set(segment, 0L, value);
    }

    /** The task array's object. */
    public long taskObjAddr() {
        return (long) TASK_OBJ_ADDR.get(segment, 0L);
    }

    public void taskObjAddr(long value) {
        TASK_OBJ_ADDR.set(segment, 0L, value);
    }

    public int iommuDomainId() {
        return (int) IOMMU_DOMAIN_ID.get(segment, 0L);
    }

    public void iommuDomainId(int value) {
        IOMMU_DOMAIN_ID.set(segment, 0L, value);
    }

    public int reserved() {
        return (int) RESERVED.get(segment, 0L);
    }

    public void reserved(int value) {
        RESERVED.set(segment, 0L, value);
    }

    /** Added to every data address, not to programs. */
    public long taskBaseAddr() {
        return (long) TASK_BASE_ADDR.get(segment, 0L);
    }

    public void taskBaseAddr(long value) {
        TASK_BASE_ADDR.set(segment, 0L, value);
    }

    /** Out, in nanoseconds. */
    public long hwElapseTime() {
        return (long) HW_ELAPSE_TIME.get(segment, 0L);
    }

    public void hwElapseTime(long value) {
        HW_ELAPSE_TIME.set(segment, 0L, value);
    }

    public int coreMask() {
        return (int) CORE_MASK.get(segment, 0L);
    }

    public void coreMask(int value) {
        CORE_MASK.set(segment, 0L, value);
    }

    public int fenceFd() {
        return (int) FENCE_FD.get(segment, 0L);
    }

    public void fenceFd(int value) {
        FENCE_FD.set(segment, 0L, value);
    }

    /** The range of entry {@code index}, 0 to 4. */
    public RknpuSubcoreTask subcoreTask(int index) {
        if (index < 0 || index >= SUBCORE_TASKS) {
            throw new IndexOutOfBoundsException("subcore_task[" + index + "] of " + SUBCORE_TASKS);
        }
        return new RknpuSubcoreTask(segment.asSlice(
                SUBCORE_TASK_OFFSET + index * RknpuSubcoreTask.LAYOUT.byteSize(), RknpuSubcoreTask.LAYOUT.byteSize()));
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("flags=0x" + Integer.toHexString(flags())
                + " timeout=" + Integer.toUnsignedString(timeout())
                + " task_start=" + Integer.toUnsignedString(taskStart())
                + " task_number=" + Integer.toUnsignedString(taskNumber())
                + " task_counter=" + Integer.toUnsignedString(taskCounter())
                + " priority=" + priority()
                + " task_obj_addr=0x" + Long.toHexString(taskObjAddr())
                + " iommu_domain_id=" + Integer.toUnsignedString(iommuDomainId())
                + " reserved=0x" + Integer.toHexString(reserved())
                + " task_base_addr=0x" + Long.toHexString(taskBaseAddr())
                + " hw_elapse_time=" + hwElapseTime()
                + " core_mask=0x" + Integer.toHexString(coreMask())
                + " fence_fd=" + fenceFd());
        for (int i = 0; i < SUBCORE_TASKS; i++) {
            text.append(" subcore_task[")
                    .append(i)
                    .append("]={")
                    .append(subcoreTask(i))
                    .append('}');
        }
        return text.toString();
    }
}
