package dev.portal.voice.turn;

import dev.portal.voice.arbitration.SpeechListener;
import dev.portal.voice.arbitration.SpeechQueueDropped;
import dev.portal.voice.arbitration.SpeechToken;

/** Turns the arbitrator's news about a turn's speech into signals. */
record SlotSignals(long turn, Inbox inbox) implements SpeechListener {
    @Override
    public void granted(SpeechToken token) {
        inbox.post(new Signal.SpeechGranted(turn, token));
    }

    @Override
    public void vacated(SpeechToken token, Cause cause) {
        inbox.post(new Signal.SpeechVacated(turn, token, cause));
    }

    @Override
    public void dropped(SpeechQueueDropped why) {
        inbox.post(new Signal.SpeechDropped(turn, why));
    }
}
