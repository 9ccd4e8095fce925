package dev.portal.hardware.rk3588;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct drm_prime_handle}, 12 bytes. Turns a handle into a descriptor and back.
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class DrmPrimeHandle {
    public static final StructLayout LAYOUT = RknpuAbi.struct(
            "drm_prime_handle",
            12,
            ValueLayout.JAVA_INT.withName("handle"),
            ValueLayout.JAVA_INT.withName("flags"),
            ValueLayout.JAVA_INT.withName("fd"));

    private static final VarHandle HANDLE = RknpuAbi.field(LAYOUT, "handle");
    private static final VarHandle FLAGS = RknpuAbi.field(LAYOUT, "flags");
    private static final VarHandle FD = RknpuAbi.field(LAYOUT, "fd");

    private final MemorySegment segment;

    /** @param segment at least 12 bytes, aligned to 4 */
    public DrmPrimeHandle(MemorySegment segment) {
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

    public int flags() {
        return (int) FLAGS.get(segment, 0L);
    }

    public void flags(int value) {
        FLAGS.set(segment, 0L, value);
    }

    public int fd() {
        return (int) FD.get(segment, 0L);
    }

    public void fd(int value) {
        FD.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "handle=0x" + Integer.toHexString(handle()) + " flags=0x" + Integer.toHexString(flags()) + " fd=" + fd();
    }
}
