package dev.portal.voice.stt.transducer;

import java.util.Arrays;

/**
 * Kaldi's log mel filter bank with sherpa-onnx's options: 16 kHz, frames of 25 ms every 10 ms centred on their step
 * (snip_edges false: samples beyond either end are mirrored), mean removed, pre-emphasis 0.97, Povey's window, 512 point
 * power spectrum, 80 triangles from 20 to 7600 Hz (high_freq -400), natural logarithm, no dither.
 *
 * <p>Frames come out as soon as their last sample is in. One thread at a time.
 */
public final class Fbank {
    public static final int SAMPLE_RATE_HZ = 16000;
    /** Mel bands of a frame. */
    public static final int BANDS = 80;

    static final int SHIFT_SAMPLES = 160;
    private static final int WINDOW_SAMPLES = 400;
    /** A frame begins this many samples before its step. */
    private static final int LEAD_SAMPLES = WINDOW_SAMPLES / 2 - SHIFT_SAMPLES / 2;

    private static final int FFT_SIZE = 512;
    private static final double PRE_EMPHASIS = 0.97;
    private static final double LOW_HZ = 20;
    private static final double HIGH_HZ = SAMPLE_RATE_HZ / 2.0 - 400;
    /** What C calls FLT_EPSILON: the least energy. */
    private static final double FLOOR = 0x1p-23;

    private final double[] window = poveyWindow();
    private final Band[] bands = bands();
    private final Fft fft = new Fft(FFT_SIZE);
    private final double[] frame = new double[WINDOW_SAMPLES];
    private final double[] power = new double[FFT_SIZE / 2];

    /** Samples from number {@code discarded} on. */
    private float[] samples = new float[4 * WINDOW_SAMPLES];

    private int held;
    private long discarded;
    private long framesMade;
    private boolean finished;

    /** A triangle over the spectrum from bin {@code first} on. */
    private record Band(int first, double[] weights) {}

    private static double[] poveyWindow() {
        double[] window = new double[WINDOW_SAMPLES];
        for (int i = 0; i < window.length; i++) {
            window[i] = Math.pow(0.5 - 0.5 * Math.cos(2 * Math.PI * i / (WINDOW_SAMPLES - 1)), 0.85);
        }
        return window;
    }

    private static double mel(double hz) {
        return 1127 * Math.log1p(hz / 700);
    }

    private static Band[] bands() {
        double low = mel(LOW_HZ);
        double step = (mel(HIGH_HZ) - low) / (BANDS + 1);
        Band[] bands = new Band[BANDS];
        for (int b = 0; b < BANDS; b++) {
            double left = low + b * step;
            double[] weights = new double[FFT_SIZE / 2];
            int first = weights.length;
            int end = 0;
            for (int i = 0; i < weights.length; i++) {
                double rise = (mel((double) i * SAMPLE_RATE_HZ / FFT_SIZE) - left) / step;
                if (rise > 0 && rise < 2) {
                    weights[i] = rise <= 1 ? rise : 2 - rise;
                    first = Math.min(first, i);
                    end = i + 1;
                }
            }
            bands[b] = new Band(first, Arrays.copyOfRange(weights, first, Math.max(first, end)));
        }
        return bands;
    }

    /** Starts a new signal. */
    public void reset() {
        held = 0;
        discarded = 0;
        framesMade = 0;
        finished = false;
    }

    /**
     * Takes more samples.
     *
     * @param values mono, -1 to 1, at 16 kHz
     */
    public void accept(float[] values, int offset, int length) {
        if (finished) {
            throw new IllegalStateException("the signal has ended; reset() starts the next");
        }
        discardUnneeded();
        if (held + length > samples.length) {
            samples = Arrays.copyOf(samples, Math.max(held + length, 2 * samples.length));
        }
        System.arraycopy(values, offset, samples, held, length);
        held += length;
    }

    /** Ends the signal, so that its last frames can be made. */
    public void finish() {
        finished = true;
    }

    private void discardUnneeded() {
        // Mirroring at the start needs the first samples until the first frame is made; at the end, the last window.
        long needed = Math.max(0, framesMade * SHIFT_SAMPLES - LEAD_SAMPLES - WINDOW_SAMPLES);
        int unneeded = (int) Math.min(held, needed - discarded);
        if (unneeded > 0) {
            System.arraycopy(samples, unneeded, samples, 0, held - unneeded);
            held -= unneeded;
            discarded += unneeded;
        }
    }

    /** How many frames the signal has if no sample follows. */
    public long framesIfFinished() {
        return (discarded + held + SHIFT_SAMPLES / 2) / SHIFT_SAMPLES;
    }

    /** How many frames {@link #next} can give now. */
    public int ready() {
        long total = discarded + held;
        long frames = finished
                ? framesIfFinished()
                : Math.max(0, Math.floorDiv(total - WINDOW_SAMPLES + LEAD_SAMPLES, (long) SHIFT_SAMPLES) + 1);
        return (int) Math.max(0, frames - framesMade);
    }

    /** Makes the next frame: {@link #BANDS} values into {@code out}. Call it only while some are ready. */
    public void next(float[] out, int offset) {
        if (ready() == 0) {
            throw new IllegalStateException("no frame is ready after " + (discarded + held) + " samples");
        }
        load(framesMade * SHIFT_SAMPLES - LEAD_SAMPLES);
        fft.power(frame, power);
        for (int b = 0; b < BANDS; b++) {
            double energy = 0;
            double[] weights = bands[b].weights();
            for (int i = 0; i < weights.length; i++) {
                energy += weights[i] * power[bands[b].first() + i];
            }
            out[offset + b] = (float) Math.log(Math.max(energy, FLOOR));
        }
        framesMade++;
    }

    private void load(long start) {
        long total = discarded + held;
        double mean = 0;
        for (int i = 0; i < WINDOW_SAMPLES; i++) {
            frame[i] = samples[(int) (mirrored(start + i, total) - discarded)];
            mean += frame[i] / WINDOW_SAMPLES;
        }
        for (int i = WINDOW_SAMPLES - 1; i >= 0; i--) {
            double before = frame[Math.max(i - 1, 0)];
            frame[i] = window[i] * (frame[i] - mean - PRE_EMPHASIS * (before - mean));
        }
    }

    private static long mirrored(long sample, long total) {
        long at = sample;
        while (at < 0 || at >= total) {
            at = at < 0 ? -1 - at : 2 * total - 1 - at;
        }
        return at;
    }
}
