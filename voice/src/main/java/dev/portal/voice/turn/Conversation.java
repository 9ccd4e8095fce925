package dev.portal.voice.turn;

import dev.portal.base.Clock;
import dev.portal.llm.LanguageModel.Message;
import dev.portal.voice.arbitration.PortalTtsArbitrator;
import dev.portal.voice.arbitration.SpeechListener;
import dev.portal.voice.arbitration.SpeechPriority;
import dev.portal.voice.audio.PreRoll;
import dev.portal.voice.turn.Signal.Stage;
import dev.portal.voice.turn.TurnEvent.Kind;
import dev.portal.voice.turn.TurnEvent.Outcome;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides who speaks. Deterministic and single-threaded: the same windows and the same signals between the same windows
 * give the same decisions, since every duration is counted in samples (design 4.15). The clock only dates events.
 *
 * <p>Three things can be in progress, each at most once:
 *
 * <ul>
 *   <li>{@code hearing}: an utterance that the user speaks. It exists from the second window of speech on. While there is
 *       something to interrupt it is not confirmed: the reply is paused, and either six windows of speech confirm it or
 *       500 ms go by and it was none (spec 6.5).
 *   <li>{@code answer}: the last utterance that ended a turn, until its reply was played. A confirmed utterance ends it:
 *       as interrupted when the reply had started before the speech, otherwise both utterances become one turn.
 *   <li>{@code speaking}: the speech that has the arbitrator's slot. It alone is made and played. Other speech (
 *       announcements) waits in {@code replies}.
 * </ul>
 *
 * Invariants: hearing confirmed and answer present exclude each other. A turn that has ended has no entry in {@code
 * replies}, so that nothing of it can play. Speech below SYSTEM_CRITICAL does not play while {@code hearing} exists.
 */
public final class Conversation {
    private static final int RECENT_SAMPLES = 2 * TurnOptions.SAMPLE_RATE_HZ;

    private final TurnOptions options;
    private final Effects effects;
    private final PortalTtsArbitrator arbitrator;
    private final Inbox inbox;
    private final Clock clock;
    private final TurnObserver observer;

    private final SpeechTracker tracker;
    private final PreRoll recent = new PreRoll(RECENT_SAMPLES);
    private final PlaybackReference reference = new PlaybackReference();
    private final OpenWork work = new OpenWork();
    private final Map<Long, Reply> replies = new LinkedHashMap<>();
    private final ChatHistory history;
    private final float[] output = new float[TurnOptions.WINDOW_SAMPLES];

    private long now;
    private long nextTurn = 1;
    private long progressSample;
    private long lastPlayedTurn;
    private int candidateWindows;
    private @Nullable UserSpeech hearing;
    private @Nullable Answer answer;
    private @Nullable Reply speaking;

    /** Takes the inbox that the stages post to; the arbitrator's news come by it, too. */
    public Conversation(
            TurnOptions options,
            Effects effects,
            PortalTtsArbitrator arbitrator,
            Inbox inbox,
            Clock clock,
            TurnObserver observer) {
        this.options = options;
        this.effects = effects;
        this.arbitrator = arbitrator;
        this.inbox = inbox;
        this.clock = clock;
        this.observer = observer;
        this.history = new ChatHistory(
                options.answering().systemPrompt(), options.answering().historyMessages());
        this.tracker = new SpeechTracker(options.hearing().detection());
    }

    /** Audio time: the samples heard so far. */
    public long nowSample() {
        return now;
    }

    /** Whether a turn is being answered or something is being said; a file holds its input meanwhile. */
    public boolean answering() {
        return answer != null || !replies.isEmpty();
    }

    /** Whether nothing is in progress: no speech, no turn, no work. */
    public boolean idle() {
        return hearing == null && !answering() && !tracker.speaking() && work.isEmpty();
    }

    /** What was said so far, cut where the user stopped listening. */
    public List<Message> history() {
        return history.messages();
    }

    /** Handles every signal that is there; the number handled. */
    public int drain() {
        int handled = 0;
        for (Signal signal = inbox.poll(); signal != null; signal = inbox.poll()) {
            handle(signal);
            handled++;
        }
        return handled;
    }

