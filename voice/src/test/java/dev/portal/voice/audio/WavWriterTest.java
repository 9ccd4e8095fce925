package dev.portal.voice.audio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WavWriterTest {
    private static final float[] VALUES = {0, 0.5f, -0.5f, 1, -1, 2, -2, 1 / 32768f};
    private static final byte[] BYTES = WavBytes.s16(0, 16384, -16384, 32767, -32768, 32767, -32768, 1);

    @Test
    void aClosedFileHasItsLengthInTheHeader(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("out.wav");
        try (WavWriter writer = WavWriter.create(file, 22050)) {
            writer.write(VALUES, 0, 3);
            writer.write(VALUES, 3, VALUES.length - 3);
        }
        byte[] expected = WavBytes.of(1, 1, 22050, 16).data(BYTES).bytes();
        expected[4] = (byte) (expected.length - 8);
        expected[5] = expected[6] = expected[7] = 0;
        assertThat(Files.readAllBytes(file)).isEqualTo(expected);
        assertThat(WavWriter.encode(new Samples(VALUES, 22050))).isEqualTo(expected);
    }

    @Test
    void aFileThatWasNotClosedCanBePlayed(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("out.wav");
        try (WavWriter writer = WavWriter.create(file, 16000)) {
            writer.write(VALUES, 0, 3);
            writer.flush();
            try (SampleSource source = AudioFiles.open(file)) {
                assertThat(Samples.readAll(source).values()).containsExactly(0, 0.5f, -0.5f);
                assertThat(source.warnings()).isEmpty();
            }
        }
    }

    @Test
    void aStreamIsOfUnknownLengthAndLongerThanTheBuffer() throws IOException {
        var out = new ByteArrayOutputStream();
        float[] many = new float[10_000];
        for (int i = 0; i < many.length; i++) {
            many[i] = (i - 5000) / 32768f;
        }
        try (WavWriter writer = WavWriter.to(out, 16000)) {
            writer.write(many, 0, many.length);
        }
        assertThat(out.size()).isEqualTo(44 + 2 * many.length);
        try (WavReader reader = new WavReader(new ByteArrayInputStream(out.toByteArray()))) {
            assertThat(Samples.readAll(reader).values()).isEqualTo(many);
        }
    }

    @Test
    void headerlessFilesAreKnownByNameOrOption(@TempDir Path folder) throws IOException {
        Path raw = Files.write(folder.resolve("sound.RAW"), new byte[] {0, 64, 1});
        try (SampleSource source = AudioFiles.open(raw)) {
            assertThat(source.sampleRateHz()).isEqualTo(16000);
            assertThat(Samples.readAll(source).values()).containsExactly(0.5f);
            assertThat(source.warnings()).singleElement().asString().contains("half a sample");
        }
        try (SampleSource source = AudioFiles.open("-", new ByteArrayInputStream(new byte[] {0, -64}), true)) {
            assertThat(Samples.readAll(source).values()).containsExactly(-0.5f);
        }
        byte[] wav = WavWriter.encode(new Samples(VALUES, 8000));
        try (SampleSource source = AudioFiles.open("-", new ByteArrayInputStream(wav), false)) {
            assertThat(source.sampleRateHz()).isEqualTo(8000);
        }
    }
}
