package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_req_munmap}, 16 bytes. The argument of {@link Fastrpc#MUNMAP}: gives back what {@link Fastrpc#MMAP} added (spec 1.6).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class ReqMunmap {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_req_munmap",
            16,
            ValueLayout.JAVA_LONG.withName("vaddrout"),
            ValueLayout.JAVA_LONG.withName("size"));

    private static final VarHandle VADDROUT = Fastrpc.field(LAYOUT, "vaddrout");
    private static final VarHandle SIZE = Fastrpc.field(LAYOUT, "size");

    private final MemorySegment segment;

    /** @param segment at least 16 bytes, aligned to 8 */
    public ReqMunmap(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** Exactly the address that MMAP gave. */
    public long vaddrout() {
        return (long) VADDROUT.get(segment, 0L);
    }

    public void vaddrout(long value) {
        VADDROUT.set(segment, 0L, value);
    }

    /** Exactly the size that MMAP was given. */
    public long size() {
        return (long) SIZE.get(segment, 0L);
    }

    public void size(long value) {
        SIZE.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "vaddrout=0x" + Long.toHexString(vaddrout()) + " size=" + Long.toUnsignedString(size());
    }
}