    /**
     * Lets 32 ms go by.
     *
     * @param samples what the microphone heard, 512 of them
     * @param probability that somebody spoke, 0 to 1
     */
    public void window(float[] samples, float probability) {
        if (samples.length != TurnOptions.WINDOW_SAMPLES) {
            throw new IllegalArgumentException(
                    "a window has " + TurnOptions.WINDOW_SAMPLES + " samples, not " + samples.length);
        }
        drain();
        play();
        now += TurnOptions.WINDOW_SAMPLES;
        recent.write(samples, 0, samples.length);
        reference.append(samples, output);
        hear(samples, withoutEcho(probability));
        drain();
        pump();
        watchProgress();
    }

    // Hearing.

    /** The probability that somebody else speaks: 0 where the microphone hears what is played. */
    private float withoutEcho(float probability) {
        if (probability >= options.hearing().detection().threshold() && reference.explains()) {
            emit(lastPlayedTurn, Kind.ECHO_IGNORED, now, "");
            return 0;
        }
        return probability;
    }

    private void hear(float[] samples, float probability) {
        boolean over = probability >= options.hearing().detection().threshold();
        SpeechTracker.Change change = tracker.window(probability);
        UserSpeech speech = hearing;
        if (speech == null) {
            if (change == SpeechTracker.Change.STARTED) {
                candidateWindows = (int) ((now - tracker.onsetSample()) / TurnOptions.WINDOW_SAMPLES) - 1;
            }
            if (tracker.speaking()
                    && over
                    && ++candidateWindows >= options.bargeIn().softWindows()) {
                beginHearing();
            }
            return;
        }
        if (change == SpeechTracker.Change.STARTED) {
            speech.wentOn();
        } else if (change == SpeechTracker.Change.ENDED) {
            speech.ended(tracker.endSample());
            emit(speech.turn, Kind.SPEECH_ENDED, tracker.endSample(), "");
        }
        speech.windowsOverThreshold += over ? 1 : 0;
        speech.speechSamples += tracker.speaking() ? TurnOptions.WINDOW_SAMPLES : 0;
        effects.recognize(speech.turn, samples.clone());
        if (!speech.confirmed) {
            resolve(speech);
        }
        if (speech.confirmed && speech.complete(now, options.hearing())) {
            commit(speech);
        }
    }

    private void beginHearing() {
        long interrupted = interruptedTurn();
        UserSpeech speech = new UserSpeech(nextTurn++, interrupted, tracker.onsetSample(), now);
        hearing = speech;
        speech.windowsOverThreshold = candidateWindows;
        speech.speechSamples = now - speech.onsetSample;
        emit(speech.turn, Kind.SPEECH_STARTED, speech.onsetSample, "");
        effects.startRecognition(speech.turn);
        effects.recognize(
                speech.turn,
                recent.from(Math.max(0, speech.onsetSample - options.hearing().preRollSamples())));
        if (interrupted != 0) {
            emit(interrupted, Kind.ONSET, speech.onsetSample, Long.toString(speech.turn));
            emit(interrupted, Kind.SOFT_STOPPED, now, "");
        }
        resolve(speech);
    }

    /** The turn that speech would interrupt now; 0 when there is none. */
    private long interruptedTurn() {
        if (answer != null) {
            return answer.turn;
        }
        return speaking != null && !speaking.critical() ? speaking.turn() : 0;
    }

    private void resolve(UserSpeech speech) {
        TurnOptions.BargeIn limits = options.bargeIn();
        if (speech.interrupted == 0 || interruptedTurn() != speech.interrupted) {
            // Nothing to interrupt, or it ended by itself; what has come since was not heard and waits.
            speech.confirmed = true;
        } else if (speech.windowsOverThreshold >= limits.hardWindows() && speech.words() >= limits.minWords()) {
            speech.confirmed = true;
            hardStop(speech);
        } else if (now - speech.decidedSample >= limits.resumeSamples()) {
            emit(speech.interrupted, Kind.RESUMED, now, Long.toString(speech.turn));
            forget(speech);
        }
    }

    /** It was no interruption, or nobody wants it: as if it had not been heard. */
    private void forget(UserSpeech speech) {
        effects.abandonRecognition(speech.turn);
        inbox.dropStream(speech.turn);
        emit(speech.turn, Kind.ENDED, now, Outcome.SILENT.name());
        hearing = null;
        tracker.reset();
    }

