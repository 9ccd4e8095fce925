package dev.portal.voice.turn;

import dev.portal.voice.turn.TurnEvent.Kind;
import dev.portal.voice.turn.TurnEvent.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Remembers what happened in the last turns. Observes on the conversation's thread; any thread may read. */
public final class TurnLog implements TurnObserver {
    private static final int MAX_EVENTS_A_TURN = 256;

    private static final Map<Kind, String> STAGES = stages();

    private static final class Kept {
        final List<TurnEvent> events = new ArrayList<>();
        int staleDropped;
        int echoWindows;
        boolean turn;
    }

    private final int capacity;
    private final Map<Long, Kept> records = new LinkedHashMap<>();

    /** Takes how many turns are remembered. */
    public TurnLog(int capacity) {
        this.capacity = capacity;
    }

    private static Map<Kind, String> stages() {
        Map<Kind, String> stages = new LinkedHashMap<>();
        stages.put(Kind.SPEECH_ENDED, "vad_end");
        stages.put(Kind.TURN_COMMITTED, "end_of_turn");
        stages.put(Kind.TRANSCRIBED, "stt_final");
        stages.put(Kind.FIRST_TOKEN, "llm_first_token");
        stages.put(Kind.FIRST_SENTENCE, "first_sentence");
        stages.put(Kind.FIRST_AUDIO, "tts_first_audio");
        stages.put(Kind.REPLY_STARTED, "reply_start");
        stages.put(Kind.ENDED, "total");
        return stages;
    }

    @Override
    public synchronized void observe(TurnEvent event) {
        Kept record = records.computeIfAbsent(event.turn(), turn -> new Kept());
        switch (event.kind()) {
            case STALE_DROPPED -> record.staleDropped++;
            case ECHO_IGNORED -> record.echoWindows++;
            default -> {
                record.turn |= event.kind() == Kind.TURN_COMMITTED || event.kind() == Kind.ANNOUNCED;
                if (record.events.size() < MAX_EVENTS_A_TURN || event.kind() == Kind.ENDED) {
                    record.events.add(event);
                }
            }
        }
        if (event.kind() == Kind.ENDED && !record.turn) {
            records.remove(event.turn());
        }
        while (records.size() > capacity) {
            records.remove(records.keySet().iterator().next());
        }
    }

    /** The last turns, oldest first; what was heard but was no turn is left out. */
    public synchronized List<TurnReport> reports() {
        List<TurnReport> reports = new ArrayList<>();
        records.forEach((turn, record) -> {
            if (record.turn) {
                reports.add(report(turn, record));
            }
        });
        return reports;
    }

    private static TurnReport report(long turn, Kept record) {
        boolean announcement = false;
        String transcript = "";
        String reply = "";
        Outcome outcome = null;
        List<String> notes = new ArrayList<>();
        for (TurnEvent event : record.events) {
            switch (event.kind()) {
                case ANNOUNCED -> announcement = true;
                case TRANSCRIBED, GENERATION_STARTED -> transcript = event.text();
                case REPLY_ENDED -> reply = event.text();
                case ENDED -> outcome = Outcome.valueOf(event.text());
                case CANCELLED, FAILED -> notes.add(event.text());
                default -> {}
            }
        }
        return new TurnReport(
                turn,
                announcement,
                transcript,
                reply,
                outcome,
                stages(record.events),
                interruptions(record.events),
                notes,
                record.staleDropped,
                record.echoWindows);
    }

    private static List<TurnReport.Stage> stages(List<TurnEvent> events) {
        TurnEvent zero = null;
        for (TurnEvent event : events) {
            boolean start = event.kind() == Kind.SPEECH_ENDED || event.kind() == Kind.ANNOUNCED;
            zero = start || zero == null ? event : zero;
        }
        List<TurnReport.Stage> stages = new ArrayList<>();
        if (zero != null) {
            for (TurnEvent event : events) {
                String name = STAGES.get(event.kind());
                if (name != null && (event.kind() != Kind.SPEECH_ENDED || event.equals(zero))) {
                    stages.add(new TurnReport.Stage(
                            name,
                            TurnOptions.toMs(event.atSample() - zero.atSample()),
                            (event.hostNanos() - zero.hostNanos()) / 1e6));
                }
            }
        }
        return stages;
    }

    private static List<TurnReport.Interruption> interruptions(List<TurnEvent> events) {
        List<TurnReport.Interruption> interruptions = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            if (events.get(i).kind() == Kind.ONSET) {
                interruptions.add(interruption(events.subList(i, events.size())));
            }
        }
        return interruptions;
    }

    /** Reads one interruption from its onset to the next one. */
    private static TurnReport.Interruption interruption(List<TurnEvent> events) {
        TurnEvent onset = events.getFirst();
        Double soft = null;
        Double hard = null;
        Double resumed = null;
        Double idle = null;
        long decidedNanos = 0;
        List<TurnReport.Step> steps = new ArrayList<>();
        for (TurnEvent event : events.subList(1, events.size())) {
            double afterMs = TurnOptions.toMs(event.atSample() - onset.atSample());
            switch (event.kind()) {
                case ONSET -> {
                    return finish(onset, soft, hard, resumed, idle, steps);
                }
                case SOFT_STOPPED -> soft = afterMs;
                case RESUMED -> resumed = afterMs;
                case HARD_STOPPED -> {
                    hard = afterMs;
                    decidedNanos = event.hostNanos();
                }
                case SOUND_STOPPED, SLOT_VACATED, SPEECH_CANCELLED, GENERATION_CANCELLED, QUEUE_DROPPED, WENT_IDLE -> {
                    if (hard != null) {
                        idle = event.kind() == Kind.WENT_IDLE ? Double.valueOf(afterMs) : idle;
                        steps.add(new TurnReport.Step(
                                event.kind().name().toLowerCase(Locale.ROOT),
                                (event.hostNanos() - decidedNanos) / 1e3));
                    }
                }
                default -> {}
            }
        }
        return finish(onset, soft, hard, resumed, idle, steps);
    }

    private static TurnReport.Interruption finish(
            TurnEvent onset,
            @Nullable Double soft,
            @Nullable Double hard,
            @Nullable Double resumed,
            @Nullable Double idle,
            List<TurnReport.Step> steps) {
        return new TurnReport.Interruption(
                Long.parseLong(onset.text()), TurnOptions.toMs(onset.atSample()), soft, hard, resumed, idle, steps);
    }
}
