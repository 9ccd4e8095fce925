package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct create_static_inbuf}, 12 bytes. First buffer of the kernel's call behind {@link Fastrpc#INIT_CREATE_STATIC}. Aligned to 4.
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class WireCreateStatic {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "create_static_inbuf",
            12,
            ValueLayout.JAVA_INT.withName("pgid"),
            ValueLayout.JAVA_INT.withName("namelen"),
            ValueLayout.JAVA_INT.withName("pageslen"));

    private static final VarHandle PGID = Fastrpc.field(LAYOUT, "pgid");
    private static final VarHandle NAMELEN = Fastrpc.field(LAYOUT, "namelen");
    private static final VarHandle PAGESLEN = Fastrpc.field(LAYOUT, "pageslen");

    private final MemorySegment segment;

    /** @param segment at least 12 bytes, aligned to 4 */
    public WireCreateStatic(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** The client. */
    public int pgid() {
        return (int) PGID.get(segment, 0L);
    }

    public void pgid(int value) {
        PGID.set(segment, 0L, value);
    }

    public int namelen() {
        return (int) NAMELEN.get(segment, 0L);
    }

    public void namelen(int value) {
        NAMELEN.set(segment, 0L, value);
    }

    public int pageslen() {
        return (int) PAGESLEN.get(segment, 0L);
    }

    public void pageslen(int value) {
        PAGESLEN.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "pgid=" + pgid() + " namelen=" + Integer.toUnsignedString(namelen()) + " pageslen="
                + Integer.toUnsignedString(pageslen());
    }
}
