package dev.portal.voice.tts;

import dev.portal.scheduler.NpuJob;
import java.util.Optional;

/**
 * One text on its way to sound, in two stages: the encoder (text to phones, durations, frames) and the decoder (frames to
 * samples). The stages are jobs, so that the arbiter decides when they run; the decoder hands out audio in small pieces
 * and looks at the preempt flag between them, and after a yield goes on with the next piece.
 */
public interface Utterance {
    /** The TTS_ENCODER job, to be completed before the decoder starts; empty for models that have one stage. */
    Optional<NpuJob> encoder();

    /** The TTS_DECODER job, which delivers to {@code sink} on the thread that runs it. */
    NpuJob decoder(PieceSink sink);

    /** Takes audio as it is made. */
    @FunctionalInterface
    interface PieceSink {
        /**
         * Takes one piece, at most a few tens of milliseconds.
         *
         * @param samples mono, -1 to 1; valid during the call only
         * @return false to stop: the decoder then completes without making more
         */
        boolean accept(float[] samples, int offset, int length);
    }
}
