package dev.portal.hardware.rk3588;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct rknpu_subcore_task}, 8 bytes. The range of tasks that one core runs (spec 8.3).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class RknpuSubcoreTask {
    public static final StructLayout LAYOUT = RknpuAbi.struct(
            "rknpu_subcore_task",
            8,
            ValueLayout.JAVA_INT.withName("task_start"),
            ValueLayout.JAVA_INT.withName("task_number"));

    private static final VarHandle TASK_START = RknpuAbi.field(LAYOUT, "task_start");
    private static final VarHandle TASK_NUMBER = RknpuAbi.field(LAYOUT, "task_number");

    private final MemorySegment segment;

    /** @param segment at least 8 bytes, aligned to 4 */
    public RknpuSubcoreTask(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves, for the ioctl. */
    public MemorySegment segment() {
        return segment;
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

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "task_start=" + Integer.toUnsignedString(taskStart()) + " task_number="
                + Integer.toUnsignedString(taskNumber());
    }
}
