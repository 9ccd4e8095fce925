package dev.portal.app;

import dev.portal.voice.audio.WavWriter;
import dev.portal.voice.turn.AudioOutput;
import dev.portal.voice.turn.TurnOptions;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Writes what was said, with pauses of half a second at most between replies. The file exists once something was said. */
final class ReplyWriter implements AudioOutput, Closeable {
    private static final int PAUSE = TurnOptions.ms(500);

    private final Path file;
    private @Nullable WavWriter writer;
    private long nextSample;
    private long samples;

    ReplyWriter(Path file) {
        this.file = file;
    }

    @Override
    public void play(long atSample, float[] piece, int count) {
        try {
            if (writer == null) {
                writer = WavWriter.create(file, TurnOptions.SAMPLE_RATE_HZ);
                nextSample = atSample;
            }
            int gap = (int) Math.min(PAUSE, atSample - nextSample);
            if (gap > 0) {
                writer.write(new float[gap], 0, gap);
            }
            writer.write(piece, 0, count);
            nextSample = atSample + count;
            samples += count;
        } catch (IOException e) {
            throw new UncheckedIOException(file + " cannot be written: " + e.getMessage(), e);
        }
    }

    /** Seconds of sound without the pauses. */
    double seconds() {
        return (double) samples / TurnOptions.SAMPLE_RATE_HZ;
    }

    @Override
    public void close() throws IOException {
        if (writer != null) {
            writer.close();
        }
    }
}
