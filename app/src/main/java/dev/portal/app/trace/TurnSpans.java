package dev.portal.app.trace;

import dev.portal.voice.turn.TurnEvent;
import dev.portal.voice.turn.TurnObserver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes spans of a conversation's events, in the machine's time: listening, answering, reply. */
public final class TurnSpans implements TurnObserver {
    private final List<Span> spans = new ArrayList<>();
    private final Map<String, Long> open = new HashMap<>();

    @Override
    public synchronized void observe(TurnEvent event) {
        switch (event.kind()) {
            case SPEECH_STARTED -> open(event, "listening");
            case TURN_COMMITTED -> {
                close(event, "listening");
                open(event, "answering");
            }
            case REPLY_STARTED -> {
                close(event, "answering");
                open(event, "reply");
            }
            case ENDED -> {
                close(event, "listening");
                close(event, "answering");
                close(event, "reply");
            }
            case SOFT_STOPPED, RESUMED, HARD_STOPPED ->
                spans.add(new Span(track(event), event.kind().name(), event.hostNanos(), event.hostNanos()));
            default -> {}
        }
    }

    private static String track(TurnEvent event) {
        return "turn " + event.turn();
    }

    private void open(TurnEvent event, String name) {
        open.putIfAbsent(event.turn() + name, event.hostNanos());
    }

    private void close(TurnEvent event, String name) {
        Long start = open.remove(event.turn() + name);
        if (start != null) {
            spans.add(new Span(track(event), name, start, event.hostNanos()));
        }
    }

    /** What has ended so far. */
    public synchronized List<Span> spans() {
        return List.copyOf(spans);
    }
}