    /** The order is the budget's: first the sound, then the slot, the voice, the language model, the queue. */
    private void hardStop(UserSpeech speech) {
        emit(speech.interrupted, Kind.HARD_STOPPED, now, Long.toString(speech.turn));
        Reply sound = speaking;
        if (sound != null && !sound.critical()) {
            speaking = null;
            emit(sound.turn(), Kind.SOUND_STOPPED, now, "");
            if (arbitrator.bargeIn()) {
                emit(sound.turn(), Kind.SLOT_VACATED, now, "");
            }
            if (answer == null || answer.reply != sound) {
                end(sound, Outcome.INTERRUPTED, "interrupted by turn " + speech.turn);
            }
        }
        Answer interrupted = answer;
        if (interrupted == null) {
            return;
        }
        if (interrupted.heardBefore(speech.onsetSample)) {
            end(interrupted, Outcome.INTERRUPTED, "interrupted by turn " + speech.turn);
        } else {
            speech.before.addAll(interrupted.parts);
            end(interrupted, Outcome.CONTINUED, "continued by turn " + speech.turn);
        }
    }

    private void commit(UserSpeech speech) {
        hearing = null;
        tracker.reset();
        answer = new Answer(speech.turn, speech.parts());
        progressSample = now;
        emit(speech.turn, Kind.TURN_COMMITTED, now, "");
        work.begin(speech.turn, Stage.STT);
        effects.finishRecognition(speech.turn);
    }

    // Answering.

    private void handle(Signal signal) {
        progressSample = now;
        switch (signal) {
            case Signal.CancelRequested cancel -> cancel(cancel.turn(), cancel.reason());
            case Signal.SpeechVacated vacated -> vacated(vacated);
            case Signal.PartialTranscript partial -> partial(partial);
            case Signal.LlmToken token -> token(token);
            case Signal.SpeechPiece piece -> piece(piece);
            case Signal.TranscriptReady ready ->
                transcribed(ready.turn(), ready.transcript().text(), false);
            case Signal.GenerationEnded ended -> generated(ended);
            case Signal.SentenceEnded ended -> made(ended);
            case Signal.StageFailed failed -> failed(failed);
            case Signal.SpeechGranted granted -> granted(granted);
            case Signal.SpeechDropped dropped ->
                endTurn(dropped.turn(), Outcome.DISPLACED, dropped.why().toString());
            case Signal.Announcement announcement -> announce(announcement);
        }
        pump();
    }

    private void partial(Signal.PartialTranscript partial) {
        if (hearing != null && hearing.turn == partial.turn()) {
            hearing.partial = partial.text();
        } else {
            stale(partial);
        }
    }

    private void transcribed(long turn, String text, boolean failed) {
        endWork(turn, Stage.STT);
        emit(turn, Kind.TRANSCRIBED, now, text);
        List<UserSpeech.Part> waiting =
                answer != null ? answer.parts : hearing != null ? hearing.before : List.<UserSpeech.Part>of();
        for (UserSpeech.Part part : waiting) {
            if (part.turn == turn) {
                part.text = text;
            }
        }
        Answer asked = answer;
        if (asked != null && asked.parts.stream().anyMatch(part -> part.turn == turn)) {
            asked.recognitionFailed |= failed;
            if (asked.transcribed()) {
                ask(asked);
            }
        }
    }

    private void ask(Answer asked) {
        asked.question = asked.words();
        TurnOptions.Answering limits = options.answering();
        if (!asked.question.isEmpty()) {
            work.begin(asked.turn, Stage.LLM);
            emit(asked.turn, Kind.GENERATION_STARTED, now, asked.question);
            effects.generate(asked.turn, history.request(asked.question), limits.maxTokens());
        } else if (asked.recognitionFailed) {
            end(asked, Outcome.FAILED, "recognition failed");
        } else if (asked.speechSamples() > limits.wordlessSamples()) {
            say(asked, List.of(limits.wordlessReply()));
            completeText(asked);
        } else {
            end(asked, Outcome.SILENT, "no words");
        }
    }

