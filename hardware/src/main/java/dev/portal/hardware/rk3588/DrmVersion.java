package dev.portal.hardware.rk3588;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct drm_version}, 64 bytes. Asks a DRM node which driver stands behind it (spec 2.1). The lengths are in and out: the caller's room, then the true length.
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class DrmVersion {
    public static final StructLayout LAYOUT = RknpuAbi.struct(
            "drm_version",
            64,
            ValueLayout.JAVA_INT.withName("version_major"),
            ValueLayout.JAVA_INT.withName("version_minor"),
            ValueLayout.JAVA_INT.withName("version_patchlevel"),
            MemoryLayout.paddingLayout(4),
            ValueLayout.JAVA_LONG.withName("name_len"),
            ValueLayout.JAVA_LONG.withName("name"),
            ValueLayout.JAVA_LONG.withName("date_len"),
            ValueLayout.JAVA_LONG.withName("date"),
            ValueLayout.JAVA_LONG.withName("desc_len"),
            ValueLayout.JAVA_LONG.withName("desc"));

    private static final VarHandle VERSION_MAJOR = RknpuAbi.field(LAYOUT, "version_major");
    private static final VarHandle VERSION_MINOR = RknpuAbi.field(LAYOUT, "version_minor");
    private static final VarHandle VERSION_PATCHLEVEL = RknpuAbi.field(LAYOUT, "version_patchlevel");
    private static final VarHandle NAME_LEN = RknpuAbi.field(LAYOUT, "name_len");
    private static final VarHandle NAME = RknpuAbi.field(LAYOUT, "name");
    private static final VarHandle DATE_LEN = RknpuAbi.field(LAYOUT, "date_len");
    private static final VarHandle DATE = RknpuAbi.field(LAYOUT, "date");
    private static final VarHandle DESC_LEN = RknpuAbi.field(LAYOUT, "desc_len");
    private static final VarHandle DESC = RknpuAbi.field(LAYOUT, "desc");

    private final MemorySegment segment;

    /** @param segment at least 64 bytes, aligned to 8 */
    public DrmVersion(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves, for the ioctl. */
    public MemorySegment segment() {
        return segment;
    }

    public int versionMajor() {
        return (int) VERSION_MAJOR.get(segment, 0L);
    }

    public void versionMajor(int value) {
        VERSION_MAJOR.set(segment, 0L, value);
    }

    public int versionMinor() {
        return (int) VERSION_MINOR.get(segment, 0L);
    }

    public void versionMinor(int value) {
        VERSION_MINOR.set(segment, 0L, value);
    }

    public int versionPatchlevel() {
        return (int) VERSION_PATCHLEVEL.get(segment, 0L);
    }

    public void versionPatchlevel(int value) {
        VERSION_PATCHLEVEL.set(segment, 0L, value);
    }

    public long nameLen() {
        return (long) NAME_LEN.get(segment, 0L);
    }

    public void nameLen(long value) {
        NAME_LEN.set(segment, 0L, value);
    }

    /** Pointer. */
    public long name() {
        return (long) NAME.get(segment, 0L);
    }

    public void name(long value) {
        NAME.set(segment, 0L, value);
    }

    public long dateLen() {
        return (long) DATE_LEN.get(segment, 0L);
    }

    public void dateLen(long value) {
        DATE_LEN.set(segment, 0L, value);
    }

    /** Pointer. */
    public long date() {
        return (long) DATE.get(segment, 0L);
    }

    public void date(long value) {
        DATE.set(segment, 0L, value);
    }

    public long descLen() {
        return (long) DESC_LEN.get(segment, 0L);
    }

    public void descLen(long value) {
        DESC_LEN.set(segment, 0L, value);
    }

    /** Pointer. */
    public long desc() {
        return (long) DESC.get(segment, 0L);
    }

    public void desc(long value) {
        DESC.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "version_major=" + versionMajor()
                + " version_minor=" + versionMinor()
                + " version_patchlevel=" + versionPatchlevel()
                + " name_len=" + Long.toUnsignedString(nameLen())
                + " name=0x" + Long.toHexString(name())
                + " date_len=" + Long.toUnsignedString(dateLen())
                + " date=0x" + Long.toHexString(date())
                + " desc_len=" + Long.toUnsignedString(descLen())
                + " desc=0x" + Long.toHexString(desc());
    }
}
