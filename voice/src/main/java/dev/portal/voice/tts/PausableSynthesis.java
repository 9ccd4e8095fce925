package dev.portal.voice.tts;

import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Runs a library that pushes audio, and that cannot be left in the middle, as if audio were pulled from it.
 *
 * <p>The library runs on a thread of its own, but only while {@link #advance} waits for it: with each piece it stops
 * inside its own callback. So the caller may stay away for as long as it likes between two pieces, and the audio is the
 * same to the last sample. The alternative, to end the library's call and to repeat it up to the same place later, would
 * make a preempted job slower each time.
 *
 * <p>One caller at a time. {@link #close()} makes the library end at its next callback, and waits for that.
 */
final class PausableSynthesis implements AutoCloseable {
    /** What the library does; it ends early when the sink says so. */
    @FunctionalInterface
    interface Producer {
        void run(Utterance.PieceSink sink);
    }

    private final Thread thread;
    private final Semaphore go = new Semaphore(0);
    private final Semaphore arrived = new Semaphore(0);
    private float[] samples = new float[0];
    private int length;
    private boolean finished;
    private volatile boolean stopping;
    private boolean started;
    private @Nullable Throwable thrown;

    PausableSynthesis(String name, Producer producer) {
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(() -> produce(producer));
    }

    private void produce(Producer producer) {
        try {
            producer.run(this::deliver);
        } catch (Throwable e) {
            thrown = e;
        } finally {
            finished = true;
            arrived.release();
        }
    }

    private boolean deliver(float[] piece, int offset, int pieceLength) {
        if (samples.length < pieceLength) {
            samples = new float[pieceLength];
        }
        System.arraycopy(piece, offset, samples, 0, pieceLength);
        length = pieceLength;
        arrived.release();
        go.acquireUninterruptibly();
        return !stopping;
    }

    /**
     * Lets the library work until it has the next piece.
     *
     * @return false when there is no more
     */
    synchronized boolean advance() {
        if (finished) {
            return false;
        }
        if (started) {
            go.release();
        } else {
            started = true;
            thread.start();
        }
        arrived.acquireUninterruptibly();
        switch (thrown) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(thrown);
        }
        return !finished;
    }

    /**
     * Hands over the present piece.
     *
     * @return false when the sink wants no more, or nothing is left because of {@link #close()}
     */
    synchronized boolean giveTo(Utterance.PieceSink sink) {
        return !stopping && sink.accept(samples, 0, length);
    }

    @Override
    public synchronized void close() {
        stopping = true;
        if (started && !finished) {
            go.release();
            arrived.acquireUninterruptibly();
        }
        finished = true;
    }
}
