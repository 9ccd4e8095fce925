package dev.portal.emulator.hexagon;

import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.ListenerWire;
import dev.portal.hardware.fastrpc.RemotectlWire;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reverse calls of one process (spec 2.6): threads of the host park in {@code next2}; a thread of the DSP that wants
 * something of the host is given one of them, and waits for the next {@code next2} that carries its context.
 */
final class Listener {
    /** A reverse call: what the host is asked for. */
    private static final class Request {
        final int context;
        final int handle;
        final int scalars;
        final byte[] buffers;
        final BiConsumer<Integer, byte[]> answered;

        Request(int context, int handle, int scalars, byte[] buffers, BiConsumer<Integer, byte[]> answered) {
            this.context = context;
            this.handle = handle;
            this.scalars = scalars;
            this.buffers = buffers;
            this.answered = answered;
        }
    }

    private final Deque<RemoteCall> parked = new ArrayDeque<>();
    private final Deque<Request> waiting = new ArrayDeque<>();
    private final Deque<Request> asked = new ArrayDeque<>();
    private final Replies replies;
    private int contexts;
    private boolean ended;

    /** How a parked call is answered. */
    interface Replies {
        void reply(RemoteCall call, int result);
    }

    Listener(Replies replies) {
        this.replies = replies;
    }

    /** Whether a thread of the host waits here. */
    boolean attended() {
        parked.removeIf(call -> call.context.done() || call.context.abandoned);
        return !parked.isEmpty();
    }

    /** {@code next2}: delivers the answer to the call before, and waits for the next. */
    Outcome next2(RemoteCall call) {
        if (!call.has(2, 2, ListenerWire.NEXT2_IN_BYTES, ListenerWire.NEXT2_OUT_BYTES)) {
            return Outcome.reply(AeeError.EBADPARM.onDsp());
        }
        if (ended) {
            return Outcome.reply(AeeError.EBADSTATE.onDsp());
        }
        MemorySegment in = call.in(0);
        int previous = RemoteCall.word(in, ListenerWire.NEXT2_PREVIOUS_CONTEXT);
        if (previous != 0) {
            Request request = find(previous);
            if (request == null) {
                return Outcome.reply(AeeError.EBADPARM.onDsp());
            }
            asked.remove(request);
            byte[] out = call.in(1).toArray(ValueLayout.JAVA_BYTE);
            request.answered.accept(RemoteCall.word(in, ListenerWire.NEXT2_PREVIOUS_RESULT), out);
        }
        parked.add(call);
        deliver();
        return Outcome.PARKED;
    }

    /** {@code get_in_bufs2}: the rest of a request that did not fit. */
    Outcome rest(RemoteCall call) {
        if (!call.has(1, 2, ListenerWire.GET_IN_BUFS2_IN_BYTES, ListenerWire.GET_IN_BUFS2_OUT_BYTES)) {
            return Outcome.reply(AeeError.EBADPARM.onDsp());
        }
        MemorySegment in = call.in(0);
        Request request = find(RemoteCall.word(in, ListenerWire.GET_IN_BUFS2_CONTEXT));
        int offset = RemoteCall.word(in, ListenerWire.GET_IN_BUFS2_OFFSET);
        if (request == null || offset < 0 || offset > request.buffers.length) {
            return Outcome.reply(AeeError.EBADPARM.onDsp());
        }
        MemorySegment room = call.out(1);
        long count = Math.min(room.byteSize(), request.buffers.length - offset);
        MemorySegment.copy(MemorySegment.ofArray(request.buffers), offset, room, 0, count);
        RemoteCall.word(call.out(0), ListenerWire.GET_IN_BUFS2_OUT_LENGTH_REQUIRED, request.buffers.length);
        return Outcome.reply(0);
    }

    /** The packed arguments of a remotectl open, as next2 hands them out. */
    static byte[] openRequest(String name) {
        byte[] text = (name + "\0").getBytes(StandardCharsets.US_ASCII);
        ByteBuffer packed = ByteBuffer.allocate(64 + text.length).order(ByteOrder.LITTLE_ENDIAN);
        packed.putInt(RemotectlWire.OPEN_IN_BYTES).position(ListenerWire.BYTES_ALIGNMENT);
        packed.putInt(text.length).putInt(RemotectlWire.DLERROR_BYTES);
        packed.putInt(text.length).position(aligned(packed.position()));
        packed.put(text).position((packed.position() + 3) / 4 * 4);
        packed.putInt(RemotectlWire.OPEN_OUT_BYTES).putInt(RemotectlWire.DLERROR_BYTES);
        return Arrays.copyOf(packed.array(), packed.position());
    }

    private static int aligned(int at) {
        return (at + ListenerWire.BYTES_ALIGNMENT - 1) / ListenerWire.BYTES_ALIGNMENT * ListenerWire.BYTES_ALIGNMENT;
    }

    private @Nullable Request find(int context) {
        for (Request request : asked) {
            if (request.context == context) {
                return request;
            }
        }
        return null;
    }

    /**
     * Asks the host.
     *
     * @param buffers the in-buffers as next2 packs them
     * @param answered gets the host's result and its packed out-buffers
     */
    void ask(int handle, int scalars, byte[] buffers, BiConsumer<Integer, byte[]> answered) {
        contexts++;
        waiting.add(new Request(contexts, handle, scalars, buffers, answered));
        deliver();
    }

    private void deliver() {
        while (attended() && !waiting.isEmpty()) {
            RemoteCall call = parked.remove();
            Request request = waiting.remove();
            MemorySegment out = call.out(0);
            RemoteCall.word(out, ListenerWire.NEXT2_OUT_CONTEXT, request.context);
            RemoteCall.word(out, ListenerWire.NEXT2_OUT_HANDLE, request.handle);
            RemoteCall.word(out, ListenerWire.NEXT2_OUT_SCALARS, request.scalars);
            RemoteCall.word(out, ListenerWire.NEXT2_OUT_LENGTH_REQUIRED, request.buffers.length);
            MemorySegment room = call.out(1);
            MemorySegment.copy(
                    MemorySegment.ofArray(request.buffers),
                    0,
                    room,
                    0,
                    Math.min(room.byteSize(), request.buffers.length));
            asked.add(request);
            replies.reply(call, 0);
        }
    }

    /** The process ends: parked threads return with EBADSTATE. */
    void end() {
        ended = true;
        while (attended()) {
            replies.reply(parked.remove(), AeeError.EBADSTATE.onDsp());
        }
        List<Request> unanswered = new ArrayList<>(asked);
        unanswered.addAll(waiting);
        asked.clear();
        waiting.clear();
        unanswered.forEach(request -> request.answered.accept(AeeError.EBADSTATE.code(), new byte[0]));
    }
}
