package dev.portal.voice.arbitration;

/** How much a speech request matters (scheduling seed, "Priority Hierarchy"). */
public enum SpeechPriority {
    /** Weather and the like. Preempts nothing. */
    AMBIENT(0),
    /** What the system says unasked. Preempts AMBIENT. */
    PROACTIVE_NOTIFICATION(1),
    /** The answer to what a user said. Preempts AMBIENT and PROACTIVE_NOTIFICATION. */
    USER_INTENT(2),
    /** Danger, battery low. Always preempts, and is never dropped or stopped by a user who speaks. */
    SYSTEM_CRITICAL(3);

    private final int value;

    SpeechPriority(int value) {
        this.value = value;
    }

    /** 0 to 3, more is more important. */
    public int value() {
        return value;
    }

    /** Whether a request of this priority takes the slot from {@code active}: strictly higher, or critical over any. */
    public boolean preempts(SpeechPriority active) {
        return this == SYSTEM_CRITICAL || value > active.value;
    }
}
