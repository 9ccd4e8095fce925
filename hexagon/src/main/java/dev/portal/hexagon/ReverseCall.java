package dev.portal.hexagon;

import dev.portal.hardware.fastrpc.ListenerWire;
import dev.portal.hardware.fastrpc.Scalars;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One call from the DSP to the host.
 *
 * @param context names it in the answer
 * @param handle what is called: 0 is {@code apps_remotectl}, others were handed out by it
 * @param scalars method and counts
 * @param packed the arguments as they came: for each in buffer a u32 length, then, if it is not zero, padding to 8 and the
 *     bytes; then a u32 capacity for each out buffer
 */
record ReverseCall(int context, int handle, int scalars, MemorySegment packed) {
    /**
     * Arguments taken apart.
     *
     * @param in the in buffers, as slices
     * @param outCapacities room in each out buffer, in bytes
     */
    record Arguments(List<MemorySegment> in, List<Integer> outCapacities) {}

    /** The arguments, or empty where lengths lead outside of what came: nothing is read beyond it. */
    Optional<Arguments> arguments() {
        List<MemorySegment> in = new ArrayList<>();
        List<Integer> capacities = new ArrayList<>();
        long at = 0;
        for (int i = 0; i < Scalars.inBuffers(scalars); i++) {
            if (!holds(at, Integer.BYTES)) {
                return Optional.empty();
            }
            long length = Integer.toUnsignedLong(packed.get(ValueLayout.JAVA_INT_UNALIGNED, at));
            at += Integer.BYTES;
            if (length != 0) {
                at = (at + ListenerWire.BYTES_ALIGNMENT - 1) & -ListenerWire.BYTES_ALIGNMENT;
            }
            if (!holds(at, length)) {
                return Optional.empty();
            }
            in.add(packed.asSlice(at, length));
            at += length;
        }
        at = (at + Integer.BYTES - 1) & -Integer.BYTES;
        for (int i = 0; i < Scalars.outBuffers(scalars); i++) {
            if (!holds(at, Integer.BYTES)) {
                return Optional.empty();
            }
            int capacity = packed.get(ValueLayout.JAVA_INT_UNALIGNED, at);
            if (capacity < 0) {
                return Optional.empty();
            }
            capacities.add(capacity);
            at += Integer.BYTES;
        }
        return Optional.of(new Arguments(in, capacities));
    }

    private boolean holds(long at, long bytes) {
        return at <= packed.byteSize() && bytes <= packed.byteSize() - at;
    }
}
