package dev.portal.voice.turn;

import dev.portal.base.VirtualClock;
import dev.portal.llm.LanguageModel.FinishReason;
import dev.portal.llm.LanguageModel.Message;
import dev.portal.voice.arbitration.PortalTtsArbitrator;
import dev.portal.voice.stt.Transcript;
import dev.portal.voice.turn.TurnEvent.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongFunction;

/**
 * A conversation on the virtual clock with engines that follow a script: each answers after its latency, and stops when
 * it is cancelled, as real ones do. Every sample that is played carries its turn and its place in the turn's sound.
 */
final class ScriptedWorld implements Effects {
    static final int WINDOW = TurnOptions.WINDOW_SAMPLES;
    private static final float TURN_STEP = 65_536;
    private static final int PIECE_SAMPLES = 320;

    /** How long the engines take, in milliseconds. */
    record Latencies(int recognition, int firstToken, int token, int firstPiece, int piece, int stop) {
        static final Latencies FAST = new Latencies(40, 80, 20, 40, 4, 10);
    }

    /** A sample that was played: when, and which of its turn's. */
    record Played(long atSample, int index) {}

    /** Samples of a turn that were played in a row. */
    record Run(long turn, long atSample, int index, int count) {
        long endSample() {
            return atSample + count;
        }
    }

    private static final class Job {
        boolean cancelled;
    }

    final VirtualClock clock = new VirtualClock();
    final PortalTtsArbitrator arbitrator = new PortalTtsArbitrator();
    final Inbox inbox = new Inbox(() -> {});
    final List<TurnEvent> events = new ArrayList<>();
    final List<Run> played = new ArrayList<>();
    final Map<Long, List<Message>> asked = new HashMap<>();
    final Map<Long, String> recognized = new HashMap<>();
    final Set<String> criticalTexts = new HashSet<>();
    final Conversation conversation;

    Latencies latencies = Latencies.FAST;
    LongFunction<String> words = turn -> "words of turn " + turn;
    LongFunction<String> reply = turn -> "This is the reply to turn " + turn + ". It has a second sentence.";
    int samplesPerCharacter = 800;

    private final List<Float> probabilities = new ArrayList<>();
    private final Map<Long, Job> generations = new HashMap<>();
    private final Map<Long, Job> syntheses = new HashMap<>();
    private final Map<Long, Integer> made = new HashMap<>();
    private final Map<Long, Integer> heardWindows = new HashMap<>();
    int jobsRunning;

    ScriptedWorld() {
        this(TurnOptions.DEFAULTS);
    }

    ScriptedWorld(TurnOptions options) {
        conversation = new Conversation(options, this, arbitrator, inbox, clock, events::add);
    }

    // Time.

    /** Lets one window with this probability go by. */
    void window(float probability) {
        window(new float[WINDOW], probability);
    }

    void window(float[] samples, float probability) {
        long end = nanos(conversation.nowSample() + WINDOW);
        while (clock.nextEventNanos() <= end) {
            clock.runNext();
            conversation.drain();
        }
        clock.advanceTo(end);
        probabilities.add(probability);
        conversation.window(samples, probability);
    }

    /** How many windows from one time to another were below the threshold. */
    long quietWindows(long fromSample, long toSample) {
        return probabilities.subList((int) (fromSample / WINDOW), (int) (toSample / WINDOW)).stream()
                .filter(p -> p < TurnOptions.DEFAULTS.hearing().detection().threshold())
                .count();
    }

    void speak(int windows) {
        for (int i = 0; i < windows; i++) {
            window(0.9f);
        }
    }

    void silence(int windows) {
        for (int i = 0; i < windows; i++) {
            window(0.01f);
        }
    }

    /** Silence until the event has happened; the event. */
    TurnEvent silenceUntil(Kind kind, long turn) {
        for (int i = 0; i < 4_000; i++) {
            for (TurnEvent event : events) {
                if (event.kind() == kind && event.turn() == turn) {
                    return event;
                }
            }
            silence(1);
        }
        throw new AssertionError("no " + kind + " of turn " + turn + " in\n" + log());
    }

    /** Silence until nothing is in progress. */
    void settle() {
        silence(1);
        for (int i = 0; i < 10_000 && !(conversation.idle() && clock.nextEventNanos() == Long.MAX_VALUE); i++) {
            silence(1);
        }
        if (!conversation.idle()) {
            throw new AssertionError("never idle\n" + log());
        }
    }

    private static long nanos(long samples) {
        return samples * 62_500;
    }

    private void after(int milliseconds, Runnable event) {
        clock.at(clock.nanos() + milliseconds * 1_000_000L, event);
    }

    // What the tests ask.

