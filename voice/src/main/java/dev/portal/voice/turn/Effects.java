package dev.portal.voice.turn;

import dev.portal.llm.LanguageModel.Message;
import java.util.List;

/**
 * What a conversation makes happen. Calls return at once: the work goes on elsewhere and answers by {@link Signal}s that
 * carry the same turn. Called on the conversation's thread only.
 *
 * <p>Work that was begun always ends with a final signal, cancelled or not: {@link #finishRecognition} with
 * TranscriptReady, {@link #generate} with GenerationEnded, {@link #synthesize} with SentenceEnded, or any of them with
 * StageFailed.
 */
public interface Effects {
    /** Starts to recognise an utterance; at most one is recognised at a time. */
    void startRecognition(long turn);

    /** More of the utterance; the array belongs to the callee. */
    void recognize(long turn, float[] samples);

    /** The utterance is over: answer with its transcript. */
    void finishRecognition(long turn);

    /** Forget the utterance: it was none. No signal is awaited. */
    void abandonRecognition(long turn);

    /** Asks the language model. */
    void generate(long turn, List<Message> messages, int maxTokens);

    /** Stops the language model's work for a turn. */
    void cancelGeneration(long turn, String reason);

    /** Makes sound of one sentence; at most one is made at a time for a turn. */
    void synthesize(long turn, int sentence, String text);

    /** Stops the voice's work for a turn: the preempt flag of what runs, and out with what waits. */
    void cancelSynthesis(long turn);

    /**
     * Plays sound.
     *
     * @param atSample when, in audio time
     * @param samples valid during the call only
     * @param count how many, 1 to a window
     */
    void play(long atSample, float[] samples, int count);
}
