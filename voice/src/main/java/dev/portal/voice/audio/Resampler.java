package dev.portal.voice.audio;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Changes the rate of a stream: a polyphase windowed sinc for any ratio of whole numbers.
 *
 * <p>With f the lower of the two Nyquist frequencies: flat within 0.01 dB up to 0.9 f, at least 85 dB down from f on (the
 * design is a Kaiser window for 90 dB). Output sample n is the input at time n, with no delay to account for; a stream of
 * k samples gives ceil(k * to / from). Up to 1024 phases are tabulated exactly; where the ratio needs more, taps are
 * interpolated between 1024, which costs less than the window leaves.
 *
 * <p>One thread at a time.
 */
public final class Resampler {
    /** The rates that it takes. */
    public static final int MIN_RATE_HZ = 8_000;

    public static final int MAX_RATE_HZ = 192_000;

    private static final int MAX_PHASES = 1024;
    private static final double ATTENUATION_DB = 90;
    /** Of the lower Nyquist frequency; the transition ends at 1. */
    private static final double PASSBAND = 0.9;

    private final int up;
    private final int down;
    /** Input samples on either side of an output sample that count. */
    private final int half;

    /** One row of 2 * half taps a phase, and where phases are interpolated one more for the end. */
    private final float[][] taps;

    private float[] window;
    private int filled;
    /** Where in the window the input sample at or before the next output is, and how far the output is behind it. */
    private int at;

    private int phase;
    private long taken;
    private long made;

    public Resampler(int fromHz, int toHz) {
        require(fromHz);
        require(toHz);
        int divisor = gcd(fromHz, toHz);
        this.up = toHz / divisor;
        this.down = fromHz / divisor;
        double scale = Math.min(1, (double) toHz / fromHz);
        double transition = (1 - PASSBAND) / 2 * scale;
        this.half = fromHz == toHz ? 1 : (int) Math.ceil((ATTENUATION_DB - 7.95) / (14.36 * transition) / 2);
        this.taps = taps((1 + PASSBAND) / 2 * scale);
        this.window = new float[4 * half + 4096];
        reset();
    }

    private static void require(int rateHz) {
        if (rateHz < MIN_RATE_HZ || rateHz > MAX_RATE_HZ) {
            throw new IllegalArgumentException(
                    "cannot resample " + rateHz + " Hz; rates from " + MIN_RATE_HZ + " to " + MAX_RATE_HZ + " are");
        }
    }

