package dev.portal.voice.turn;

import dev.portal.voice.audio.WavWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Writes a conversation's sound to a WAV file in audio time: what plays at 3 s is 3 s into the file. */
public final class WavOutput implements AudioOutput, Closeable {
    private static final float[] SILENCE = new float[TurnOptions.WINDOW_SAMPLES];

    private final WavWriter writer;
    private long writtenSamples;

    /** Takes a writer at 16 kHz, which {@link #close} closes. */
    public WavOutput(WavWriter writer) {
        this.writer = writer;
    }

    @Override
    public void play(long atSample, float[] samples, int count) {
        try {
            while (writtenSamples < atSample) {
                int gap = (int) Math.min(SILENCE.length, atSample - writtenSamples);
                writer.write(SILENCE, 0, gap);
                writtenSamples += gap;
            }
            writer.write(samples, 0, count);
            writtenSamples += count;
        } catch (IOException e) {
            throw new UncheckedIOException("the reply cannot be written: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }
}
