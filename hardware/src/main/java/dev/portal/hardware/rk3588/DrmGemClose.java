package dev.portal.hardware.rk3588;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct drm_gem_close}, 8 bytes. Drops a GEM handle, the generic way.
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class DrmGemClose {
    public static final StructLayout LAYOUT = RknpuAbi.struct(
            "drm_gem_close", 8, ValueLayout.JAVA_INT.withName("handle"), ValueLayout.JAVA_INT.withName("pad"));

    private static final VarHandle HANDLE = RknpuAbi.field(LAYOUT, "handle");
    private static final VarHandle PAD = RknpuAbi.field(LAYOUT, "pad");

    private final MemorySegment segment;

    /** @param segment at least 8 bytes, aligned to 4 */
    public DrmGemClose(MemorySegment segment) {
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

    public int pad() {
        return (int) PAD.get(segment, 0L);
    }

    public void pad(int value) {
        PAD.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "handle=0x" + Integer.toHexString(handle()) + " pad=0x" + Integer.toHexString(pad());
    }
}