    private void token(Signal.LlmToken token) {
        Answer asked = answer;
        if (asked == null || asked.turn != token.turn()) {
            stale(token);
            return;
        }
        if (!asked.sawToken) {
            asked.sawToken = true;
            emit(asked.turn, Kind.FIRST_TOKEN, now, "");
        }
        say(asked, asked.splitter.accept(token.text()));
    }

    private void generated(Signal.GenerationEnded ended) {
        endWork(ended.turn(), Stage.LLM);
        Answer asked = answer;
        if (asked == null || asked.turn != ended.turn()) {
            return;
        }
        emit(asked.turn, Kind.GENERATION_ENDED, now, ended.finish().name());
        say(asked, asked.splitter.finish());
        completeText(asked);
    }

    private void completeText(Answer asked) {
        if (asked.reply == null) {
            end(asked, Outcome.SILENT, "the model had nothing to say");
        } else {
            asked.reply.completeText();
        }
    }

    private void say(Answer asked, List<String> sentences) {
        if (sentences.isEmpty()) {
            return;
        }
        Reply reply = asked.reply;
        if (reply == null) {
            reply = new Reply(asked.turn, SpeechPriority.USER_INTENT);
            asked.reply = reply;
            emit(asked.turn, Kind.FIRST_SENTENCE, now, sentences.getFirst());
            sentences.forEach(reply::add);
            requestSlot(reply);
        } else {
            sentences.forEach(reply::add);
        }
    }

    private void announce(Signal.Announcement announcement) {
        SentenceSplitter splitter = new SentenceSplitter();
        Reply reply = new Reply(nextTurn++, announcement.priority());
        splitter.accept(announcement.text()).forEach(reply::add);
        splitter.finish().forEach(reply::add);
        reply.completeText();
        emit(reply.turn(), Kind.ANNOUNCED, now, announcement.text());
        requestSlot(reply);
    }

    // The voice.

    private void requestSlot(Reply reply) {
        replies.put(reply.turn(), reply);
        reply.requested(arbitrator.request(reply.priority(), reply.text(), new SlotSignals(reply.turn(), inbox)));
    }

    private void granted(Signal.SpeechGranted granted) {
        Reply reply = replies.get(granted.turn());
        if (reply == null || !granted.token().isActive()) {
            granted.token().close();
            return;
        }
        reply.granted(granted.token());
        speaking = reply;
        emit(reply.turn(), Kind.SPEECH_GRANTED, now, "");
    }

    private void vacated(Signal.SpeechVacated vacated) {
        Reply reply = replies.get(vacated.turn());
        if (reply == null) {
            return;
        }
        if (vacated.cause() != SpeechListener.Cause.REQUEUED) {
            endTurn(vacated.turn(), Outcome.DISPLACED, vacated.cause().name());
        } else if (reply.holds(vacated.token())) {
            speaking = speaking == reply ? null : speaking;
            stopMaking(reply);
            reply.restart();
            emit(reply.turn(), Kind.REQUEUED, now, "");
        }
    }

    private void piece(Signal.SpeechPiece piece) {
        Reply reply = replies.get(piece.turn());
        if (reply == null || !reply.accept(piece.sentence(), piece.samples())) {
            stale(piece);
        } else if (reply.firstPiece()) {
            emit(piece.turn(), Kind.FIRST_AUDIO, now, "");
        }
    }

    private void made(Signal.SentenceEnded ended) {
        endWork(ended.turn(), Stage.TTS);
        Reply reply = replies.get(ended.turn());
        if (reply != null) {
            reply.sentenceEnded(ended.sentence());
        }
    }

    /** Keeps the voice busy, and ends speech of which everything was played. */
    private void pump() {
        Reply reply = speaking;
        if (reply == null) {
            return;
        }
        int sentence = reply.sentenceToMake(options.answering().lookaheadSamples());
        if (sentence >= 0) {
            work.begin(reply.turn(), Stage.TTS);
            effects.synthesize(reply.turn(), sentence, reply.makeNext());
        } else if (reply.done()) {
            endTurn(reply.turn(), Outcome.ANSWERED, "");
        }
    }

    private void play() {
        Reply reply = speaking;
        Arrays.fill(output, 0);
        boolean held = hearing != null && reply != null && !reply.critical();
        if (reply != null && reply.mayPlay() && !held) {
            boolean first = reply.playedSamples() == 0;
            int count = reply.pull(output, now);
            if (count > 0) {
                if (first) {
                    emit(reply.turn(), Kind.REPLY_STARTED, now, "");
                }
                progressSample = now;
                lastPlayedTurn = reply.turn();
                effects.play(now, output, count);
            }
        }
    }

