package dev.portal.voice.turn;

/** Where a conversation's sound goes. Called on the conversation's thread, in the order of time. */
@FunctionalInterface
public interface AudioOutput {
    /**
     * Plays, or keeps, some sound; where there is a gap since the last call there is silence.
     *
     * @param atSample when, in audio time
     * @param samples mono, 16 kHz, -1 to 1; valid during the call only
     * @param count how many of them
     */
    void play(long atSample, float[] samples, int count);
}
