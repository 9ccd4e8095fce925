package dev.portal.voice;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ShortBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the recordings of pocketsphinx-testdata: 16 kHz, mono, 16 bit, .raw without a header or .wav with one. */
public final class Recordings {
    private static final int WAV_HEADER_BYTES = 44;

    private Recordings() {}

    public static float[] read(Path file) {
        try {
            byte[] bytes = Files.readAllBytes(file);
            int start = file.toString().endsWith(".wav") ? WAV_HEADER_BYTES : 0;
            ShortBuffer pcm = ByteBuffer.wrap(bytes, start, (bytes.length - start) / 2 * 2)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .asShortBuffer();
            float[] samples = new float[pcm.remaining()];
            for (int i = 0; i < samples.length; i++) {
                samples[i] = pcm.get(i) / 32768f;
            }
            return samples;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
