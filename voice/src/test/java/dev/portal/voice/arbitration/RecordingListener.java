package dev.portal.voice.arbitration;

import java.util.ArrayList;
import java.util.List;

/** Writes down what it hears. Synchronised, since competing threads call it. */
final class RecordingListener implements SpeechListener {
    private final List<String> heard = new ArrayList<>();
    private final List<SpeechToken> tokens = new ArrayList<>();

    @Override
    public synchronized void granted(SpeechToken token) {
        heard.add("granted");
        tokens.add(token);
    }

    @Override
    public synchronized void vacated(SpeechToken token, Cause cause) {
        heard.add(cause.name());
    }

    @Override
    public synchronized void dropped(SpeechQueueDropped why) {
        heard.add("dropped");
    }

    synchronized List<String> heard() {
        return List.copyOf(heard);
    }

    synchronized int grants() {
        return tokens.size();
    }

    synchronized SpeechToken token() {
        return tokens.getLast();
    }

    synchronized boolean speaks() {
        return !tokens.isEmpty() && tokens.getLast().isActive();
    }
}
