package dev.portal.voice.arbitration;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The right to speak. Whoever holds one looks at {@link #isActive()} between pieces of audio and stops when it is false.
 * Closing frees the slot, once; closing again, or after the slot was taken away, does nothing. Any thread.
 */
public final class SpeechToken implements AutoCloseable {
    private final PortalTtsArbitrator arbitrator;
    private final SpeechRequest request;
    private final AtomicBoolean active = new AtomicBoolean(true);

    SpeechToken(PortalTtsArbitrator arbitrator, SpeechRequest request) {
        this.arbitrator = arbitrator;
        this.request = request;
    }

    public SpeechPriority priority() {
        return request.priority();
    }

    /** Whether the slot is still this token's. */
    public boolean isActive() {
        return active.get();
    }

    @Override
    public void close() {
        if (deactivate()) {
            arbitrator.release(request);
        }
    }

    /** Ends the token's right; true for the one caller that did it. */
    boolean deactivate() {
        return active.compareAndSet(true, false);
    }
}
