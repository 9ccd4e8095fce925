package dev.portal.voice.turn;

/** Where speech begins and ends in a stream of probabilities: the streaming rule of spec 6.3. */
final class SpeechTracker {
    enum Change {
        NONE,
        STARTED,
        ENDED
    }

    private final TurnOptions.Hearing options;
    private boolean speaking;
    private long onsetSample;
    private long quietSinceSample = -1;
    private long endSample;

    SpeechTracker(TurnOptions.Hearing options) {
        this.options = options;
    }

    /** Takes a window that ends at {@code endsAtSample}. */
    Change window(float probability, long endsAtSample) {
        boolean speech = probability >= options.threshold();
        if (speech) {
            quietSinceSample = -1;
            if (!speaking) {
                speaking = true;
                onsetSample = endsAtSample - TurnOptions.WINDOW_SAMPLES;
                return Change.STARTED;
            }
        } else if (speaking && probability < options.exitThreshold()) {
            if (quietSinceSample < 0) {
                quietSinceSample = endsAtSample;
            }
            if (endsAtSample - quietSinceSample >= options.minSilenceSamples()) {
                speaking = false;
                endSample = quietSinceSample + options.padSamples() - TurnOptions.WINDOW_SAMPLES;
                return Change.ENDED;
            }
        }
        return Change.NONE;
    }

    boolean speaking() {
        return speaking;
    }

    /** Where the last speech began. */
    long onsetSample() {
        return onsetSample;
    }

    /** Where the last speech ended. */
    long endSample() {
        return endSample;
    }

    /** Forgets the speech in progress, so that the next window of speech is a new onset. */
    void reset() {
        speaking = false;
        quietSinceSample = -1;
    }
}
