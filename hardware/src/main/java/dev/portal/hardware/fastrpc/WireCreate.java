package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct create_inbuf}, 24 bytes. First buffer of the kernel's call behind {@link Fastrpc#INIT_CREATE} (spec 1.6). Aligned to 4.
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class WireCreate {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "create_inbuf",
            24,
            ValueLayout.JAVA_INT.withName("pgid"),
            ValueLayout.JAVA_INT.withName("namelen"),
            ValueLayout.JAVA_INT.withName("filelen"),
            ValueLayout.JAVA_INT.withName("pageslen"),
            ValueLayout.JAVA_INT.withName("attrs"),
            ValueLayout.JAVA_INT.withName("siglen"));

    private static final VarHandle PGID = Fastrpc.field(LAYOUT, "pgid");
    private static final VarHandle NAMELEN = Fastrpc.field(LAYOUT, "namelen");
    private static final VarHandle FILELEN = Fastrpc.field(LAYOUT, "filelen");
    private static final VarHandle PAGESLEN = Fastrpc.field(LAYOUT, "pageslen");
    private static final VarHandle ATTRS = Fastrpc.field(LAYOUT, "attrs");
    private static final VarHandle SIGLEN = Fastrpc.field(LAYOUT, "siglen");

    private final MemorySegment segment;

    /** @param segment at least 24 bytes, aligned to 4 */
    public WireCreate(MemorySegment segment) {
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

    /** Bytes of the name with its NUL. */
    public int namelen() {
        return (int) NAMELEN.get(segment, 0L);
    }

    public void namelen(int value) {
        NAMELEN.set(segment, 0L, value);
    }

    /** Bytes of the shell. */
    public int filelen() {
        return (int) FILELEN.get(segment, 0L);
    }

    public void filelen(int value) {
        FILELEN.set(segment, 0L, value);
    }

    /** Always 1. */
    public int pageslen() {
        return (int) PAGESLEN.get(segment, 0L);
    }

    public void pageslen(int value) {
        PAGESLEN.set(segment, 0L, value);
    }

    public int attrs() {
        return (int) ATTRS.get(segment, 0L);
    }

    public void attrs(int value) {
        ATTRS.set(segment, 0L, value);
    }

    public int siglen() {
        return (int) SIGLEN.get(segment, 0L);
    }

    public void siglen(int value) {
        SIGLEN.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "pgid=" + pgid() + " namelen=" + Integer.toUnsignedString(namelen()) + " filelen="
                + Integer.toUnsignedString(filelen()) + " pageslen=" + Integer.toUnsignedString(pageslen())
                + " attrs=0x" + Integer.toHexString(attrs()) + " siglen=" + Integer.toUnsignedString(siglen());
    }
}
