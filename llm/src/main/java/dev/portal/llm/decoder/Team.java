package dev.portal.llm.decoder;

import dev.portal.base.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A few threads that share the rows of one matrix at a time. The caller works along and never waits for a helper that
 * has not begun, so a helper that the machine has put aside costs nothing.
 *
 * <p>Used by one thread at a time. Running allocates nothing. Helpers spin for a while between two matrices, then park.
 */
public final class Team implements AutoCloseable {
    /** Rounds of spinning before a helper parks, some tens of microseconds: more than lies between two layers. */
    private static final int SPINS = 20_000;

    private static final long ROW_MASK = 0xffff_ffffL;

    /** Rows of something. */
    @FunctionalInterface
    public interface Rows {
        /**
         * Computes rows {@code from} to {@code to}, the latter excluded.
         *
         * @param worker 0 to threads - 1, no two at once the same
         */
        void compute(int from, int to, int worker);
    }

    private final Clock clock;
    private final List<Thread> helpers = new ArrayList<>();
    /** Round in the upper half, the next row that nobody has taken in the lower: one word, so that no claim is stale. */
    private final AtomicLong claims = new AtomicLong();

    private final AtomicInteger done = new AtomicInteger();
    private final AtomicInteger parked = new AtomicInteger();
    private volatile @Nullable Throwable failure;
    private volatile boolean closed;
    /** Written before a round is published in {@link #claims}, and not again before its last row is done. */
    private Rows work = (from, to, worker) -> {};

    private int rows;
    private int grain = 1;

    /**
     * A team of {@code threads}, the caller's included.
     *
     * @param factory makes the helpers' threads; not used for a team of one
     */
    public Team(int threads, Clock clock, ThreadFactory factory) {
        if (threads < 1) {
            throw new IllegalArgumentException(threads + " threads; a team has 1 or more");
        }
        this.clock = clock;
        for (int i = 1; i < threads; i++) {
            int worker = i;
            Thread helper = factory.newThread(() -> help(worker));
            helpers.add(helper);
            helper.start();
        }
    }

    /** The caller's thread alone. */
    public static Team alone(Clock clock) {
        return new Team(1, clock, Thread.ofPlatform().factory());
    }

    /** Threads, the caller's included. */
    public int threads() {
        return helpers.size() + 1;
    }

    /** Computes all rows, at least {@code grain} at a time, and returns when the last one is done. */
    void run(Rows task, int rowCount, int rowsAtOnce) {
        if (helpers.isEmpty() || rowCount <= rowsAtOnce) {
            task.compute(0, rowCount, 0);
            return;
        }
        begin(task, rowCount, rowsAtOnce);
        finish();
    }

    /**
     * Lets the helpers begin, without the caller, who comes to {@link #finish()} in any case and begins nothing else
     * before. A team of one begins then.
     */
    void begin(Rows task, int rowCount, int rowsAtOnce) {
        long round = claims.get() >>> 32;
        // A helper that is late holds the last round's word: with it, it must not take a row of this one.
        claims.set((round + 1) << 32 | ROW_MASK >>> 1);
        work = task;
        rows = rowCount;
        grain = rowsAtOnce;
        done.set(0);
        claims.set((round + 2) << 32);
        if (parked.get() > 0) {
            for (int i = 0; i < helpers.size(); i++) {
                clock.unpark(helpers.get(i));
            }
        }
    }

    /** Works along on what was begun, and returns when the last row is done. */
    void finish() {
        finish(() -> {});
    }

    /**
     * As {@link #finish()}.
     *
     * @param look run by the caller whenever it has done {@code grain} rows; when it throws, the rows are done first
     */
    void finish(Runnable look) {
        RuntimeException looked = null;
        while (takeOne(0)) {
            try {
                if (looked == null) {
                    look.run();
                }
            } catch (RuntimeException e) {
                looked = e;
            }
        }
        while (done.get() < rows) {
            clock.spin();
        }
        Throwable thrown = failure;
        if (thrown != null) {
            failure = null;
            throw new IllegalStateException("rows failed: " + thrown, thrown);
        }
        if (looked != null) {
            throw looked;
        }
    }

    /** Takes and computes rows until none is left. */
    private void take(int worker) {
        while (takeOne(worker)) {
            // Whoever comes first takes the next ones.
        }
    }

    /** Takes and computes the next rows; false when none is left. */
    private boolean takeOne(int worker) {
        while (true) {
            long claim = claims.get();
            int from = (int) (claim & ROW_MASK);
            int end = rows;
            if (from >= end) {
                return false;
            }
            int to = Math.min(end, from + grain);
            Rows task = work;
            if (claims.compareAndSet(claim, (claim & ~ROW_MASK) | to)) {
                try {
                    task.compute(from, to, worker);
                } catch (RuntimeException | Error e) {
                    failure = e;
                } finally {
                    done.addAndGet(to - from);
                }
                return true;
            }
        }
    }

    private void help(int worker) {
        long seen = 0;
        int idle = 0;
        while (!closed) {
            long round = claims.get() >>> 32;
            if (round != seen) {
                seen = round;
                idle = 0;
                take(worker);
            } else if (idle++ < SPINS) {
                Thread.onSpinWait();
            } else {
                parked.incrementAndGet();
                if (claims.get() >>> 32 == seen && !closed) {
                    clock.parkUntil(Clock.NEVER);
                }
                parked.decrementAndGet();
                idle = 0;
            }
        }
    }

    /** Ends the helpers. */
    @Override
    public void close() {
        closed = true;
        helpers.forEach(clock::unpark);
        boolean interrupted = false;
        for (Thread helper : helpers) {
            while (helper.isAlive()) {
                try {
                    helper.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
