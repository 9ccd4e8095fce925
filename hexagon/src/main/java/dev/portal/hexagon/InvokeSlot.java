package dev.portal.hexagon;

import dev.portal.base.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What the watchdog sees of one invoke thread.
 *
 * <pre>
 *            begin              end
 *   IDLE ───────────► RUNNING ───────► IDLE
 *                        │ watchdog: too late, or the session closes
 *                        ▼            end (under the lock)
 *                     GIVEN_UP ───────► IDLE
 * </pre>
 *
 * While the state is GIVEN_UP the watchdog interrupts the thread again and again, since a signal that comes before the
 * system call has begun is lost. It does so under the slot's lock, and the thread leaves that state under the same lock,
 * so that an interrupt never meets a thread that has gone on, or is no more.
 */
final class InvokeSlot {
    private static final int IDLE = 0;
    private static final int RUNNING = 1;
    private static final int GIVEN_UP = 2;

    private final long threadHandle;
    private final AtomicInteger state = new AtomicInteger(IDLE);
    private volatile long deadlineNanos = Clock.NEVER;
    private volatile @Nullable FastRpcSession session;
    private volatile @Nullable AbortRequest abort;
    private volatile @Nullable CompletableFuture<Long> waiter;
    private volatile String call = "";

    InvokeSlot(long threadHandle) {
        this.threadHandle = threadHandle;
    }

    /** The thread is about to make a blocking call. */
    void begin(
            FastRpcSession owner,
            String what,
            long deadline,
            @Nullable AbortRequest request,
            @Nullable CompletableFuture<Long> future) {
        session = owner;
        call = what;
        abort = request;
        waiter = future;
        deadlineNanos = deadline;
        state.set(RUNNING);
    }

    /** The call has returned. True when it was given up meanwhile. */
    boolean end() {
        boolean givenUp = !state.compareAndSet(RUNNING, IDLE);
        if (givenUp) {
            synchronized (this) {
                state.set(IDLE);
            }
        }
        abort = null;
        waiter = null;
        session = null;
        return givenUp;
    }

    /** One look of the watchdog's; how much it found to do. */
    int watch(long now, Interrupter interrupter) {
        return switch (state.get()) {
            case RUNNING -> watchRunning(now, interrupter);
            case GIVEN_UP -> {
                interrupt(interrupter);
                yield 1;
            }
            default -> 0;
        };
    }

    private int watchRunning(long now, Interrupter interrupter) {
        AbortRequest request = abort;
        if (request != null) {
            request.poll();
        }
        FastRpcSession owner = session;
        boolean goesOn = now < deadlineNanos && (owner == null || !owner.isEnding());
        return goesOn ? 0 : giveUp(owner, interrupter);
    }

    private int giveUp(@Nullable FastRpcSession owner, Interrupter interrupter) {
        CompletableFuture<Long> future = waiter;
        String what = call;
        if (owner == null || !state.compareAndSet(RUNNING, GIVEN_UP)) {
            return 0;
        }
        HexagonException why = owner.giveUp(what);
        if (future != null) {
            future.completeExceptionally(why);
        }
        interrupt(interrupter);
        return 1;
    }

    private synchronized void interrupt(Interrupter interrupter) {
        if (state.get() == GIVEN_UP) {
            interrupter.interrupt(threadHandle);
        }
    }

    /** {@code Kernel.interrupt}. */
    @FunctionalInterface
    interface Interrupter {
        void interrupt(long threadHandle);
    }
}
