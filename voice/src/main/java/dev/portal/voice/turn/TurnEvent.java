package dev.portal.voice.turn;

/**
 * Something that happened in a turn.
 *
 * @param turn whose; the interrupted one for the steps of an interruption
 * @param atSample audio time; the onset and the end of speech are dated back to where they were in the sound
 * @param hostNanos the machine's time when it was noticed
 * @param text words, reason or outcome, by kind; empty where there is nothing to add
 */
public record TurnEvent(long turn, Kind kind, long atSample, long hostNanos, String text) {
    /** What can happen, in the order in which it usually does. */
    public enum Kind {
        SPEECH_STARTED,
        SPEECH_ENDED,
        TURN_COMMITTED,
        TRANSCRIBED,
        GENERATION_STARTED,
        FIRST_TOKEN,
        FIRST_SENTENCE,
        GENERATION_ENDED,
        SPEECH_GRANTED,
        FIRST_AUDIO,
        REPLY_STARTED,
        /** The system speaks unasked; text is what it says. */
        ANNOUNCED,
        /** A critical announcement was replaced and starts again; text is the cause. */
        REQUEUED,
        /** Somebody began to speak over the turn; text is the turn of the one who speaks. */
        ONSET,
        SOFT_STOPPED,
        /** It was no interruption; the reply goes on. */
        RESUMED,
        HARD_STOPPED,
        SOUND_STOPPED,
        SLOT_VACATED,
        SPEECH_CANCELLED,
        GENERATION_CANCELLED,
        QUEUE_DROPPED,
        /** The last work for the cancelled turn has ended. */
        WENT_IDLE,
        CANCELLED,
        FAILED,
        /** Output of a stage came for a turn that is over, and was dropped; text says which. */
        STALE_DROPPED,
        /** A window of speech was the reply itself, heard by the microphone. */
        ECHO_IGNORED,
        /** Everything of the reply that was heard; text is those words. */
        REPLY_ENDED,
        /** The last event of a turn but WENT_IDLE, STALE_DROPPED and ECHO_IGNORED; text is the {@link Outcome}. */
        ENDED
    }

    /** How turns end. */
    public enum Outcome {
        /** The whole reply was played. */
        ANSWERED,
        /** A user spoke into the reply. */
        INTERRUPTED,
        /** Speech went on before the reply had started; the words are part of the next turn. */
        CONTINUED,
        /** Nothing was understood, or the model had nothing to say. */
        SILENT,
        /** More important speech took the voice, or the queue was full. */
        DISPLACED,
        /** From outside. */
        CANCELLED,
        FAILED
    }
}
