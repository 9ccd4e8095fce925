package dev.portal.voice.vad;

/**
 * How {@link OfflineSegmenter} turns probabilities into segments (spec 6.2). Limits are real numbers; a limit in
 * milliseconds need not be a whole number of samples.
 *
 * @param threshold speech begins at this probability or above
 * @param exitThreshold speech may end below this one
 * @param minSpeechMs shorter segments are dropped, unless they were cut by {@code maxSpeechS}
 * @param maxSpeechS longer segments are cut; infinite for never
 * @param minSilenceMs shorter silences do not end a segment
 * @param padMs added at both ends of a segment, as far as its neighbours allow
 * @param minSilenceAtMaxMs silences longer than this are where a segment that is too long may be cut
 * @param longestSilence cut at the longest such silence; false for the older rule, which cuts at the last one
 */
public record OfflineSettings(
        double threshold,
        double exitThreshold,
        double minSpeechMs,
        double maxSpeechS,
        double minSilenceMs,
        double padMs,
        double minSilenceAtMaxMs,
        boolean longestSilence) {
    /** Silero's own. */
    public static final OfflineSettings DEFAULT =
            new OfflineSettings(0.5, exitBelow(0.5), 250, Double.POSITIVE_INFINITY, 100, 30, 98, true);

    public OfflineSettings {
        if (!(threshold > 0 && threshold <= 1 && exitThreshold <= threshold)) {
            throw new IllegalArgumentException("threshold " + threshold + " must be in (0, 1], and exitThreshold "
                    + exitThreshold + " not above it");
        }
        if (!(minSpeechMs >= 0 && maxSpeechS > 0 && minSilenceMs >= 0 && padMs >= 0 && minSilenceAtMaxMs >= 0)) {
            throw new IllegalArgumentException("durations must not be negative, and maxSpeechS must be above 0");
        }
    }

    private static double exitBelow(double threshold) {
        return Math.max(threshold - 0.15, 0.01);
    }

    /** Another threshold, and the exit threshold that goes with it: 0.15 less, but 0.01 at least. */
    public OfflineSettings withThreshold(double value) {
        return new OfflineSettings(
                value,
                exitBelow(value),
                minSpeechMs,
                maxSpeechS,
                minSilenceMs,
                padMs,
                minSilenceAtMaxMs,
                longestSilence);
    }

    public OfflineSettings withExitThreshold(double value) {
        return new OfflineSettings(
                threshold, value, minSpeechMs, maxSpeechS, minSilenceMs, padMs, minSilenceAtMaxMs, longestSilence);
    }

    public OfflineSettings withMinSpeechMs(double value) {
        return new OfflineSettings(
                threshold, exitThreshold, value, maxSpeechS, minSilenceMs, padMs, minSilenceAtMaxMs, longestSilence);
    }

    public OfflineSettings withMaxSpeechS(double value) {
        return new OfflineSettings(
                threshold, exitThreshold, minSpeechMs, value, minSilenceMs, padMs, minSilenceAtMaxMs, longestSilence);
    }

    public OfflineSettings withMinSilenceMs(double value) {
        return new OfflineSettings(
                threshold, exitThreshold, minSpeechMs, maxSpeechS, value, padMs, minSilenceAtMaxMs, longestSilence);
    }

    public OfflineSettings withPadMs(double value) {
        return new OfflineSettings(
                threshold,
                exitThreshold,
                minSpeechMs,
                maxSpeechS,
                minSilenceMs,
                value,
                minSilenceAtMaxMs,
                longestSilence);
    }

    public OfflineSettings withMinSilenceAtMaxMs(double value) {
        return new OfflineSettings(
                threshold, exitThreshold, minSpeechMs, maxSpeechS, minSilenceMs, padMs, value, longestSilence);
    }

    public OfflineSettings withLongestSilence(boolean value) {
        return new OfflineSettings(
                threshold, exitThreshold, minSpeechMs, maxSpeechS, minSilenceMs, padMs, minSilenceAtMaxMs, value);
    }
}