    // Ends.

    private void cancel(long turn, String reason) {
        if (answer != null && (turn == 0 || answer.turn == turn)) {
            end(answer, Outcome.CANCELLED, reason);
        }
        if (hearing != null && (turn == 0 || hearing.turn == turn)) {
            forget(hearing);
        }
        for (Reply reply : List.copyOf(replies.values())) {
            if (turn == 0 || reply.turn() == turn) {
                end(reply, Outcome.CANCELLED, reason);
            }
        }
    }

    private void failed(Signal.StageFailed failed) {
        emit(failed.turn(), Kind.FAILED, now, failed.stage() + ": " + failed.why());
        switch (failed.stage()) {
            case STT -> transcribed(failed.turn(), "", true);
            case LLM, TTS -> {
                endWork(failed.turn(), failed.stage());
                endTurn(failed.turn(), Outcome.FAILED, failed.why());
            }
        }
    }

    /** Where a stage hangs, the turn ends all the same. */
    private void watchProgress() {
        boolean waiting = hearing == null && answering();
        if (!waiting) {
            progressSample = now;
        } else if (now - progressSample >= options.answering().stageTimeoutSamples()) {
            String why = "no progress for " + TurnOptions.toMs(now - progressSample) + " ms";
            long turn =
                    answer != null ? answer.turn : replies.keySet().iterator().next();
            emit(turn, Kind.FAILED, now, why);
            endTurn(turn, Outcome.FAILED, why);
            progressSample = now;
        }
    }

    private void endTurn(long turn, Outcome outcome, String reason) {
        Reply reply = replies.get(turn);
        if (answer != null && answer.turn == turn) {
            end(answer, outcome, reason);
        } else if (reply != null) {
            end(reply, outcome, reason);
        }
    }

    private void end(Answer ended, Outcome outcome, String reason) {
        answer = null;
        Reply reply = ended.reply;
        String heard = reply == null ? "" : reply.heardText();
        if (!heard.isEmpty() && outcome != Outcome.CONTINUED) {
            history.add(ended.question, heard);
        }
        if (reply != null) {
            release(reply);
        }
        if (work.has(ended.turn, Stage.LLM)) {
            effects.cancelGeneration(ended.turn, reason);
            emit(ended.turn, Kind.GENERATION_CANCELLED, now, reason);
        }
        close(ended.turn, outcome, reason);
    }

    private void end(Reply reply, Outcome outcome, String reason) {
        release(reply);
        close(reply.turn(), outcome, reason);
    }

    private void release(Reply reply) {
        replies.remove(reply.turn());
        speaking = speaking == reply ? null : speaking;
        stopMaking(reply);
        reply.giveUpSlot();
        if (reply.playedSamples() > 0) {
            emit(reply.turn(), Kind.REPLY_ENDED, now, reply.heardText());
        }
    }

    private void stopMaking(Reply reply) {
        if (reply.making()) {
            effects.cancelSynthesis(reply.turn());
            emit(reply.turn(), Kind.SPEECH_CANCELLED, now, "");
        }
    }

    private void close(long turn, Outcome outcome, String reason) {
        if (outcome != Outcome.ANSWERED) {
            emit(turn, Kind.QUEUE_DROPPED, now, Integer.toString(inbox.dropStream(turn)));
            emit(turn, Kind.CANCELLED, now, reason);
        }
        emit(turn, Kind.ENDED, now, outcome.name());
        if (work.cancel(turn) && outcome != Outcome.ANSWERED) {
            emit(turn, Kind.WENT_IDLE, now, "");
        }
    }

    private void endWork(long turn, Stage stage) {
        if (work.end(turn, stage)) {
            emit(turn, Kind.WENT_IDLE, now, "");
        }
    }

    private void stale(Signal signal) {
        emit(signal.turn(), Kind.STALE_DROPPED, now, signal.getClass().getSimpleName());
    }

    private void emit(long turn, Kind kind, long atSample, String text) {
        observer.observe(new TurnEvent(turn, kind, atSample, clock.nanos(), text));
    }
}
