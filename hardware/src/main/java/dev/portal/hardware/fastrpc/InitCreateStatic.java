package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_init_create_static}, 16 bytes. The argument of {@link Fastrpc#INIT_CREATE_STATIC}, newer than kernel 6.1 (spec 1.3).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class InitCreateStatic {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_init_create_static",
            16,
            ValueLayout.JAVA_INT.withName("namelen"),
            ValueLayout.JAVA_INT.withName("memlen"),
            ValueLayout.JAVA_LONG.withName("name"));

    private static final VarHandle NAMELEN = Fastrpc.field(LAYOUT, "namelen");
    private static final VarHandle MEMLEN = Fastrpc.field(LAYOUT, "memlen");
    private static final VarHandle NAME = Fastrpc.field(LAYOUT, "name");

    private final MemorySegment segment;

    /** @param segment at least 16 bytes, aligned to 8 */
    public InitCreateStatic(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** At most {@link Fastrpc#INIT_FILE_NAMELEN_MAX}. */
    public int namelen() {
        return (int) NAMELEN.get(segment, 0L);
    }

    public void namelen(int value) {
        NAMELEN.set(segment, 0L, value);
    }

    /** In bytes. */
    public int memlen() {
        return (int) MEMLEN.get(segment, 0L);
    }

    public void memlen(int value) {
        MEMLEN.set(segment, 0L, value);
    }

    /** Address of the name. */
    public long name() {
        return (long) NAME.get(segment, 0L);
    }

    public void name(long value) {
        NAME.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "namelen=" + Integer.toUnsignedString(namelen()) + " memlen=" + Integer.toUnsignedString(memlen())
                + " name=0x" + Long.toHexString(name());
    }
}
