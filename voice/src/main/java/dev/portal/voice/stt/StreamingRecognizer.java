package dev.portal.voice.stt;

/**
 * Turns the samples of one utterance after another into text. Every inference runs as a job of the arbiter; calls block
 * until their jobs are done.
 *
 * <p>One thread at a time. {@link #close()} frees native memory and models.
 */
public interface StreamingRecognizer extends AutoCloseable {
    /** For logs and reports: engine and model. */
    String name();

    /** The rate that {@link #accept} expects. */
    int sampleRateHz();

    /** Starts a new utterance; whatever the last one left is dropped. */
    void start();

    /**
     * Takes more samples.
     *
     * @param samples mono, -1 to 1, at {@link #sampleRateHz()}
     */
    void accept(float[] samples, int offset, int length);

    /** The text so far, which later samples may change; empty when there is none. */
    String partial();

    /** Ends the utterance and returns its text. */
    Transcript finish();

    @Override
    void close();
}
