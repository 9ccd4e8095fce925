package dev.portal.voice.turn;

import dev.portal.voice.vad.StreamingSettings;

/**
 * How turns are taken. Durations are in samples at 16 kHz.
 *
 * @param hearing when speech begins and ends
 * @param bargeIn what an interruption takes
 * @param answering what is asked of the language model and of the voice
 */
public record TurnOptions(Hearing hearing, BargeIn bargeIn, Answering answering) {
    /** Samples a second, everywhere in a conversation. */
    public static final int SAMPLE_RATE_HZ = 16_000;
    /** Samples in a window: 32 ms. */
    public static final int WINDOW_SAMPLES = 512;

    /** Design 4.15 and spec 6.3, 6.5. */
    public static final TurnOptions DEFAULTS = new TurnOptions(
            new Hearing(StreamingSettings.SILERO, ms(500), ms(3_000), ms(300), ms(60_000)),
            new BargeIn(2, 6, ms(500), 0),
            new Answering("", 160, 12, ms(5_000), ms(500), "I did not get that.", ms(60_000)));

    /**
     * When speech begins and ends.
     *
     * @param detection when a window counts as speech, and when speech ends
     * @param endOfTurnSamples so much silence after the end is the end of the turn
     * @param endWithoutWordsSamples the same while nothing was recognised
     * @param preRollSamples recognition starts with so much sound from before the speech
     * @param maxUtteranceSamples a turn is ended after so much
     */
    public record Hearing(
            StreamingSettings detection,
            int endOfTurnSamples,
            int endWithoutWordsSamples,
            int preRollSamples,
            int maxUtteranceSamples) {}

    /**
     * What an interruption takes (spec 6.5).
     *
     * @param softWindows windows of speech until the reply is paused
     * @param hardWindows windows of speech until the interruption is confirmed
     * @param resumeSamples a reply that was paused and not interrupted within this time goes on
     * @param minWords so many words must be recognised too before an interruption is confirmed; 0 asks for none
     */
    public record BargeIn(int softWindows, int hardWindows, int resumeSamples, int minWords) {}

    /**
     * What is asked of the language model and of the voice.
     *
     * @param systemPrompt the first message of every request; empty for none
     * @param maxTokens of one reply
     * @param historyMessages so many of the last messages are sent along
     * @param lookaheadSamples no further sentence is made while so much audio waits to be played
     * @param wordlessSamples speech without words gets {@code wordlessReply} if it lasted longer, else nothing
     * @param wordlessReply what is said when nothing was understood
     * @param stageTimeoutSamples a turn that makes no progress for so long fails
     */
    public record Answering(
            String systemPrompt,
            int maxTokens,
            int historyMessages,
            int lookaheadSamples,
            int wordlessSamples,
            String wordlessReply,
            int stageTimeoutSamples) {}

    /** The same with other settings for barge-in. */
    public TurnOptions with(BargeIn other) {
        return new TurnOptions(hearing, other, answering);
    }

    /** The same with other settings for answers. */
    public TurnOptions with(Answering other) {
        return new TurnOptions(hearing, bargeIn, other);
    }

    /** Milliseconds in samples. */
    public static int ms(int milliseconds) {
        return milliseconds * (SAMPLE_RATE_HZ / 1_000);
    }

    /** Samples in milliseconds. */
    public static double toMs(long samples) {
        return samples * 1_000.0 / SAMPLE_RATE_HZ;
    }
}
