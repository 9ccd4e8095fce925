package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_init_create}, 24 bytes. The argument of {@link Fastrpc#INIT_CREATE}: makes the user process on the DSP (spec 1.6).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class InitCreate {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_init_create",
            24,
            ValueLayout.JAVA_INT.withName("filelen"),
            ValueLayout.JAVA_INT.withName("filefd"),
            ValueLayout.JAVA_INT.withName("attrs"),
            ValueLayout.JAVA_INT.withName("siglen"),
            ValueLayout.JAVA_LONG.withName("file"));

    private static final VarHandle FILELEN = Fastrpc.field(LAYOUT, "filelen");
    private static final VarHandle FILEFD = Fastrpc.field(LAYOUT, "filefd");
    private static final VarHandle ATTRS = Fastrpc.field(LAYOUT, "attrs");
    private static final VarHandle SIGLEN = Fastrpc.field(LAYOUT, "siglen");
    private static final VarHandle FILE = Fastrpc.field(LAYOUT, "file");

    private final MemorySegment segment;

    /** @param segment at least 24 bytes, aligned to 8 */
    public InitCreate(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** Bytes of the shell, at most {@link Fastrpc#INIT_FILELEN_MAX}. */
    public int filelen() {
        return (int) FILELEN.get(segment, 0L);
    }

    public void filelen(int value) {
        FILELEN.set(segment, 0L, value);
    }

    /** The DMA-BUF that holds the shell. */
    public int filefd() {
        return (int) FILEFD.get(segment, 0L);
    }

    public void filefd(int value) {
        FILEFD.set(segment, 0L, value);
    }

    /** Bits {@code Fastrpc.MODE_*}. */
    public int attrs() {
        return (int) ATTRS.get(segment, 0L);
    }

    public void attrs(int value) {
        ATTRS.set(segment, 0L, value);
    }

    /** Bytes of a signature that the driver forwards unread; 0 here. */
    public int siglen() {
        return (int) SIGLEN.get(segment, 0L);
    }

    public void siglen(int value) {
        SIGLEN.set(segment, 0L, value);
    }

    /** Address of the shell inside the client's mapping of {@code filefd}. */
    public long file() {
        return (long) FILE.get(segment, 0L);
    }

    public void file(long value) {
        FILE.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "filelen=" + Integer.toUnsignedString(filelen()) + " filefd=" + filefd() + " attrs=0x"
                + Integer.toHexString(attrs()) + " siglen=" + Integer.toUnsignedString(siglen()) + " file=0x"
                + Long.toHexString(file());
    }
}
