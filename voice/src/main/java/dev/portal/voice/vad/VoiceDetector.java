package dev.portal.voice.vad;

/**
 * Tells, window after window of a stream, how likely it is that somebody speaks.
 *
 * <p>One thread at a time.
 */
public interface VoiceDetector extends AutoCloseable {
    /** For logs and reports. */
    String name();

    /** The rate of the samples that it takes. */
    int sampleRateHz();

    /** How many samples a window has. */
    int windowSamples();

    /**
     * Judges the next window of the stream.
     *
     * @param samples mono, -1 to 1; {@link #windowSamples()} of them from {@code offset} on
     * @return 0 to 1
     */
    float probability(float[] samples, int offset);

    /** Forgets the stream: the next window starts a new one. */
    void reset();

    @Override
    void close();
}
