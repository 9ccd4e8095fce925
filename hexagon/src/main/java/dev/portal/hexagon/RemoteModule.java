package dev.portal.hexagon;

import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.RemotectlWire;
import dev.portal.hardware.fastrpc.Scalars;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * A library loaded into the DSP process, and its handle.
 *
 * <p>Loading has two results: the call's says whether {@code remotectl} ran, its own says whether the library was found and
 * accepted (spec 2.3). The handle interface {@code remotectl1} is asked first and the plain one when the firmware has none.
 */
public final class RemoteModule implements AutoCloseable {
    private final FastRpcSession session;
    private final String uri;
    private final int handle;
    private final boolean handleInterface;
    private boolean closed;

    private RemoteModule(FastRpcSession session, String uri, int handle, boolean handleInterface) {
        this.session = session;
        this.uri = uri;
        this.handle = handle;
        this.handleInterface = handleInterface;
    }

    /**
     * Loads a module.
     *
     * @param uri as {@code file:///libX_skel.so?X_skel_handle_invoke&_modver=1.0&_dom=cdsp}
     * @throws HexagonException.ModuleFailed when the loader says no, with its text
     */
    public static RemoteModule open(FastRpcSession session, String uri) {
        try {
            return open(session, uri, true);
        } catch (HexagonException.DspFailed e) {
            if (isMissingInterface(e.result())) {
                return open(session, uri, false);
            }
            throw e;
        }
    }

    private static boolean isMissingInterface(int result) {
        return AeeError.ofDspResult(result)
                .filter(error -> error == AeeError.ENOSUCHMOD
                        || error == AeeError.ERPC
                        || error == AeeError.EINVHANDLE
                        || error == AeeError.EUNSUPPORTED)
                .isPresent();
    }

    private static RemoteModule open(FastRpcSession session, String uri, boolean handleInterface) {
        int scalars = handleInterface ? RemotectlWire.OPEN1_SCALARS : RemotectlWire.OPEN_SCALARS;
        CallFrame frame =
                new CallFrame("remotectl.open", scalars, RemotectlWire.OPEN_IN_BYTES, RemotectlWire.OPEN_OUT_BYTES);
        Arena arena = Arena.ofAuto();
        MemorySegment name = arena.allocateFrom(uri, StandardCharsets.UTF_8);
        MemorySegment text = arena.allocate(RemotectlWire.DLERROR_BYTES);
        new ArgumentPacker().into(frame.in()).count((int) name.byteSize()).count((int) text.byteSize());
        frame.inline(1, name);
        frame.inline(3, text);
        session.invoke(interfaceHandle(handleInterface), frame);
        int error = frame.out().get(ValueLayout.JAVA_INT, RemotectlWire.OPEN_OUT_ERROR);
        if (error != 0) {
            throw failed("loading " + uri, error, text);
        }
        int handle = frame.out().get(ValueLayout.JAVA_INT, RemotectlWire.OPEN_OUT_HANDLE);
        return new RemoteModule(session, uri, handle, handleInterface);
    }

    private static int interfaceHandle(boolean handleInterface) {
        return handleInterface ? Fastrpc.HANDLE_REMOTECTL1 : Fastrpc.HANDLE_REMOTECTL;
    }

    private static HexagonException.ModuleFailed failed(String what, int error, MemorySegment text) {
        String said = text(text);
        return new HexagonException.ModuleFailed(
                what + ": " + AeeError.describe(error) + (said.isEmpty() ? "" : ", the loader says: " + said)
                        + "; check that the library is in the DSP's search path and built for its architecture",
                error);
    }

    private static String text(MemorySegment room) {
        byte[] bytes = room.toArray(ValueLayout.JAVA_BYTE);
        int end = 0;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }

    /** What calls are addressed to. */
    public int handle() {
        return handle;
    }

    FastRpcSession session() {
        return session;
    }

    /** Calls a method of the module. */
    public void invoke(CallFrame frame) {
        session.invoke(handle, frame);
    }

    /** Unloads the module. The last module of a session ends nothing else here: the session has an end of its own. */
    @Override
    public void close() {
        if (closed || !session.isOpen()) {
            closed = true;
            return;
        }
        closed = true;
        int scalars = handleInterface ? RemotectlWire.CLOSE1_SCALARS : RemotectlWire.CLOSE_SCALARS;
        CallFrame frame =
                new CallFrame("remotectl.close", scalars, RemotectlWire.CLOSE_IN_BYTES, RemotectlWire.CLOSE_OUT_BYTES);
        MemorySegment text = Arena.ofAuto().allocate(RemotectlWire.DLERROR_BYTES);
        new ArgumentPacker().into(frame.in()).u32(handle).count((int) text.byteSize());
        frame.inline(Scalars.inBuffers(scalars) + 1, text);
        session.invoke(interfaceHandle(handleInterface), frame);
        int error = frame.out().get(ValueLayout.JAVA_INT, RemotectlWire.CLOSE_OUT_ERROR);
        if (error != 0) {
            throw failed("closing " + uri, error, text);
        }
    }

    @Override
    public String toString() {
        return "module 0x" + Integer.toHexString(handle) + " (" + uri + ")";
    }
}
