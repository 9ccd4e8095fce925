package dev.portal.voice.tts;

/** A voice: makes utterances out of texts. Any thread; at most one utterance of an engine runs at a time. */
public interface SpeechEngine extends AutoCloseable {
    /** For logs and reports: engine and voice. */
    String name();

    /** The rate of the audio that it makes. */
    int sampleRateHz();

    /**
     * Prepares one text. Nothing is computed yet.
     *
     * @param text plain text, one sentence or a few
     */
    Utterance prepare(String text);

    @Override
    void close();
}
