package dev.portal.voice.turn;

import dev.portal.voice.turn.TurnEvent.Outcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of a turn.
 *
 * @param turn its number
 * @param announcement whether the system spoke unasked; then there is no transcript
 * @param transcript what the user said, earlier parts of the same turn included
 * @param reply the words that were heard
 * @param outcome null while the turn is in progress
 * @param stages in the order in which they were reached
 * @param interruptions by speech over the turn, false ones included
 * @param notes why it was cancelled or what failed
 * @param staleDropped how much output of stages came too late and was dropped
 * @param echoWindows how many windows of speech were recognised as the reply itself
 */
public record TurnReport(
        long turn,
        boolean announcement,
        String transcript,
        String reply,
        @Nullable Outcome outcome,
        List<Stage> stages,
        List<Interruption> interruptions,
        List<String> notes,
        int staleDropped,
        int echoWindows) {
    /**
     * A point that the turn reached, counted from where the user's speech ended.
     *
     * @param name vad_end, end_of_turn, stt_final, llm_first_token, first_sentence, tts_first_audio, reply_start, total
     * @param audioMs in audio time
     * @param hostMs in the machine's time, from when the end of the speech was noticed
     */
    public record Stage(String name, double audioMs, double hostMs) {}

    /**
     * Speech over the turn. Times are milliseconds of audio time after the onset; null for what did not happen.
     *
     * @param byTurn the turn of the one who spoke
     * @param onsetMs audio time of the onset from the start of the conversation
     * @param softMs the reply was paused
     * @param hardMs the interruption was confirmed, and everything stopped
     * @param resumedMs it was none, and the reply went on
     * @param idleMs the last work for the turn had ended
     * @param steps the parts of the hard stop
     */
    public record Interruption(
            long byTurn,
            double onsetMs,
            @Nullable Double softMs,
            @Nullable Double hardMs,
            @Nullable Double resumedMs,
            @Nullable Double idleMs,
            List<Step> steps) {}

    /** A part of a hard stop: its name and when it was done, in microseconds of the machine's time after the decision. */
    public record Step(String name, double hostUs) {}
}
