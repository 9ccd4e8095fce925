package dev.portal.emulator.hexagon;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A call that is under way: its context id, its payload, and whether the DSP has answered. It ends once: by the DSP's
 * answer, by a restart of the DSP, or with its session when its caller has left. The device's lock guards it.
 */
final class CallContext {
    private static final long KERNEL_MADE = 0;

    final int id;
    final FastRpcFile file;
    final int handle;
    final int scalars;
    final long thread;
    final CallArgument[] arguments;
    final boolean fromKernel;
    MemorySegment payload = MemorySegment.NULL;
    long payloadAddress;

    private boolean done;
    private int result;
    private boolean channelLost;
    private boolean interrupted;
    /** The caller left before the answer. */
    boolean abandoned;

    /** Runs when the answer is there and the caller has left. */
    @Nullable
    Runnable whenAnswered;

    CallContext(
            int id,
            FastRpcFile file,
            int handle,
            int scalars,
            long thread,
            CallArgument[] arguments,
            boolean fromKernel) {
        this.id = id;
        this.file = file;
        this.handle = handle;
        this.scalars = scalars;
        this.thread = thread;
        this.arguments = arguments;
        this.fromKernel = fromKernel;
    }

    /** {@code ctxid << 4 | pd}. */
    long wireId() {
        return (long) id << 4 | file.processKind();
    }

    /** The process on the wire. */
    int wireClient() {
        return fromKernel ? (int) KERNEL_MADE : file.client();
    }

    /** The DSP's answer; the first one counts. */
    void answer(int value) {
        if (!done) {
            done = true;
            result = value;
        }
    }

    /** The channel to the DSP is gone. */
    void loseChannel() {
        if (!done) {
            done = true;
            channelLost = true;
        }
    }

    void interrupt() {
        interrupted = true;
    }

    boolean done() {
        return done;
    }

    boolean interrupted() {
        return interrupted;
    }

    boolean channelLost() {
        return channelLost;
    }

    int result() {
        return result;
    }
}
