package dev.portal.hexagon;

import dev.portal.hardware.fastrpc.QnnWire;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The words that a running graph polls (spec 3.3; {@link QnnWire} draws them): the epoch that aborts it, and how far it
 * is. One for each model, in a mapped buffer of its own.
 *
 * <p>Any thread may abort while the owner's thread executes.
 */
final class ControlBlock {
    private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

    private final DmaBuffer buffer;
    private final AtomicInteger epoch = new AtomicInteger();

    ControlBlock(DmaBuffer buffer) {
        this.buffer = buffer;
        write(QnnWire.CONTROL_BLOCK_MAGIC, QnnWire.CONTROL_MAGIC);
        write(QnnWire.CONTROL_BLOCK_ABORT_EPOCH, 0);
    }

    DmaBuffer buffer() {
        return buffer;
    }

    /** What the next execution carries: an abort from now on ends it, even one that comes before the DSP has begun. */
    int epoch() {
        return epoch.get();
    }

    /** Asks the running execution to stop. */
    void abort() {
        write(QnnWire.CONTROL_BLOCK_ABORT_EPOCH, epoch.incrementAndGet());
    }

    /** Steps of the present execution that the DSP says are done. */
    int progress() {
        synchronized (this) {
            buffer.syncForRead();
            MemorySegment memory = buffer.mapping();
            int steps = (int) WORD.getAcquire(memory, (long) QnnWire.CONTROL_BLOCK_PROGRESS);
            buffer.syncAfterRead();
            return steps;
        }
    }

    private synchronized void write(int offset, int value) {
        buffer.syncForWrite();
        WORD.setRelease(buffer.mapping(), (long) offset, value);
        buffer.syncAfterWrite();
    }
}
