package dev.portal.voice.arbitration;

/**
 * Hears what becomes of a speech request. Calls come on whichever thread caused the change, outside the arbitrator's
 * lock; they should be short. Where threads compete, a call may arrive when it is already history: {@link
 * SpeechToken#isActive()} has the present state.
 */
public interface SpeechListener {
    /** The request has the slot: speak while the token is active, then close it. A critical one may be granted again. */
    void granted(SpeechToken token);

    /** The slot was taken away: stop. */
    void vacated(SpeechToken token, Cause cause);

    /** The request left the queue without being spoken. Nothing follows. */
    void dropped(SpeechQueueDropped why);

    /** Why a slot was taken away. */
    enum Cause {
        /** By a more important request. Nothing follows. */
        PREEMPTED,
        /** By a newer critical request, being critical itself: it waits again and {@link #granted} follows. */
        REQUEUED,
        /** A user spoke. Nothing follows. */
        BARGE_IN
    }
}
