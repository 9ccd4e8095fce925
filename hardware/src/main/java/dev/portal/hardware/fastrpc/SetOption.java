package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_ioctl_set_option}, 32 bytes. The argument of {@link Fastrpc#SET_OPTION}, of a vendor tree only (spec 1.2). Aligned to 4.
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class SetOption {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_ioctl_set_option",
            32,
            ValueLayout.JAVA_INT.withName("request_id"),
            ValueLayout.JAVA_INT.withName("value"),
            MemoryLayout.sequenceLayout(6, ValueLayout.JAVA_INT).withName("reserved"));

    private static final VarHandle REQUEST_ID = Fastrpc.field(LAYOUT, "request_id");
    private static final VarHandle VALUE = Fastrpc.field(LAYOUT, "value");

    private final MemorySegment segment;

    /** @param segment at least 32 bytes, aligned to 4 */
    public SetOption(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** {@link Fastrpc#OPTION_POLL_MODE}. */
    public int requestId() {
        return (int) REQUEST_ID.get(segment, 0L);
    }

    public void requestId(int value) {
        REQUEST_ID.set(segment, 0L, value);
    }

    /** 0 or 1. */
    public int value() {
        return (int) VALUE.get(segment, 0L);
    }

    public void value(int value) {
        VALUE.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "request_id=" + Integer.toUnsignedString(requestId()) + " value=" + Integer.toUnsignedString(value());
    }
}
