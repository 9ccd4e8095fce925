package dev.portal.voice.turn;

import dev.portal.llm.LanguageModel.FinishReason;
import dev.portal.voice.arbitration.SpeechListener;
import dev.portal.voice.arbitration.SpeechPriority;
import dev.portal.voice.arbitration.SpeechQueueDropped;
import dev.portal.voice.arbitration.SpeechToken;
import dev.portal.voice.stt.Transcript;

/**
 * What the stages tell the conversation, in three classes. Every signal names its turn; signals of a turn that was
 * cancelled are recognised by that number and have no effect.
 */
public sealed interface Signal {
    /** The turn it belongs to; 0 for none. */
    long turn();

    /** Overtakes every other signal and survives a barge-in. */
    sealed interface Urgent extends Signal {}

    /** In order; dropped from the inbox when its turn is cancelled. */
    sealed interface Stream extends Signal {}

    /** In order; never dropped, since it says that something has ended, or hands over what must be given back. */
    sealed interface Final extends Signal {}

    /** Somebody outside ends the turn; every turn when it is 0. */
    record CancelRequested(long turn, String reason) implements Urgent {}

    /** The arbitrator took the slot away from the turn's speech. */
    record SpeechVacated(long turn, SpeechToken token, SpeechListener.Cause cause) implements Urgent {}

    /** What was understood so far. */
    record PartialTranscript(long turn, String text) implements Stream {}

    /** A piece of the reply's text. */
    record LlmToken(long turn, int sequence, String text) implements Stream {}

    /** A piece of the reply's sound; the array belongs to the receiver. */
    record SpeechPiece(long turn, int sentence, float[] samples) implements Stream {}

    /** Recognition of an utterance ended. */
    record TranscriptReady(long turn, Transcript transcript) implements Final {}

    /** The language model is done with the turn, for whichever reason. */
    record GenerationEnded(long turn, FinishReason finish) implements Final {}

    /** The voice is done with a sentence, said or stopped; its pieces came before. */
    record SentenceEnded(long turn, int sentence) implements Final {}

    /** A stage could not do what was asked of it, and is done with it. */
    record StageFailed(long turn, Stage stage, String why) implements Final {}

    /** The turn's speech has the slot. */
    record SpeechGranted(long turn, SpeechToken token) implements Final {}

    /** The turn's speech was dropped from the arbitrator's queue. */
    record SpeechDropped(long turn, SpeechQueueDropped why) implements Final {}

    /** Something is to be said that no user asked for. */
    record Announcement(SpeechPriority priority, String text) implements Final {
        @Override
        public long turn() {
            return 0;
        }
    }

    /** The stages that can fail. */
    enum Stage {
        STT,
        LLM,
        TTS
    }
}
