package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct fastrpc_ioctl_capability}, 28 bytes. The argument of {@link Fastrpc#GET_DSP_INFO}. Aligned to 4 (spec 1.6).
 *
 * <p>A view of memory that the caller owns; nothing is copied.
 */
public final class Capability {
    public static final StructLayout LAYOUT = Fastrpc.struct(
            "fastrpc_ioctl_capability",
            28,
            ValueLayout.JAVA_INT.withName("domain"),
            ValueLayout.JAVA_INT.withName("attribute_id"),
            ValueLayout.JAVA_INT.withName("capability"),
            MemoryLayout.sequenceLayout(4, ValueLayout.JAVA_INT).withName("reserved"));

    private static final VarHandle DOMAIN = Fastrpc.field(LAYOUT, "domain");
    private static final VarHandle ATTRIBUTE_ID = Fastrpc.field(LAYOUT, "attribute_id");
    private static final VarHandle CAPABILITY = Fastrpc.field(LAYOUT, "capability");

    private final MemorySegment segment;

    /** @param segment at least 28 bytes, aligned to 4 */
    public Capability(MemorySegment segment) {
        this.segment = segment.asSlice(0, LAYOUT.byteSize());
    }

    /** The bytes themselves. */
    public MemorySegment segment() {
        return segment;
    }

    /** In: the domain. On 6.1 drivers the answer arrives here. */
    public int domain() {
        return (int) DOMAIN.get(segment, 0L);
    }

    public void domain(int value) {
        DOMAIN.set(segment, 0L, value);
    }

    /** {@code Fastrpc.ATTRIBUTE_*}, below {@link Fastrpc#MAX_DSP_ATTRIBUTES}. */
    public int attributeId() {
        return (int) ATTRIBUTE_ID.get(segment, 0L);
    }

    public void attributeId(int value) {
        ATTRIBUTE_ID.set(segment, 0L, value);
    }

    /** Out, on drivers newer than 6.1. */
    public int capability() {
        return (int) CAPABILITY.get(segment, 0L);
    }

    public void capability(int value) {
        CAPABILITY.set(segment, 0L, value);
    }

    /** Decodes every field, for traces. */
    @Override
    public String toString() {
        return "domain=" + Integer.toUnsignedString(domain()) + " attribute_id="
                + Integer.toUnsignedString(attributeId()) + " capability=0x" + Integer.toHexString(capability());
    }
}
