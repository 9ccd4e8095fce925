package dev.portal.voice.vad;

/**
 * A stretch of speech.
 *
 * @param startSample its first sample, counted from the start of the signal
 * @param endSample one past its last sample
 */
public record Segment(long startSample, long endSample) {
    public Segment {
        if (startSample < 0 || endSample < startSample) {
            throw new IllegalArgumentException("segment from " + startSample + " to " + endSample);
        }
    }

    public long samples() {
        return endSample - startSample;
    }
}
