package dev.portal.hexagon;

import dev.portal.base.Agent;
import dev.portal.base.AgentRunner;
import dev.portal.base.Clock;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Kernel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads in which invokes block, and the watchdog over them.
 *
 * <p>An invoke has no timeout, and upstream drivers send it a second time after a signal (spec 1.6, 1.8). So it runs on a
 * platform thread whose asynchronous signals are blocked: the caller's own where {@link HexagonOptions#ownThreads} says
 * so, one of this pool otherwise, with the caller waiting for a future. A call that takes too long is given up: the
 * session is retired, the caller gets {@link HexagonException.DspHung}, and the thread is interrupted by the one signal
 * that it leaves open, until it comes back.
 */
final class InvokeThreads implements Agent, AutoCloseable {
    private static final long KEEP_SECONDS = 30;

    private final Kernel kernel;
    private final Clock clock;
    private final HexagonOptions options;
    private final List<InvokeSlot> slots = new CopyOnWriteArrayList<>();
    /** Of this object, not static: a slot holds a handle of this kernel's. */
    @SuppressWarnings("ThreadLocalUsage")
    private final ThreadLocal<@Nullable InvokeSlot> own = new ThreadLocal<>();

    private final AtomicInteger numbers = new AtomicInteger();
    private final ExecutorService pool;
    private final @Nullable AgentRunner watchdog;

    private InvokeThreads(Kernel kernel, Clock clock, HexagonOptions options, boolean threaded) {
        this.kernel = kernel;
        this.clock = clock;
        this.options = options;
        this.pool = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                KEEP_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                work -> Thread.ofPlatform()
                        .daemon(true)
                        .name("hexagon-invoke-" + numbers.incrementAndGet())
                        .unstarted(() -> inSlot(work)));
        this.watchdog = threaded
                ? new AgentRunner(
                                this,
                                clock,
                                0,
                                options.watchPeriodNanos(),
                                (thread, defect) -> thread.getThreadGroup().uncaughtException(thread, defect))
                        .start()
                : null;
    }

    /** With a watchdog of its own. */
    static InvokeThreads start(Kernel kernel, Clock clock, HexagonOptions options) {
        return new InvokeThreads(kernel, clock, options, true);
    }

    /** Without one: somebody calls {@link #doWork()}. For tests and simulations. */
    static InvokeThreads stepped(Kernel kernel, Clock clock, HexagonOptions options) {
        return new InvokeThreads(kernel, clock, options, false);
    }

    private void inSlot(Runnable work) {
        InvokeSlot slot = adopt();
        try {
            work.run();
        } finally {
            slots.remove(slot);
            own.remove();
        }
    }

    /** Makes the calling thread an invoke thread, for as long as it lives. */
    private InvokeSlot adopt() {
        long blocked = kernel.blockSignals();
        if (Answer.failed(blocked)) {
            throw new IllegalStateException(
                    "signals of an invoke thread cannot be blocked: " + Answer.describe(blocked));
        }
        InvokeSlot slot = new InvokeSlot(kernel.threadHandle());
        slots.add(slot);
        own.set(slot);
        return slot;
    }

    private @Nullable InvokeSlot slotOfCaller() {
        InvokeSlot slot = own.get();
        if (slot == null && options.ownThreads().test(Thread.currentThread())) {
            slot = adopt();
        }
        return slot;
    }

    /**
     * One blocking call.
     *
     * @param limitNanos after which it is given up; {@link Clock#NEVER} for calls that wait by design
     * @return the kernel's answer
     * @throws HexagonException when it was given up
     */
    long run(FastRpcSession session, CallFrame frame, int handle, long limitNanos, @Nullable AbortRequest abort) {
        InvokeSlot slot = slotOfCaller();
        if (slot != null) {
            return call(slot, session, frame, handle, limitNanos, abort, null);
        }
        CompletableFuture<Long> future = new CompletableFuture<>();
        pool.execute(() -> {
            InvokeSlot thread = own.get();
            if (thread == null) {
                throw new AssertionError("an invoke thread without a slot");
            }
            try {
                future.complete(call(thread, session, frame, handle, limitNanos, abort, future));
            } catch (RuntimeException | Error e) {
                future.completeExceptionally(e);
            }
        });
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof HexagonException typed) {
                throw typed;
            }
            throw e;
        }
    }

    private long call(
            InvokeSlot slot,
            FastRpcSession session,
            CallFrame frame,
            int handle,
            long limitNanos,
            @Nullable AbortRequest abort,
            @Nullable CompletableFuture<Long> waiter) {
        long deadline = limitNanos == Clock.NEVER ? Clock.NEVER : clock.nanos() + limitNanos;
        session.callBegins(frame);
        boolean givenUp;
        long answer;
        try {
            slot.begin(session, frame.name(), deadline, abort, waiter);
            try {
                answer = session.ioctlInvoke(frame, handle);
            } finally {
                givenUp = slot.end();
            }
        } finally {
            session.callEnded(frame);
        }
        if (givenUp) {
            throw session.giveUp(frame.name());
        }
        return answer;
    }

    /** Runs {@code work} on a thread of the pool: for waits that belong to nobody. */
    void background(Runnable work) {
        pool.execute(work);
    }

    @Override
    public String name() {
        return "hexagon-watchdog";
    }

    @Override
    public int doWork() {
        long now = clock.nanos();
        for (InvokeSlot slot : slots) {
            slot.watch(now, kernel::interrupt);
        }
        // Never "busy": the watchdog looks once a period, also while it has a call to end.
        return 0;
    }

    @Override
    public void close() {
        pool.shutdown();
        if (watchdog != null) {
            watchdog.close();
        }
    }
}
