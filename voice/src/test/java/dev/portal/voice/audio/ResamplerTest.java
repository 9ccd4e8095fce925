package dev.portal.voice.audio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.portal.base.RandomStream;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResamplerTest {
    /** Ratios of every kind: whole, fractional, both directions, and with more phases than are tabulated. */
    private static final String RATIOS = """
            48000, 16000
            44100, 16000
            16000, 44100
            22050, 16000
            8000, 16000
            16000, 8000
            192000, 8000
            8000, 192000
            47999, 16000
            16000, 11025
            """;

    @ParameterizedTest
    @CsvSource(textBlock = RATIOS)
    void sinesInThePassbandComeOutAsTheyWere(int from, int to) {
        double nyquist = Math.min(from, to) / 2.0;
        for (double share : new double[] {0.01, 0.3, 0.7, 0.9}) {
            float[] out = resampled(sine(from, share * nyquist), from, to);
            int edge = to / 40;
            double worst = 0;
            for (int i = edge; i < out.length - edge; i++) {
                double expected = 0.5 * Math.sin(2 * Math.PI * share * nyquist * i / to);
                worst = Math.max(worst, Math.abs(out[i] - expected));
            }
            assertThat(worst).as("%s of Nyquist", share).isLessThan(0.5 * (Math.pow(10, 0.01 / 20) - 1));
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = RATIOS)
    void sinesAboveTheLowerNyquistFrequencyAreDownBy85Decibels(int from, int to) {
        if (from < to) {
            return; // Then the images are what must be down: see the next test.
        }
        double nyquist = to / 2.0;
        for (double share : new double[] {1.0, 1.1, 1.7}) {
            if (share * nyquist < from / 2.0) {
                assertThat(decibels(resampled(sine(from, share * nyquist), from, to)))
                        .as("%s of Nyquist", share)
                        .isLessThan(-85);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"8000, 16000", "16000, 44100", "16000, 48000"})
    void imagesOfASineAreDownBy85Decibels(int from, int to) {
        double hz = 0.45 * from;
        float[] out = resampled(sine(from, hz), from, to);
        for (int i = 0; i < out.length; i++) {
            out[i] -= (float) (0.5 * Math.sin(2 * Math.PI * hz * i / to));
        }
        assertThat(decibels(out)).isLessThan(-60);
        assertThat(decibels(out, from - hz, to)).isLessThan(-85);
    }

    @ParameterizedTest
    @CsvSource(textBlock = RATIOS)
    void aStreamInPiecesGivesWhatTheWholeGives(int from, int to) throws IOException {
        RandomStream random = new RandomStream(42);
        float[] in = new float[6_000];
        for (int i = 0; i < in.length; i++) {
            in[i] = random.nextFloat() - 0.5f;
        }
        float[] whole = resampled(in, from, to);
        assertThat(whole).hasSize((int) ((in.length * (long) to + from - 1) / from));
        SampleSource pieces = new SampleSource() {
            private int position;

            @Override
            public int sampleRateHz() {
                return from;
            }

            @Override
            public int read(float[] into, int offset, int length) {
                int count = Math.min(Math.min(length, random.nextInt(1, 700)), in.length - position);
                System.arraycopy(in, position, into, offset, count);
                position += count;
                return count == 0 ? END : count;
            }

            @Override
            public void close() {}
        };
        try (SampleSource source = Resampler.resample(pieces, to)) {
            assertThat(Samples.readAll(source).values()).isEqualTo(whole);
        }
    }

    @Test
    void aConstantStaysWhatItIsAndTheSameRateIsLeftAlone() {
        float[] ones = new float[4_000];
        Arrays.fill(ones, 0.25f);
        float[] out = resampled(ones, 44100, 16000);
        for (int i = 200; i < out.length - 200; i++) {
            assertThat(out[i]).isCloseTo(0.25f, within(1e-6f));
        }
        assertThat(resampled(ones, 16000, 16000)).isSameAs(ones);
        Resampler same = new Resampler(16000, 16000);
        assertThat(same.process(ones, 5, 10)).hasSize(10);
        assertThat(same.finish()).isEmpty();
    }

    @Test
    void aResetStartsAnewAndAnEmptyStreamGivesNothing() {
        Resampler resampler = new Resampler(44100, 16000);
        assertThat(resampler.finish()).isEmpty();
        resampler.reset();
        float[] in = sine(44100, 440);
        float[] first = resampler.process(in, 0, in.length);
        resampler.finish();
        resampler.reset();
        assertThat(resampler.process(in, 0, in.length)).isEqualTo(first);
    }

    @Test
    void ratesOutsideTheRangeAreRefused() {
        assertThatThrownBy(() -> new Resampler(7999, 16000)).hasMessageContaining("cannot resample 7999 Hz");
        assertThatThrownBy(() -> new Resampler(16000, 192001)).hasMessageContaining("cannot resample 192001 Hz");
    }

    private static float[] resampled(float[] in, int from, int to) {
        return Resampler.resample(new Samples(in, from), to).values();
    }

    /** An eighth of a second. */
    private static float[] sine(int rate, double hz) {
        float[] samples = new float[rate / 8];
        for (int i = 0; i < samples.length; i++) {
            samples[i] = (float) (0.5 * Math.sin(2 * Math.PI * hz * i / rate));
        }
        return samples;
    }

    /** The level of the middle of {@code samples} against a sine of amplitude 0.5. */
    private static double decibels(float[] samples) {
        int edge = samples.length / 5;
        double sum = 0;
        for (int i = edge; i < samples.length - edge; i++) {
            sum += samples[i] * samples[i];
        }
        return 10 * Math.log10(sum / (samples.length - 2 * edge) / 0.125);
    }

    /** The level of one frequency, through a Hann window, against a sine of amplitude 0.5. */
    private static double decibels(float[] samples, double hz, int rate) {
        int edge = samples.length / 5;
        double re = 0;
        double im = 0;
        double weights = 0;
        for (int i = edge; i < samples.length - edge; i++) {
            double weight = 0.5 - 0.5 * Math.cos(2 * Math.PI * (i - edge) / (samples.length - 2 * edge));
            re += weight * samples[i] * Math.cos(2 * Math.PI * hz * i / rate);
            im += weight * samples[i] * Math.sin(2 * Math.PI * hz * i / rate);
            weights += weight;
        }
        return 20 * Math.log10(2 * Math.hypot(re, im) / weights / 0.5);
    }
}
