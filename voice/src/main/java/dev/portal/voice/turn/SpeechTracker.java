package dev.portal.voice.turn;

import dev.portal.voice.vad.SpeechEvent;
import dev.portal.voice.vad.StreamingSegmenter;
import dev.portal.voice.vad.StreamingSettings;

/** Where speech begins and ends, in the conversation's time: a segmenter that can be told to forget. */
final class SpeechTracker {
    enum Change {
        NONE,
        STARTED,
        ENDED
    }

    private final StreamingSegmenter segmenter;
    private final long startPadSamples;
    /** The conversation's time at the segmenter's zero. */
    private long zeroSample;

    private long now;
    private long onsetSample;
    private long endSample;

    SpeechTracker(StreamingSettings settings) {
        segmenter = new StreamingSegmenter(settings, TurnOptions.SAMPLE_RATE_HZ, TurnOptions.WINDOW_SAMPLES);
        startPadSamples = (long) (settings.startPadMs() * TurnOptions.SAMPLE_RATE_HZ / 1_000);
    }

    /** Takes the next window. */
    Change window(float probability) {
        now += TurnOptions.WINDOW_SAMPLES;
        SpeechEvent event = segmenter.window(probability).orElse(null);
        return switch (event) {
            case null -> Change.NONE;
            case SpeechEvent.Started started -> {
                // Dated back by the pad, except at the stream's start.
                long onset = Math.min(started.sample() + startPadSamples, segmenter.samples() - 1);
                onsetSample = zeroSample + onset / TurnOptions.WINDOW_SAMPLES * TurnOptions.WINDOW_SAMPLES;
                yield Change.STARTED;
            }
            case SpeechEvent.Ended ended -> {
                endSample = zeroSample + ended.sample();
                yield Change.ENDED;
            }
        };
    }

    boolean speaking() {
        return segmenter.speaking();
    }

    /** Where the last speech began: the start of its first window. */
    long onsetSample() {
        return onsetSample;
    }

    /** Where the last speech ended. */
    long endSample() {
        return endSample;
    }

    /** Forgets the speech in progress, so that the next window of speech is a new onset. */
    void reset() {
        segmenter.reset();
        zeroSample = now;
    }
}
