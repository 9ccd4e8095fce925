package dev.portal.voice.vad;

/**
 * How {@link StreamingSegmenter} decides (spec 6.3).
 *
 * @param threshold a window counts as speech at this probability or above
 * @param exitThreshold speech may end below this one
 * @param minSpeechMs speech starts once windows in a row, this long together, count as speech; 0 to start at the first
 * @param minSilenceMs speech ends this long after the end of the first window below the exit threshold, if no window
 *     counts as speech in between
 * @param startPadMs how far the start is dated back before the first window of speech
 * @param endPadMs how far the end is moved on after the last window of speech
 */
public record StreamingSettings(
        double threshold,
        double exitThreshold,
        double minSpeechMs,
        double minSilenceMs,
        double startPadMs,
        double endPadMs) {
    /** Silero's own: starts at once. */
    public static final StreamingSettings SILERO = new StreamingSettings(0.5, 0.5 - 0.15, 0, 100, 30, 30);

    /**
     * sherpa-onnx: nine windows to start, the start dated back by two windows and 250 ms from the decision, the end 500
     * ms before the decision. Its limit of 20 s, after which it raises the threshold, is not expressed.
     */
    public static final StreamingSettings SHERPA_ONNX = new StreamingSettings(0.5, 0.5 - 0.15, 288, 500, 26, 44);

    /**
     * LiveKit's Silero plug-in: two windows (50 ms rounded up) to start, eighteen (550 ms rounded up) to end, half a
     * second of audio before the start.
     */
    public static final StreamingSettings LIVEKIT = new StreamingSettings(0.5, 0.35, 50, 17 * 32, 500, 0);

    /**
     * Pipecat: six windows (200 ms, rounded) to start, six to end. It also wants a volume of at least 0.6, which only the
     * caller can judge.
     */
    public static final StreamingSettings PIPECAT = new StreamingSettings(0.7, 0.7, 6 * 32, 5 * 32, 0, 0);

    public StreamingSettings {
        if (!(threshold > 0 && threshold <= 1 && exitThreshold <= threshold)) {
            throw new IllegalArgumentException("threshold " + threshold + " must be in (0, 1], and exitThreshold "
                    + exitThreshold + " not above it");
        }
        if (!(minSpeechMs >= 0 && minSilenceMs >= 0 && startPadMs >= 0 && endPadMs >= 0)) {
            throw new IllegalArgumentException("durations must not be negative");
        }
    }
}
