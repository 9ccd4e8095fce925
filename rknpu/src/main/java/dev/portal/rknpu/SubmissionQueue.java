package dev.portal.rknpu;

import dev.portal.base.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects steps and runs them in chunks while the caller does something else (seed section 3).
 *
 * <pre>{@code
 * SubmissionQueue queue = new SubmissionQueue(device, 32, 3, SubmissionQueue.LINGER_NANOS);
 * for (ChainStep step : steps) {
 *     queue.push(step);     // a full chunk goes at once
 *     cpuShare(step);       // the processor's part meanwhile
 *     queue.poll();         // takes a finished chunk back, starts the next
 * }
 * queue.drain();            // everything has landed
 * }</pre>
 *
 * <p>One chunk is in flight at a time, a job that ends by itself; the next one follows at the next look. Steps that wait
 * are started when a chunk is full, when the oldest has lingered, or by {@link #flush}. There is no thread: what happens,
 * happens in a call. At {@link #capacity()} waiting steps {@link #offer} refuses and {@link #push} waits.
 *
 * <p>One thread at a time.
 */
public final class SubmissionQueue implements AutoCloseable {
    /** One submit floor: lingering longer buys nothing (seed section 3). */
    public static final long LINGER_NANOS = 167_000;

    private static final int CHUNKS = 4;

    private final RknpuDevice device;
    private final Clock clock;
    private final int chunkMax;
    private final ChainOptions options;
    private final long lingerNanos;
    private final Deque<ChainStep> waiting = new ArrayDeque<>();
    private final List<ChainStep> chunk = new ArrayList<>();
    private @Nullable Chain flying;
    private long oldestNanos;
    private boolean flushing;
    private long chunks;
    private long done;

    /**
     * @param chunkMax steps of a chunk, 1 to {@link Chain#MAX_STEPS}
     * @param cores that share a chunk
     * @param lingerNanos how long a step waits for others to fill its chunk; {@link #LINGER_NANOS} by the seed
     */
    public SubmissionQueue(RknpuDevice device, int chunkMax, int cores, long lingerNanos) {
        this(device, chunkMax, ChainOptions.DEFAULT.withCores(cores), lingerNanos);
    }

    /** @param options of each chunk's chain */
    public SubmissionQueue(RknpuDevice device, int chunkMax, ChainOptions options, long lingerNanos) {
        if (chunkMax < 1 || chunkMax > Chain.MAX_STEPS) {
            throw new IllegalArgumentException("chunks of " + chunkMax + " steps; 1 to " + Chain.MAX_STEPS);
        }
        if (lingerNanos < 0) {
            throw new IllegalArgumentException("a linger of " + lingerNanos + " ns");
        }
        this.device = device;
        this.clock = device.clock();
        this.chunkMax = chunkMax;
        this.options = options;
        this.lingerNanos = lingerNanos;
        Chain.checkCores(device, options);
    }

    /** Steps that may wait. */
    public int capacity() {
        return CHUNKS * chunkMax;
    }

    /** Adds a step, unless {@link #capacity()} wait already; says whether it did. */
    public boolean offer(ChainStep step) {
        poll();
        if (waiting.size() >= capacity()) {
            return false;
        }
        if (waiting.isEmpty()) {
            oldestNanos = clock.nanos();
        }
        waiting.add(step);
        poll();
        return true;
    }

    /** Adds a step; waits for room when there is none. */
    public void push(ChainStep step) {
        while (!offer(step)) {
            Chain chain = flying;
            if (chain != null) {
                chain.spin();
            }
        }
    }

    /** Starts what waits, however little it is. */
    public void flush() {
        flushing = !waiting.isEmpty();
        poll();
    }

    /** Takes a finished chunk back and starts the next one, if there is something to do; returns at once. */
    public void poll() {
        Chain chain = flying;
        if (chain != null) {
            if (chain.remaining() > 0) {
                return;
            }
            flying = null;
            chain.end();
            done += chain.steps();
        }
        if (waiting.isEmpty()) {
            flushing = false;
            return;
        }
        boolean lingered = clock.nanos() - oldestNanos >= lingerNanos;
        if (waiting.size() >= chunkMax || flushing || lingered) {
            start();
        }
    }

    private void start() {
        chunk.clear();
        while (chunk.size() < chunkMax && !waiting.isEmpty()) {
            chunk.add(waiting.remove());
        }
        if (waiting.isEmpty()) {
            flushing = false;
        }
        oldestNanos = clock.nanos();
        chunks++;
        flying = device.begin(chunk, options);
    }

    /** Steps that wait or are in flight. */
    public int pending() {
        Chain chain = flying;
        return waiting.size() + (chain == null ? 0 : chain.remaining());
    }

    /** Steps whose results are visible. */
    public long done() {
        return done;
    }

    /** Chunks that were started. */
    public long chunks() {
        return chunks;
    }

    /** Whether nothing waits and nothing is in flight. */
    public boolean isIdle() {
        poll();
        return waiting.isEmpty() && flying == null;
    }

    /** Runs everything and waits for it. */
    public void drain() {
        while (!isIdle()) {
            flushing = true;
            Chain chain = flying;
            if (chain != null) {
                chain.spin();
            }
        }
    }

    /** Drops what waits and ends what is in flight. */
    @Override
    public void close() {
        waiting.clear();
        Chain chain = flying;
        flying = null;
        if (chain != null) {
            chain.close();
        }
    }
}
