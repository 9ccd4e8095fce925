package dev.portal.voice.arbitration;

import org.jspecify.annotations.Nullable;

/** A request that waits for the slot or has it. Any thread. */
public final class SpeechRequest {
    private final PortalTtsArbitrator arbitrator;
    private final SpeechPriority priority;
    private final String what;
    private final long sequence;
    private final SpeechListener listener;

    /** Guarded by the arbitrator's lock: set while this request has the slot. */
    @Nullable
    SpeechToken token;
    /** Guarded by the arbitrator's lock: it has been put back to the front of the queue before. */
    boolean replacedBefore;

    SpeechRequest(
            PortalTtsArbitrator arbitrator,
            SpeechPriority priority,
            String what,
            long sequence,
            SpeechListener listener) {
        this.arbitrator = arbitrator;
        this.priority = priority;
        this.what = what;
        this.sequence = sequence;
        this.listener = listener;
    }

    public SpeechPriority priority() {
        return priority;
    }

    /** Takes the request back, waiting or speaking. The listener hears nothing of it. */
    public void withdraw() {
        arbitrator.withdraw(this);
    }

    String what() {
        return what;
    }

    long sequence() {
        return sequence;
    }

    SpeechListener listener() {
        return listener;
    }

    @Override
    public String toString() {
        return priority + " \"" + what + '"';
    }
}
