package dev.portal.voice.arbitration;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides which speech request has the voice (scheduling seed, "TTS Arbitration Layer").
 *
 * <p>There is one slot. A request takes it when it is free or when the request's priority {@linkplain
 * SpeechPriority#preempts preempts} the holder's; otherwise it waits, the most important first and the oldest among
 * equals. A full queue lets its least important entry go, the newest among equals and the incoming one counted; whoever
 * goes is told by {@link SpeechQueueDropped}. Where a critical request replaces a critical one, the older waits at the
 * front for its next try; replaced once more, it waits behind the other critical ones. A critical request that was
 * accepted is never dropped: a newer one is refused when nothing but critical ones fill the queue.
 *
 * <p>Whenever the slot is free the queue is empty: every path that frees the slot grants it on. Any thread may call;
 * listeners are called outside the lock.
 */
public final class PortalTtsArbitrator {
    /** Waiting requests, by the seed. */
    public static final int DEFAULT_CAPACITY = 5;

    /** What a critical request does to a critical one that speaks; the seed leaves it open. */
    public enum CriticalOverCritical {
        /** "Unconditional" includes equals: the newer speaks, the older is put back to the front. */
        REPLACE_AND_REQUEUE,
        /** The newer waits its turn. */
        WAIT
    }

    /**
     * Totals since the start.
     *
     * @param granted grants, repeated ones of critical requests included
     * @param preempted slots taken away by another request
     * @param dropped requests told {@link SpeechQueueDropped}
     * @param bargeIns slots vacated by {@link #bargeIn}
     */
    public record Stats(long granted, long preempted, long dropped, long bargeIns) {}

    private static final Comparator<SpeechRequest> LEAST_IMPORTANT_FIRST = Comparator.comparing(SpeechRequest::priority)
            .thenComparing(Comparator.comparingLong(SpeechRequest::sequence).reversed());

    private final int capacity;
    private final CriticalOverCritical criticalOverCritical;
    private final Object lock = new Object();

    // Guarded by lock. The queue is in the order of granting.
    private final List<SpeechRequest> queue = new ArrayList<>();
    private @Nullable SpeechRequest speaking;
    private long nextSequence;
    private long granted;
    private long preempted;
    private long dropped;
    private long bargeIns;

    public PortalTtsArbitrator() {
        this(DEFAULT_CAPACITY, CriticalOverCritical.REPLACE_AND_REQUEUE);
    }

    /** Takes the length of the queue, 1 or more. */
    public PortalTtsArbitrator(int capacity, CriticalOverCritical criticalOverCritical) {
        if (capacity < 1) {
            throw new IllegalArgumentException("speech queue capacity " + capacity + " is below 1");
        }
        this.capacity = capacity;
        this.criticalOverCritical = criticalOverCritical;
    }

    /**
     * Asks for the slot. The listener is told before this returns when the slot is granted, or the request refused, at
     * once.
     *
     * @param what the text or its purpose, for messages
     */
    public SpeechRequest request(SpeechPriority priority, String what, SpeechListener listener) {
        Calls calls = new Calls();
        SpeechRequest incoming;
        synchronized (lock) {
            incoming = new SpeechRequest(this, priority, what, nextSequence++, listener);
            SpeechRequest holder = speaking;
            if (holder == null) {
                grant(incoming, calls);
            } else if (!takesSlot(priority, holder.priority())) {
                enqueue(incoming, queue.size(), calls);
            } else if (holder.priority() != SpeechPriority.SYSTEM_CRITICAL) {
                vacate(holder, SpeechListener.Cause.PREEMPTED, calls);
                grant(incoming, calls);
            } else if (onlyCriticalWait()) {
                drop(incoming, "the queue is full of SYSTEM_CRITICAL requests", calls);
            } else {
                if (vacate(holder, SpeechListener.Cause.REQUEUED, calls)) {
                    enqueue(holder, holder.replacedBefore ? queue.size() : 0, calls);
                    holder.replacedBefore = true;
                }
                grant(incoming, calls);
            }
        }
        calls.run();
        return incoming;
    }

