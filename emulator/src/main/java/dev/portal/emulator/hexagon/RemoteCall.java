package dev.portal.emulator.hexagon;

import dev.portal.emulator.Diagnostic.Severity;
import dev.portal.emulator.ModelReport;
import dev.portal.hardware.fastrpc.Scalars;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * A call as the DSP receives it: the message's words and the payload, out of which it reads where its buffers are. A
 * buffer lies in the payload, or on pages of a DMA-BUF of the session, or nowhere.
 */
final class RemoteCall {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final int LARGEST_STRAY = 1 << 16;

    final CallContext context;
    private final ModelReport report;

    RemoteCall(CallContext context, ModelReport report) {
        this.context = context;
        this.report = report;
    }

    int client() {
        return context.file.client();
    }

    int handle() {
        return context.handle;
    }

    int scalars() {
        return context.scalars;
    }

    /** The method, through the escape where it is used: then the first word of the first in-buffer says it. */
    int method() {
        int method = Scalars.method(context.scalars);
        if (method != Scalars.METHOD_ESCAPE || Scalars.inBuffers(context.scalars) == 0) {
            return method;
        }
        MemorySegment first = in(0);
        return first.byteSize() < 4 ? method : first.get(INT, 0);
    }

    /** Whether the counts are exactly these, without handles, and the first buffers are at least so long. */
    boolean has(int inBuffers, int outBuffers, long primitiveIn, long primitiveOut) {
        return Scalars.inBuffers(scalars()) == inBuffers
                && Scalars.outBuffers(scalars()) == outBuffers
                && Scalars.inHandles(scalars()) + Scalars.outHandles(scalars()) == 0
                && (inBuffers == 0 || length(0) >= primitiveIn)
                && (outBuffers == 0 || length(inBuffers) >= primitiveOut);
    }

    /** The bytes of an in-buffer. */
    MemorySegment in(int index) {
        return buffer(index);
    }

    /** The room of an out-buffer. */
    MemorySegment out(int index) {
        return buffer(Scalars.inBuffers(scalars()) + index);
    }

    private long length(int index) {
        return context.payload.get(LONG, 16L * index + 8);
    }

    private MemorySegment buffer(int index) {
        MemorySegment payload = context.payload;
        int count = Scalars.count(scalars());
        long length = length(index);
        if (length == 0) {
            return MemorySegment.ofArray(new byte[0]);
        }
        int page = payload.get(INT, 16L * count + 8L * index + 4);
        long pages = payload.get(LONG, 24L * count + 16L * page);
        long address = pages + (payload.get(LONG, 16L * index) & AddressSpace.PAGE - 1);
        long offset = address - context.payloadAddress;
        if (offset >= 0 && offset + length <= payload.byteSize()) {
            return payload.asSlice(offset, length);
        }
        BufferMap map = context.file.mapAt(address);
        if (map != null && length > 0 && length <= map.buffer.size - (address - map.iova)) {
            return map.buffer.device().asSlice(address - map.iova, length);
        }
        report.add(
                Severity.WRONG,
                "wrong-pages",
                "argument " + index + " of a call names pages that the session does not have: its pointer lies outside"
                        + " the mapping of its descriptor, or its length beyond the buffer; point into the buffer");
        byte[] stray = new byte[Math.clamp(length, 0, LARGEST_STRAY)];
        Arrays.fill(stray, DmaBuf.POISON);
        return MemorySegment.ofArray(stray);
    }

    static int word(MemorySegment buffer, long offset) {
        return buffer.get(INT, offset);
    }

    static void word(MemorySegment buffer, long offset, int value) {
        buffer.set(INT, offset, value);
    }

    static long address(MemorySegment buffer, long offset) {
        return buffer.get(LONG, offset);
    }
}
