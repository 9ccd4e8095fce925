package dev.portal.hexagon;

import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.ListenerWire;
import dev.portal.hardware.fastrpc.RemotectlWire;
import dev.portal.hardware.fastrpc.Scalars;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the host offers to code on the DSP: {@code apps_remotectl} on handle 0, which opens the services that were put in
 * by name (spec 2.6). A name that is not here is refused as a missing module; calls with handles in them are refused.
 *
 * <p>Used by one listener thread.
 */
final class ReverseServices {
    /** One service, such as {@code apps_std}. */
    @FunctionalInterface
    interface Service {
        /**
         * Runs a method.
         *
         * @param method its number, the escape resolved
         * @param in the in buffers; valid during the call
         * @param out one for each out buffer, as long as its capacity, zeroed; written in place
         * @return 0, or an AEE code
         */
        int call(int method, List<MemorySegment> in, List<MemorySegment> out);
    }

    /**
     * An answer.
     *
     * @param result 0, or an AEE code
     * @param packed the out buffers: for each u32 length, padding to 8, bytes
     */
    record Reply(int result, MemorySegment packed) {
        static Reply failed(int result) {
            return new Reply(result, MemorySegment.NULL);
        }
    }

    private static final int LARGEST_REPLY_BYTES = 16 << 20;

    private final Map<String, Service> byName;
    private final Map<Integer, Service> open = new HashMap<>();
    private int nextHandle = 1;

    ReverseServices(Map<String, Service> byName) {
        this.byName = Map.copyOf(byName);
    }

    Reply answer(ReverseCall call) {
        int scalars = call.scalars();
        if (Scalars.inHandles(scalars) + Scalars.outHandles(scalars) > 0) {
            return Reply.failed(AeeError.EBADPARM.code());
        }
        ReverseCall.Arguments arguments = call.arguments().orElse(null);
        if (arguments == null) {
            return Reply.failed(AeeError.EBADPARM.code());
        }
        @Nullable
        Service service =
                call.handle() == ListenerWire.HANDLE_APPS_REMOTECTL ? this::remotectl : open.get(call.handle());
        if (service == null) {
            return Reply.failed(AeeError.EINVHANDLE.code());
        }
        long bytes = 0;
        for (int capacity : arguments.outCapacities()) {
            bytes = aligned(bytes + Integer.BYTES) + capacity;
        }
        if (bytes > LARGEST_REPLY_BYTES) {
            return Reply.failed(AeeError.ENOMEMORY.code());
        }
        int method = Scalars.method(scalars);
        if (method == Scalars.METHOD_ESCAPE) {
            if (arguments.in().isEmpty() || arguments.in().getFirst().byteSize() < Integer.BYTES) {
                return Reply.failed(AeeError.EBADPARM.code());
            }
            method = arguments.in().getFirst().get(ValueLayout.JAVA_INT_UNALIGNED, 0);
        }
        MemorySegment packed = Arena.ofAuto().allocate(Math.max(bytes, 1), ListenerWire.BYTES_ALIGNMENT);
        List<MemorySegment> out = new java.util.ArrayList<>();
        long at = 0;
        for (int capacity : arguments.outCapacities()) {
            packed.set(ValueLayout.JAVA_INT_UNALIGNED, at, capacity);
            at = aligned(at + Integer.BYTES);
            out.add(packed.asSlice(at, capacity));
            at += capacity;
        }
        int result = service.call(method, arguments.in(), out);
        return result == 0 ? new Reply(0, packed.asSlice(0, bytes)) : Reply.failed(result);
    }

    private static long aligned(long at) {
        return (at + ListenerWire.BYTES_ALIGNMENT - 1) & -ListenerWire.BYTES_ALIGNMENT;
    }

    /** {@code apps_remotectl}: open and close, packed as on the other side. */
    private int remotectl(int method, List<MemorySegment> in, List<MemorySegment> out) {
        return switch (method) {
            case RemotectlWire.OPEN -> openService(in, out);
            case RemotectlWire.CLOSE -> closeService(in);
            default -> AeeError.EUNSUPPORTED.code();
        };
    }

    private int openService(List<MemorySegment> in, List<MemorySegment> out) {
        if (in.size() < 2 || out.isEmpty() || out.getFirst().byteSize() < RemotectlWire.OPEN_OUT_BYTES) {
            return AeeError.EBADPARM.code();
        }
        Service service = byName.get(name(in.get(1)));
        MemorySegment primitives = out.getFirst();
        if (service == null) {
            primitives.set(ValueLayout.JAVA_INT_UNALIGNED, RemotectlWire.OPEN_OUT_ERROR, AeeError.ENOSUCHMOD.code());
            return 0;
        }
        open.put(nextHandle, service);
        primitives.set(ValueLayout.JAVA_INT_UNALIGNED, RemotectlWire.OPEN_OUT_HANDLE, nextHandle);
        nextHandle++;
        return 0;
    }

    private int closeService(List<MemorySegment> in) {
        if (in.isEmpty() || in.getFirst().byteSize() < RemotectlWire.CLOSE_IN_BYTES) {
            return AeeError.EBADPARM.code();
        }
        int handle = in.getFirst().get(ValueLayout.JAVA_INT_UNALIGNED, RemotectlWire.CLOSE_HANDLE);
        return open.remove(handle) == null ? AeeError.EINVHANDLE.code() : 0;
    }

    private static String name(MemorySegment bytes) {
        String text = new String(bytes.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
        int end = text.indexOf('\0');
        return end < 0 ? text : text.substring(0, end);
    }
}
