package dev.portal.base;

import java.lang.Thread.UncaughtExceptionHandler;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Gives an {@link Agent} a platform thread of its own, named after it. Without work the thread spins for a while, then
 * parks until {@link #wake()}.
 *
 * <p>No wake is lost: the thread announces that it parks, looks for work once more, and parks only then; whoever brings
 * work publishes the work first and looks for the announcement after. Work must be published with at least one volatile
 * write for that order to hold.
 *
 * <p>An exception out of {@link Agent#doWork()} is a defect. It goes to the handler, and the agent goes on.
 */
public final class AgentRunner implements AutoCloseable {
    private static final int AWAKE = 0;
    private static final int PARKED = 1;
    private static final int POLITE_AFTER = 64;

    private final Agent agent;
    private final Clock clock;
    private final long spinNanos;
    private final long parkNanosMax;
    private final UncaughtExceptionHandler defects;
    private final Thread thread;
    private final AtomicInteger state = new AtomicInteger(AWAKE);
    private volatile boolean closing;

    /**
     * Prepares the thread; {@link #start()} starts it.
     *
     * @param spinNanos how long to poll without work before parking; 0 parks at once
     * @param parkNanosMax the longest park, for agents that also act by time; {@link Clock#NEVER} for those that do not
     * @param defects told of whatever {@code doWork} throws, on the agent's thread
     */
    public AgentRunner(Agent agent, Clock clock, long spinNanos, long parkNanosMax, UncaughtExceptionHandler defects) {
        this.agent = agent;
        this.clock = clock;
        this.spinNanos = spinNanos;
        this.parkNanosMax = parkNanosMax;
        this.defects = defects;
        this.thread = Thread.ofPlatform().daemon(true).name(agent.name()).unstarted(this::run);
    }

    /** Starts the thread; once. */
    public AgentRunner start() {
        thread.start();
        return this;
    }

    /** Says that there is work. One volatile read unless the thread is parked. Any thread. */
    public void wake() {
        if (state.get() == PARKED && state.compareAndSet(PARKED, AWAKE)) {
            clock.unpark(thread);
        }
    }

    /** Whether the caller is the agent's own thread. */
    public boolean isCurrentThread() {
        return Thread.currentThread() == thread;
    }

    private void run() {
        try {
            while (!closing) {
                if (!work() && !spin()) {
                    park();
                }
            }
        } finally {
            agent.onClose();
        }
    }

    private boolean work() {
        try {
            return agent.doWork() > 0;
        } catch (RuntimeException | Error defect) {
            defects.uncaughtException(thread, defect);
            return true;
        }
    }

    /**
     * Whether work came, or the end, while spinning. After the first rounds each one lets other threads go first, since
     * the one that brings work may need this processor.
     */
    @SuppressWarnings("ThreadPriorityCheck")
    private boolean spin() {
        if (spinNanos == 0) {
            return false;
        }
        long deadlineNanos = clock.nanos() + spinNanos;
        int rounds = 0;
        do {
            if (rounds++ < POLITE_AFTER) {
                clock.spin();
            } else {
                Thread.yield();
            }
            if (closing || work()) {
                return true;
            }
        } while (clock.nanos() < deadlineNanos);
        return false;
    }

    private void park() {
        state.set(PARKED);
        if (!closing && !work()) {
            long now = clock.nanos();
            long deadlineNanos = parkNanosMax >= Clock.NEVER - now ? Clock.NEVER : now + parkNanosMax;
            while (state.get() == PARKED && !closing && clock.nanos() < deadlineNanos) {
                clock.parkUntil(deadlineNanos);
            }
        }
        state.set(AWAKE);
    }

    /** Asks the agent to stop after its present unit of work, without waiting. */
    public void stop() {
        closing = true;
        wake();
    }

    /**
     * Stops the agent and waits for its thread.
     *
     * @return whether the thread ended within {@code waitMillis}; false also when the caller is that thread
     */
    public boolean close(long waitMillis) {
        stop();
        if (isCurrentThread()) {
            return false;
        }
        try {
            thread.join(Math.max(1, waitMillis));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    /** {@link #close(long)} with ten seconds. */
    @Override
    public void close() {
        close(10_000);
    }
}
