package dev.portal.hexagon;

import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.Invoke;
import dev.portal.hardware.fastrpc.InvokeArgs;
import dev.portal.hardware.fastrpc.Scalars;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The memory of one remote call: the invoke struct, its arguments, and the two buffers of packed primitives. Made once and
 * called many times; a call allocates nothing.
 *
 * <pre>
 *   invoke 16 | arguments n × 24 | primitives in, aligned to 8 | primitives out, aligned to 8
 * </pre>
 *
 * <p>Its memory belongs to the garbage collector, not to a caller's arena: a caller that gives up must not free what a
 * running ioctl still uses (spec 9). One thread at a time.
 */
public final class CallFrame {
    private static final int ALIGNMENT = 8;

    private final String name;
    private final int scalars;
    private final Invoke invoke;
    private final MemorySegment arguments;
    private final MemorySegment in;
    private final MemorySegment out;
    private final DmaBuffer[] buffers;

    /**
     * A frame for calls of one shape.
     *
     * @param name for messages, such as {@code portal_qnn.execute}
     * @param scalars method and counts
     * @param inBytes packed primitives in; when above 0 they are the first in buffer
     * @param outBytes packed primitives out; when above 0 they are the first out buffer
     */
    public CallFrame(String name, int scalars, int inBytes, int outBytes) {
        this.name = name;
        this.scalars = scalars;
        int count = Scalars.count(scalars);
        long argumentsAt = Invoke.LAYOUT.byteSize();
        long inAt = argumentsAt + count * InvokeArgs.LAYOUT.byteSize();
        long outAt = aligned(inAt + inBytes);
        MemorySegment memory = Arena.ofAuto().allocate(aligned(outAt + outBytes), ALIGNMENT);
        this.invoke = new Invoke(memory);
        this.arguments = memory.asSlice(argumentsAt, count * InvokeArgs.LAYOUT.byteSize());
        this.in = memory.asSlice(inAt, inBytes);
        this.out = memory.asSlice(outAt, outBytes);
        this.buffers = new DmaBuffer[count];
        invoke.sc(scalars);
        invoke.args(arguments.address());
        for (int i = 0; i < count; i++) {
            InvokeArgs.at(arguments, i).fd(Fastrpc.NO_FD);
        }
        if (inBytes > 0) {
            require(Scalars.inBuffers(scalars) > 0, "has packed primitives in and no in buffer");
            inline(0, in);
        }
        if (outBytes > 0) {
            require(Scalars.outBuffers(scalars) > 0, "has packed primitives out and no out buffer");
            inline(Scalars.inBuffers(scalars), out);
        }
    }

    private static long aligned(long bytes) {
        return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    }

    private void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException(name + " " + what + ": " + Scalars.describe(scalars));
        }
    }

    public String name() {
        return name;
    }

    public int scalars() {
        return scalars;
    }

    /** Packed primitives on their way to the DSP. */
    public MemorySegment in() {
        return in;
    }

    /** Packed primitives from the DSP. */
    public MemorySegment out() {
        return out;
    }

    /** Passes plain memory as argument {@code index}; it must stay alive while the frame is called. */
    public void inline(int index, MemorySegment memory) {
        require(index < Scalars.buffers(scalars), "has no buffer argument " + index);
        InvokeArgs argument = InvokeArgs.at(arguments, index);
        argument.ptr(memory.byteSize() == 0 ? 0 : memory.address());
        argument.length(memory.byteSize());
        argument.fd(Fastrpc.NO_FD);
        buffers[index] = null;
    }

    /** Passes a range of a DMA-BUF by reference as argument {@code index}; the call holds the buffer. */
    public void buffer(int index, DmaBuffer buffer, long offset, long bytes) {
        require(index < Scalars.buffers(scalars), "has no buffer argument " + index);
        java.util.Objects.checkFromIndexSize(offset, bytes, buffer.sizeBytes());
        InvokeArgs argument = InvokeArgs.at(arguments, index);
        argument.ptr(buffer.mapping().address() + offset);
        argument.length(bytes);
        argument.fd(buffer.fd());
        buffers[index] = buffer;
    }

    /** The struct for the ioctl, addressed to {@code handle}. */
    MemorySegment prepare(int handle) {
        invoke.handle(handle);
        return invoke.segment();
    }

    void retainBuffers() {
        for (DmaBuffer buffer : buffers) {
            if (buffer != null) {
                buffer.retain();
            }
        }
    }

    void releaseBuffers() {
        for (DmaBuffer buffer : buffers) {
            if (buffer != null) {
                buffer.release();
            }
        }
    }

    @Override
    public String toString() {
        return name + " (" + Scalars.describe(scalars) + ")";
    }
}
