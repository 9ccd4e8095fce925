package dev.portal.voice.vad;

import java.util.Optional;

/**
 * Finds the speech in a stream while it comes in (spec 6.3).
 *
 * <p>One thread at a time.
 */
public final class StreamingSegmenter {
    private static final long NONE = -1;

    private final StreamingSettings settings;
    private final int windowSamples;
    private final double minSpeech;
    private final double minSilence;
    private final double startPad;
    private final double endPad;
    private boolean speaking;
    private long current;
    private long onset = NONE;
    private long possibleEnd = NONE;

    public StreamingSegmenter(StreamingSettings settings, int sampleRateHz, int windowSamples) {
        if (sampleRateHz < 1 || windowSamples < 1) {
            throw new IllegalArgumentException(windowSamples + " samples a window at " + sampleRateHz + " Hz");
        }
        this.settings = settings;
        this.windowSamples = windowSamples;
        this.minSpeech = sampleRateHz * settings.minSpeechMs() / 1000;
        this.minSilence = sampleRateHz * settings.minSilenceMs() / 1000;
        this.startPad = sampleRateHz * settings.startPadMs() / 1000;
        this.endPad = sampleRateHz * settings.endPadMs() / 1000;
    }

    /** Takes the probability of the next window; most windows bring no news. */
    public Optional<SpeechEvent> window(double probability) {
        current += windowSamples;
        boolean speech = probability >= settings.threshold();
        if (speech) {
            possibleEnd = NONE;
        }
        return speaking ? whileSpeaking(probability, speech) : whileSilent(speech);
    }

    private Optional<SpeechEvent> whileSilent(boolean speech) {
        if (!speech) {
            onset = NONE;
            return Optional.empty();
        }
        if (onset == NONE) {
            onset = current - windowSamples;
        }
        if (current - onset < minSpeech) {
            return Optional.empty();
        }
        speaking = true;
        return Optional.of(new SpeechEvent.Started((long) Math.max(0, onset - startPad)));
    }

    private Optional<SpeechEvent> whileSpeaking(double probability, boolean speech) {
        if (speech || probability >= settings.exitThreshold()) {
            return Optional.empty();
        }
        if (possibleEnd == NONE) {
            possibleEnd = current;
        }
        if (current - possibleEnd < minSilence) {
            return Optional.empty();
        }
        long end = (long) (possibleEnd + endPad - windowSamples);
        speaking = false;
        onset = NONE;
        possibleEnd = NONE;
        return Optional.of(new SpeechEvent.Ended(end));
    }

    /** Whether speech has started and not ended. */
    public boolean speaking() {
        return speaking;
    }

    /** Samples taken so far. */
    public long samples() {
        return current;
    }

    /** Starts a new stream at sample 0. */
    public void reset() {
        speaking = false;
        current = 0;
        onset = NONE;
        possibleEnd = NONE;
    }
}