    /**
     * A user speaks: vacates the slot and drops what waits, since the next in the queue would only speak over the user.
     * Critical speech stays, and with it the queue.
     *
     * @return whether a slot was vacated
     */
    public boolean bargeIn() {
        Calls calls = new Calls();
        synchronized (lock) {
            SpeechRequest holder = speaking;
            if (holder == null || holder.priority() == SpeechPriority.SYSTEM_CRITICAL) {
                return false;
            }
            vacate(holder, SpeechListener.Cause.BARGE_IN, calls);
            bargeIns++;
            for (SpeechRequest waiting : List.copyOf(queue)) {
                drop(waiting, "the user spoke", calls);
            }
            queue.clear();
        }
        calls.run();
        return true;
    }

    /** The priority of what has the slot. */
    public Optional<SpeechPriority> speaking() {
        synchronized (lock) {
            return Optional.ofNullable(speaking).map(SpeechRequest::priority);
        }
    }

    /** How many requests wait. */
    public int queueDepth() {
        synchronized (lock) {
            return queue.size();
        }
    }

    public Stats stats() {
        synchronized (lock) {
            return new Stats(granted, preempted, dropped, bargeIns);
        }
    }

    /** Called once per token, by the one that ended its right. */
    void release(SpeechRequest request) {
        Calls calls = new Calls();
        synchronized (lock) {
            free(request, calls);
        }
        calls.run();
    }

    void withdraw(SpeechRequest request) {
        Calls calls = new Calls();
        synchronized (lock) {
            SpeechToken token = request.token;
            if (!queue.remove(request) && token != null && token.deactivate()) {
                free(request, calls);
            }
        }
        calls.run();
    }

    private boolean takesSlot(SpeechPriority incoming, SpeechPriority holder) {
        boolean bothCritical = incoming == SpeechPriority.SYSTEM_CRITICAL && holder == incoming;
        return incoming.preempts(holder) && !(bothCritical && criticalOverCritical == CriticalOverCritical.WAIT);
    }

    private boolean onlyCriticalWait() {
        return queue.size() >= capacity
                && queue.stream().allMatch(waiting -> waiting.priority() == SpeechPriority.SYSTEM_CRITICAL);
    }

    /** Puts a request before every less important one, but not before {@code latest} places are taken by equals. */
    private void enqueue(SpeechRequest request, int latest, Calls calls) {
        int at = 0;
        while (at < Math.min(latest, queue.size())
                && queue.get(at).priority().value() >= request.priority().value()) {
            at++;
        }
        queue.add(at, request);
        if (queue.size() > capacity) {
            SpeechRequest victim = queue.stream().min(LEAST_IMPORTANT_FIRST).orElseThrow();
            queue.remove(victim);
            drop(victim, "the queue of " + capacity + " is full and this was its least important, newest entry", calls);
        }
    }

    private void grant(SpeechRequest request, Calls calls) {
        SpeechToken token = new SpeechToken(this, request);
        request.token = token;
        speaking = request;
        granted++;
        calls.add(() -> request.listener().granted(token));
    }

    /** Takes the slot away. False for a holder that closes its token at this moment: it has said all it had to say. */
    private boolean vacate(SpeechRequest holder, SpeechListener.Cause cause, Calls calls) {
        SpeechToken token = holder.token;
        holder.token = null;
        speaking = null;
        if (token == null || !token.deactivate()) {
            return false;
        }
        preempted += cause == SpeechListener.Cause.BARGE_IN ? 0 : 1;
        calls.add(() -> holder.listener().vacated(token, cause));
        return true;
    }

    /** Frees the slot if it is still the request's, and grants it on. */
    private void free(SpeechRequest request, Calls calls) {
        if (speaking == request) {
            request.token = null;
            speaking = null;
            if (!queue.isEmpty()) {
                grant(queue.removeFirst(), calls);
            }
        }
    }

    private void drop(SpeechRequest request, String why, Calls calls) {
        dropped++;
        SpeechQueueDropped reason = new SpeechQueueDropped(request.priority(), request.what(), why);
        calls.add(() -> request.listener().dropped(reason));
    }

    /** What to tell the listeners once the lock is free. One that throws does not keep the others from hearing. */
    private static final class Calls {
        private final List<Runnable> calls = new ArrayList<>(2);

        void add(Runnable call) {
            calls.add(call);
        }

        void run() {
            RuntimeException first = null;
            for (Runnable call : calls) {
                try {
                    call.run();
                } catch (RuntimeException e) {
                    if (first == null) {
                        first = e;
                    } else {
                        first.addSuppressed(e);
                    }
                }
            }
            if (first != null) {
                throw first;
            }
        }
    }
}
