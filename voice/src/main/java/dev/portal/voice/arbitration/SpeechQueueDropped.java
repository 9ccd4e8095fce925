package dev.portal.voice.arbitration;

/** A speech request that will not be spoken: evicted from the queue, refused by it, or dropped by a barge-in. */
public final class SpeechQueueDropped extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final SpeechPriority priority;

    SpeechQueueDropped(SpeechPriority priority, String what, String why) {
        super("SpeechQueueDropped: " + priority + " \"" + what + "\": " + why);
        this.priority = priority;
    }

    public SpeechPriority priority() {
        return priority;
    }
}
