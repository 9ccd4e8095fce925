package dev.portal.hexagon;

import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.ListenerWire;
import dev.portal.hardware.fastrpc.Scalars;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CountDownLatch;

/**
 * The thread that the DSP calls back through: it waits in {@code adsp_listener.next2} until code on the DSP wants something
 * of the host, answers, and waits again (spec 2.6). Loading a module from a file needs it.
 *
 * <p>Ends with the session: the wait is interrupted when the session closes.
 */
final class ReverseListener {
    /** Room for the arguments of a reverse call; more is fetched by get_in_bufs2. */
    private static final int FIRST_BYTES = 4096;

    private static final int LARGEST_BYTES = 16 << 20;

    private final FastRpcSession session;
    private final ReverseServices services;
    private final CountDownLatch ended = new CountDownLatch(1);
    private boolean handleInterface = true;

    private ReverseListener(FastRpcSession session, ReverseServices services) {
        this.session = session;
        this.services = services;
    }

    /** Starts serving on a thread of the session's pool. */
    static ReverseListener start(FastRpcSession session, ReverseServices services) {
        ReverseListener listener = new ReverseListener(session, services);
        session.threads().background(listener::serve);
        return listener;
    }

    private void serve() {
        try {
            int context = 0;
            int result = ListenerWire.NO_RESULT;
            MemorySegment answer = MemorySegment.NULL;
            boolean triedAgain = false;
            while (session.isOpen()) {
                try {
                    ReverseCall call = next(context, result, answer);
                    context = call.context();
                    ReverseServices.Reply reply = services.answer(call);
                    result = reply.result();
                    answer = reply.packed();
                    triedAgain = false;
                } catch (HexagonException.DspFailed e) {
                    if (handleInterface && e.result() != AeeError.EBADSTATE.onDsp() && context == 0) {
                        // Older firmware has the plain interface only.
                        handleInterface = false;
                        continue;
                    }
                    if (e.result() == AeeError.EINTERRUPTED) {
                        triedAgain = false;
                    } else if (e.result() == AeeError.EBADSTATE.onDsp() || triedAgain) {
                        return;
                    } else {
                        triedAgain = true;
                    }
                    context = 0;
                    result = ListenerWire.NO_RESULT;
                    answer = MemorySegment.NULL;
                }
            }
        } catch (HexagonException e) {
            // The session is over, and the listener with it; whoever makes the next call learns why.
            return;
        } finally {
            ended.countDown();
        }
    }

    private ReverseCall next(int context, int result, MemorySegment answer) {
        CallFrame frame = new CallFrame(
                "adsp_listener.next2",
                handleInterface ? ListenerWire.NEXT2_1_SCALARS : ListenerWire.NEXT2_SCALARS,
                ListenerWire.NEXT2_IN_BYTES,
                ListenerWire.NEXT2_OUT_BYTES);
        MemorySegment bufs = Arena.ofAuto().allocate(FIRST_BYTES, ListenerWire.BYTES_ALIGNMENT);
        new ArgumentPacker()
                .into(frame.in())
                .u32(context)
                .u32(result)
                .count((int) answer.byteSize())
                .count((int) bufs.byteSize());
        frame.inline(1, answer);
        frame.inline(3, bufs);
        session.invokeWaiting(handle(), frame);
        int newContext = frame.out().get(ValueLayout.JAVA_INT, ListenerWire.NEXT2_OUT_CONTEXT);
        int required = frame.out().get(ValueLayout.JAVA_INT, ListenerWire.NEXT2_OUT_LENGTH_REQUIRED);
        if (required > bufs.byteSize()) {
            bufs = rest(newContext, bufs, required);
        }
        return new ReverseCall(
                newContext,
                frame.out().get(ValueLayout.JAVA_INT, ListenerWire.NEXT2_OUT_HANDLE),
                frame.out().get(ValueLayout.JAVA_INT, ListenerWire.NEXT2_OUT_SCALARS),
                bufs);
    }

    private int handle() {
        return handleInterface ? Fastrpc.HANDLE_LISTENER1 : Fastrpc.HANDLE_LISTENER;
    }

    /** Arguments that did not fit into the first answer. */
    private MemorySegment rest(int context, MemorySegment first, int required) {
        if (required < 0 || required > LARGEST_BYTES) {
            throw new HexagonException.SessionOver("a reverse call with " + Integer.toUnsignedString(required)
                    + " bytes of arguments; " + LARGEST_BYTES + " are possible, so the DSP is not to be trusted");
        }
        MemorySegment all = Arena.ofAuto().allocate(required, ListenerWire.BYTES_ALIGNMENT);
        MemorySegment.copy(first, 0, all, 0, first.byteSize());
        MemorySegment more = all.asSlice(first.byteSize());
        CallFrame frame = new CallFrame(
                "adsp_listener.get_in_bufs2",
                handleInterface ? ListenerWire.GET_IN_BUFS2_1_SCALARS : ListenerWire.GET_IN_BUFS2_SCALARS,
                ListenerWire.GET_IN_BUFS2_IN_BYTES,
                ListenerWire.GET_IN_BUFS2_OUT_BYTES);
        new ArgumentPacker()
                .into(frame.in())
                .u32(context)
                .u32((int) first.byteSize())
                .count((int) more.byteSize());
        frame.inline(Scalars.inBuffers(frame.scalars()) + 1, more);
        session.invoke(handle(), frame);
        return all;
    }

    /** Whether the thread has ended. */
    boolean hasEnded() {
        return ended.getCount() == 0;
    }
}
