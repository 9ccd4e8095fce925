package dev.portal.voice.vad;

/** What a {@link StreamingSegmenter} says about the stream. Starts and ends alternate, a start first. */
public sealed interface SpeechEvent {
    /** The sample, counted from the start of the stream, where it happened. */
    long sample();

    /** Somebody began to speak, at or after {@code sample}; earlier than the present window, so keep some audio. */
    record Started(long sample) implements SpeechEvent {}

    /** The speech ended at {@code sample}. */
    record Ended(long sample) implements SpeechEvent {}
}
