package dev.portal.voice.turn;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Signals on their way to the conversation: urgent ones first, the others in order. Any thread. */
public final class Inbox {
    private final Deque<Signal> urgent = new ArrayDeque<>();
    private final Deque<Signal> ordered = new ArrayDeque<>();
    private final Runnable arrival;

    /**
     * Takes what to do when a signal has arrived, such as waking the conversation's thread; called by the sender's
     * thread.
     */
    public Inbox(Runnable arrival) {
        this.arrival = arrival;
    }

    public void post(Signal signal) {
        synchronized (this) {
            (signal instanceof Signal.Urgent ? urgent : ordered).add(signal);
        }
        arrival.run();
    }

    /** The next signal, or null when there is none. */
    public synchronized @Nullable Signal poll() {
        Signal next = urgent.poll();
        return next == null ? ordered.poll() : next;
    }

    /** Takes out the stream signals of a turn that was cancelled, and says how many there were. */
    synchronized int dropStream(long turn) {
        int before = ordered.size();
        ordered.removeIf(signal -> signal instanceof Signal.Stream && signal.turn() == turn);
        return before - ordered.size();
    }
}
