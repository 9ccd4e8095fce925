package dev.portal.voice.stt.transducer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.RandomStream;
import dev.portal.voice.audio.RawReader;
import dev.portal.voice.audio.Samples;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FbankTest {
    @Test
    void featuresAreThoseOfTheDefinition() throws IOException {
        List<float[]> expected = new ArrayList<>();
        try (InputStream in = resource("fbank-expected.tsv")) {
            for (String line : new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .toList()) {
                float[] row = new float[Fbank.BANDS];
                String[] cells = line.split("\t", -1);
                for (int b = 0; b < row.length; b++) {
                    row[b] = Float.parseFloat(cells[b]);
                }
                expected.add(row);
            }
        }
        List<float[]> actual = features(signal(), Integer.MAX_VALUE);
        assertThat(actual).hasSize(expected.size()).hasSize(50);
        for (int frame = 0; frame < expected.size(); frame++) {
            assertThat(actual.get(frame))
                    .as("frame %s", frame)
                    .usingComparatorWithPrecision(1e-3f)
                    .containsExactly(expected.get(frame));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 37, 160, 399, 1000})
    void piecesGiveWhatTheWholeGives(int most) throws IOException {
        float[] signal = signal();
        assertThat(features(signal, most))
                .usingRecursiveFieldByFieldElementComparator()
                .isEqualTo(features(signal, Integer.MAX_VALUE));
    }

    @Test
    void aFrameIsReadyWithItsLastSample() {
        Fbank fbank = new Fbank();
        fbank.accept(new float[279], 0, 279);
        assertThat(fbank.ready()).isZero();
        fbank.accept(new float[1], 0, 1);
        assertThat(fbank.ready()).isEqualTo(1);
        fbank.accept(new float[160], 0, 160);
        assertThat(fbank.ready()).isEqualTo(2);
        fbank.finish();
        assertThat(fbank.ready()).isEqualTo(3);
        assertThatThrownBy(() -> fbank.accept(new float[1], 0, 1)).hasMessageContaining("reset()");
    }

    @Test
    void aSignalShorterThanAFrameIsMirroredUntilItFills() {
        assertThat(features(new float[] {0.5f}, 1)).isEmpty();
        List<float[]> frames = features(new float[81], 100);
        assertThat(frames).hasSize(1);
        assertThat(frames.getFirst()).containsOnly((float) Math.log(0x1p-23));
    }

    @Test
    void aResetStartsANewSignal() throws IOException {
        float[] signal = signal();
        Fbank fbank = new Fbank();
        fbank.accept(signal, 1000, 3000);
        drain(fbank);
        fbank.finish();
        fbank.reset();
        fbank.accept(signal, 0, signal.length);
        fbank.finish();
        assertThat(drain(fbank))
                .usingRecursiveFieldByFieldElementComparator()
                .isEqualTo(features(signal, Integer.MAX_VALUE));
    }

    private static List<float[]> features(float[] signal, int most) {
        RandomStream random = new RandomStream(3);
        Fbank fbank = new Fbank();
        List<float[]> frames = new ArrayList<>();
        for (int done = 0; done < signal.length; ) {
            int length = Math.min(most > signal.length ? most : random.nextInt(1, most + 1), signal.length - done);
            fbank.accept(signal, done, length);
            done += length;
            frames.addAll(drain(fbank));
        }
        fbank.finish();
        frames.addAll(drain(fbank));
        return frames;
    }

    private static List<float[]> drain(Fbank fbank) {
        List<float[]> frames = new ArrayList<>();
        while (fbank.ready() > 0) {
            float[] frame = new float[Fbank.BANDS + 2];
            fbank.next(frame, 1);
            frames.add(Arrays.copyOfRange(frame, 1, 1 + Fbank.BANDS));
        }
        return frames;
    }

    private static float[] signal() throws IOException {
        try (RawReader reader = new RawReader(resource("fbank-signal.s16le"), Fbank.SAMPLE_RATE_HZ)) {
            return Samples.readAll(reader).values();
        }
    }

    private static InputStream resource(String name) {
        return Objects.requireNonNull(FbankTest.class.getResourceAsStream(name), name);
    }
}