    private static int gcd(int a, int b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    /** @param cutoff where the response is down by half, as a share of the input's Nyquist frequency */
    private float[][] taps(double cutoff) {
        boolean exact = up <= MAX_PHASES;
        int phases = exact ? up : MAX_PHASES;
        double beta = 0.1102 * (ATTENUATION_DB - 8.7);
        float[][] table = new float[exact ? phases : phases + 1][2 * half];
        double[] row = new double[2 * half];
        for (int p = 0; p < table.length; p++) {
            double sum = 0;
            for (int k = 0; k < row.length; k++) {
                double t = k - (half - 1) - (double) p / phases;
                row[k] = sinc(cutoff * t) * kaiser(t / half, beta);
                sum += row[k];
            }
            for (int k = 0; k < row.length; k++) {
                table[p][k] = (float) (row[k] / sum);
            }
        }
        return table;
    }

    private static double sinc(double x) {
        return x == 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
    }

    private static double kaiser(double x, double beta) {
        return Math.abs(x) > 1 ? 0 : besselI0(beta * Math.sqrt(1 - x * x)) / besselI0(beta);
    }

    /** The modified Bessel function of order 0, by its series. */
    private static double besselI0(double x) {
        double sum = 1;
        double term = 1;
        for (int k = 1; term > sum * 1e-17; k++) {
            term *= (x / (2 * k)) * (x / (2 * k));
            sum += term;
        }
        return sum;
    }

    /** Starts a new stream. */
    public void reset() {
        // Silence before the first sample.
        Arrays.fill(window, 0);
        filled = half - 1;
        at = half - 1;
        phase = 0;
        taken = 0;
        made = 0;
    }

    /**
     * Takes more of the stream.
     *
     * @return what can be made of it by now; up to {@code half} input samples are held back
     */
    public float[] process(float[] samples, int offset, int length) {
        if (up == down) {
            return Arrays.copyOfRange(samples, offset, offset + length);
        }
        append(samples, offset, length);
        taken += length;
        return make(Long.MAX_VALUE);
    }

    /** Ends the stream, and returns the rest of it. A {@link #reset()} starts the next. */
    public float[] finish() {
        if (up == down) {
            return new float[0];
        }
        append(new float[half], 0, half);
        long wanted = (taken * up + down - 1) / down;
        return make(wanted - made);
    }

    private void append(float[] samples, int offset, int length) {
        int keepFrom = Math.min(at - (half - 1), filled);
        System.arraycopy(window, keepFrom, window, 0, filled - keepFrom);
        filled -= keepFrom;
        at -= keepFrom;
        if (filled + length > window.length) {
            window = Arrays.copyOf(window, Math.max(filled + length, 2 * window.length));
        }
        System.arraycopy(samples, offset, window, filled, length);
        filled += length;
    }

    private float[] make(long limit) {
        int ready = filled - half - at;
        if (ready <= 0 || limit <= 0) {
            return new float[0];
        }
        // Output n of this call is at input position at + (phase + n * down) / up, which must stay below at + ready.
        long count = Math.min(limit, ((long) ready * up - phase + down - 1) / down);
        float[] out = new float[Math.toIntExact(count)];
        for (int i = 0; i < out.length; i++) {
            out[i] = one();
            phase += down;
            at += phase / up;
            phase %= up;
        }
        made += count;
        return out;
    }

    private float one() {
        int from = at - (half - 1);
        if (up <= MAX_PHASES) {
            return dot(taps[phase], from);
        }
        double position = (double) phase * MAX_PHASES / up;
        int row = (int) position;
        float share = (float) (position - row);
        return (1 - share) * dot(taps[row], from) + share * dot(taps[row + 1], from);
    }

    private float dot(float[] row, int from) {
        float even = 0;
        float odd = 0;
        for (int k = 0; k < row.length; k += 2) {
            even += row[k] * window[from + k];
            odd += row[k + 1] * window[from + k + 1];
        }
        return even + odd;
    }

    /** The whole of {@code samples} at another rate. */
    public static Samples resample(Samples samples, int toHz) {
        if (samples.sampleRateHz() == toHz) {
            return samples;
        }
        Resampler resampler = new Resampler(samples.sampleRateHz(), toHz);
        float[] most = resampler.process(samples.values(), 0, samples.values().length);
        float[] rest = resampler.finish();
        float[] all = Arrays.copyOf(most, most.length + rest.length);
        System.arraycopy(rest, 0, all, most.length, rest.length);
        return new Samples(all, toHz);
    }

    /** {@code source} at another rate; the same object where it has that rate. Closing the result closes it. */
    public static SampleSource resample(SampleSource source, int toHz) {
        return source.sampleRateHz() == toHz ? source : new Resampled(source, toHz);
    }

    private static final class Resampled implements SampleSource {
        private final SampleSource source;
        private final Resampler resampler;
        private final int rateHz;
        private final float[] chunk = new float[2048];
        private float[] ready = new float[0];
        private int consumed;
        private boolean ended;

        Resampled(SampleSource source, int toHz) {
            this.source = source;
            this.rateHz = toHz;
            this.resampler = new Resampler(source.sampleRateHz(), toHz);
        }

        @Override
        public int sampleRateHz() {
            return rateHz;
        }

        @Override
        public List<String> warnings() {
            return source.warnings();
        }

        @Override
        public int read(float[] into, int offset, int length) throws IOException {
            while (consumed == ready.length) {
                if (ended) {
                    return END;
                }
                int read = source.read(chunk, 0, chunk.length);
                ended = read < 0;
                ready = ended ? resampler.finish() : resampler.process(chunk, 0, read);
                consumed = 0;
            }
            int count = Math.min(length, ready.length - consumed);
            System.arraycopy(ready, consumed, into, offset, count);
            consumed += count;
            return count;
        }

        @Override
        public void close() throws IOException {
            source.close();
        }
    }
}
