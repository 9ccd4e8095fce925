package dev.portal.hardware.rk3588;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct rknpu_action}, 8 bytes. An action: a query of the driver, or a command to it (spec 2.5).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class RknpuAction {
    public static final StructLayout LAYOUT = RknpuAbi.struct(
            "rknpu_action", 8, ValueLayout.JAVA_INT.withName("flags"), ValueLayout.JAVA_INT.withName("value"));

    private static final VarHandle FLAGS = RknpuAbi.field(LAYOUT, "flags");
    private static final VarHandle VALUE = RknpuAbi.field(LAYOUT, "value");

    private final MemorySegment segment;

    /** @param segment at least 8 bytes, aligned to 4 */
    public RknpuAction(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves, for the ioctl. */
    public MemorySegment segment() {
        return segment;
    }

    /** The action code, {@link RknpuAbi#ACTION_GET_HW_VERSION} and so on. */
    public int flags() {
        return (int) FLAGS.get(segment, 0L);
    }

    public void flags(int value) {
        FLAGS.set(segment, 0L, value);
    }

    /** In and out. */
    public int value() {
        return (int) VALUE.get(segment, 0L);
    }

    public void value(int value) {
        VALUE.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "flags=0x" + Integer.toHexString(flags()) + " value=0x" + Integer.toHexString(value());
    }
}