    List<TurnEvent> events(Kind kind) {
        return events.stream().filter(event -> event.kind() == kind).toList();
    }

    TurnEvent event(Kind kind, long turn) {
        return events.stream()
                .filter(event -> event.kind() == kind && event.turn() == turn)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + kind + " of turn " + turn + " in\n" + log()));
    }

    /** What the language model was asked in the turn. */
    List<Message> asked(long turn) {
        return Objects.requireNonNull(asked.get(turn), () -> "turn " + turn + " asked nothing\n" + log());
    }

    /** Every sample of the turn that was played. */
    List<Played> played(long turn) {
        List<Played> samples = new ArrayList<>();
        for (Run run : played) {
            for (int i = 0; run.turn() == turn && i < run.count(); i++) {
                samples.add(new Played(run.atSample() + i, (run.index() + i) % (int) TURN_STEP));
            }
        }
        return samples;
    }

    String log() {
        StringBuilder text = new StringBuilder();
        for (TurnEvent event : events) {
            text.append(String.format(
                    "%8.0f ms turn %d %s %s%n",
                    TurnOptions.toMs(event.atSample()), event.turn(), event.kind(), event.text()));
        }
        return text.toString();
    }

    // The engines.

    @Override
    public void startRecognition(long turn) {
        recognized.put(turn, words.apply(turn));
        heardWindows.put(turn, 0);
    }

    @Override
    public void recognize(long turn, float[] samples) {
        if (heardWindows.merge(turn, 1, Integer::sum) == 3) {
            String text = recognized.getOrDefault(turn, "");
            after(latencies.recognition(), () -> inbox.post(new Signal.PartialTranscript(turn, text)));
        }
    }

    @Override
    public void finishRecognition(long turn) {
        String text = recognized.getOrDefault(turn, "");
        run(latencies.recognition(), () -> inbox.post(new Signal.TranscriptReady(turn, new Transcript(text, 1))));
    }

    @Override
    public void abandonRecognition(long turn) {
        recognized.remove(turn);
    }

    @Override
    public void generate(long turn, List<Message> messages, int maxTokens) {
        asked.put(turn, messages);
        Job job = new Job();
        generations.put(turn, job);
        jobsRunning++;
        String[] tokens = reply.apply(turn).split("(?<= )");
        after(latencies.firstToken(), () -> token(turn, job, tokens, 0));
    }

    private void token(long turn, Job job, String[] tokens, int index) {
        if (job.cancelled || index == tokens.length) {
            jobsRunning--;
            inbox.post(new Signal.GenerationEnded(turn, job.cancelled ? FinishReason.CANCELLED : FinishReason.STOP));
            return;
        }
        inbox.post(new Signal.LlmToken(turn, index, tokens[index]));
        after(latencies.token(), () -> token(turn, job, tokens, index + 1));
    }

    @Override
    public void cancelGeneration(long turn, String reason) {
        Objects.requireNonNull(generations.get(turn)).cancelled = true;
    }

    @Override
    public void synthesize(long turn, int sentence, String text) {
        Job job = new Job();
        syntheses.put(turn, job);
        jobsRunning++;
        int samples = text.length() * samplesPerCharacter;
        after(latencies.firstPiece(), () -> piece(turn, job, sentence, samples));
    }

    private void piece(long turn, Job job, int sentence, int left) {
        if (job.cancelled || left == 0) {
            jobsRunning--;
            inbox.post(new Signal.SentenceEnded(turn, sentence));
            return;
        }
        int count = Math.min(left, PIECE_SAMPLES);
        float[] samples = new float[count];
        int first = made.merge(turn, count, Integer::sum) - count;
        for (int i = 0; i < count; i++) {
            samples[i] = turn * TURN_STEP + (first + i) % (int) TURN_STEP;
        }
        inbox.post(new Signal.SpeechPiece(turn, sentence, samples));
        after(latencies.piece(), () -> piece(turn, job, sentence, left - count));
    }

    @Override
    public void cancelSynthesis(long turn) {
        Objects.requireNonNull(syntheses.get(turn)).cancelled = true;
    }

    @Override
    public void play(long atSample, float[] samples, int count) {
        int from = 0;
        for (int i = 1; i <= count; i++) {
            if (i == count || samples[i] != samples[i - 1] + 1) {
                long turn = (long) (samples[from] / TURN_STEP);
                played.add(new Run(turn, atSample + from, (int) (samples[from] - turn * TURN_STEP), i - from));
                from = i;
            }
        }
    }

    private void run(int milliseconds, Runnable end) {
        jobsRunning++;
        after(milliseconds, () -> {
            jobsRunning--;
            end.run();
        });
    }
}
