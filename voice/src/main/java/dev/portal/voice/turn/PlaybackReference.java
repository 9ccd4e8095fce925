package dev.portal.voice.turn;

import java.util.Arrays;

/**
 * Tells whether what the microphone hears is what the loudspeaker plays (design 4.15): the system must not interrupt
 * itself.
 *
 * <p>The last 64 ms of the microphone are compared with the playback of the last 384 ms. A search over quarter-rate
 * sound finds the delays at which the two correlate most; around each a filter of {@value #TAPS} taps is fitted by least
 * squares, which takes gain, fractions of a sample and the colour of loudspeaker and microphone into account. What the
 * filtered playback leaves of the microphone's energy is not playback. More than {@value #UNEXPLAINED} of it means that
 * somebody else speaks.
 *
 * <p>So a voice is noticed when it is at least 6 dB below the leaked reply or louder, and a reply is recognised as long as
 * echoes later than 2 ms after the direct sound are at least 7 dB below it: a loudspeaker beside the microphone, without
 * an echo canceller. Where a canceller cleans the microphone, nothing is left to explain and nothing is suppressed.
 */
final class PlaybackReference {
    /** The part of the microphone's energy that playback may leave unexplained: -7 dB. */
    static final double UNEXPLAINED = 0.2;
    /** The longest delay from playing to hearing: 320 ms. */
    static final int MAX_DELAY_SAMPLES = 5_120;

    private static final int TAPS = 32;
    /** The filter begins so much before the delay that the search found. */
    private static final int TAPS_BEFORE = 8;

    /** So many delays are tried: voiced sound correlates with itself a pitch period away, too. */
    private static final int CANDIDATES = 6;
    /** Delays that are tried differ by more than this, in steps of the decimation. */
    private static final int APART = 4;

    private static final int FRAME = 2 * TurnOptions.WINDOW_SAMPLES;
    private static final int DECIMATION = 4;
    private static final int HISTORY = FRAME + MAX_DELAY_SAMPLES + TAPS;
    /** Mean square below which there is no sound: -80 dB of full scale. */
    private static final double SILENCE = 1e-8;
    /** Keeps the fit stable where the playback has little energy in some band. */
    private static final double REGULARISATION = 1e-4;

    // Oldest first; the newest sample is the last.
    private final float[] heard = new float[FRAME];
    private final float[] played = new float[HISTORY];
    /** The delay that explained last: the way from loudspeaker to microphone seldom changes. */
    private int lastDelay;

    /** Takes a window of the microphone and what was played during it. */
    void append(float[] microphone, float[] playback) {
        shift(heard, microphone);
        shift(played, playback);
    }

    private static void shift(float[] history, float[] window) {
        System.arraycopy(history, window.length, history, 0, history.length - window.length);
        System.arraycopy(window, 0, history, history.length - window.length, window.length);
    }

    /** Whether the last window heard is explained by what was played. */
    boolean explains() {
        double energy = energy(heard, 0, FRAME);
        if (energy < SILENCE * FRAME || energy(played, 0, HISTORY) < SILENCE * FRAME) {
            return false;
        }
        double limit = UNEXPLAINED * energy;
        if (residual(lastDelay) <= limit) {
            return true;
        }
        double[] scores = scores();
        for (int candidate = 0; candidate < CANDIDATES; candidate++) {
            int best = best(scores);
            if (residual(best * DECIMATION) <= limit) {
                lastDelay = best * DECIMATION;
                return true;
            }
            int from = Math.max(0, best - APART);
            Arrays.fill(scores, from, Math.min(scores.length, best + APART + 1), -1);
        }
        return false;
    }

    /** How much of the microphone's energy playback explains at each delay, in steps of the decimation. */
    private double[] scores() {
        float[] mic = decimate(heard);
        float[] ref = decimate(played);
        double[] scores = new double[MAX_DELAY_SAMPLES / DECIMATION + 1];
        for (int delay = 0; delay < scores.length; delay++) {
            int from = ref.length - mic.length - delay;
            double power = energy(ref, from, mic.length);
            double product = dot(mic, 0, ref, from, mic.length);
            scores[delay] = power > 0 ? product * product / power : 0;
        }
        return scores;
    }

    private static int best(double[] scores) {
        int best = 0;
        for (int i = 1; i < scores.length; i++) {
            best = scores[i] > scores[best] ? i : best;
        }
        return best;
    }

    /** The energy of the microphone that no filter of playback around this delay explains. */
    private double residual(int delay) {
        int newest = HISTORY - FRAME - Math.max(0, delay - TAPS_BEFORE);
        double[][] covariance = new double[TAPS][TAPS];
        double[] product = new double[TAPS];
        for (int i = 0; i < TAPS; i++) {
            product[i] = dot(heard, 0, played, newest - i, FRAME);
            covariance[i][0] = dot(played, newest - i, played, newest, FRAME);
            // One sample earlier, the sum gains a product at its start and loses one at its end.
            for (int j = 1; j <= i; j++) {
                covariance[i][j] = covariance[i - 1][j - 1]
                        + (double) played[newest - i] * played[newest - j]
                        - (double) played[newest - i + FRAME] * played[newest - j + FRAME];
            }
        }
        double load = REGULARISATION * covariance[0][0] + SILENCE;
        for (int i = 0; i < TAPS; i++) {
            covariance[i][i] += load;
        }
        return energy(heard, 0, FRAME) - explained(covariance, product);
    }

    /** productᵀ covariance⁻¹ product, by Cholesky's factors; the covariance is overwritten. */
    private static double explained(double[][] covariance, double[] product) {
        double sum = 0;
        double[] forward = new double[TAPS];
        for (int i = 0; i < TAPS; i++) {
            double value = product[i];
            for (int j = 0; j <= i; j++) {
                double entry = covariance[i][j];
                for (int k = 0; k < j; k++) {
                    entry -= covariance[i][k] * covariance[j][k];
                }
                covariance[i][j] = i == j ? Math.sqrt(Math.max(entry, Double.MIN_NORMAL)) : entry / covariance[j][j];
            }
            for (int j = 0; j < i; j++) {
                value -= covariance[i][j] * forward[j];
            }
            forward[i] = value / covariance[i][i];
            sum += forward[i] * forward[i];
        }
        return sum;
    }

    /** Every fourth sample of the mean of four: enough low-pass for a search. */
    private static float[] decimate(float[] samples) {
        float[] fewer = new float[samples.length / DECIMATION];
        int skip = samples.length - fewer.length * DECIMATION;
        for (int i = 0; i < fewer.length; i++) {
            float sum = 0;
            for (int k = 0; k < DECIMATION; k++) {
                sum += samples[skip + i * DECIMATION + k];
            }
            fewer[i] = sum;
        }
        return fewer;
    }

    private static double energy(float[] samples, int from, int length) {
        return dot(samples, from, samples, from, length);
    }

    private static double dot(float[] a, int fromA, float[] b, int fromB, int length) {
        double sum0 = 0;
        double sum1 = 0;
        double sum2 = 0;
        double sum3 = 0;
        int i = 0;
        for (; i + 3 < length; i += 4) {
            sum0 += (double) a[fromA + i] * b[fromB + i];
            sum1 += (double) a[fromA + i + 1] * b[fromB + i + 1];
            sum2 += (double) a[fromA + i + 2] * b[fromB + i + 2];
            sum3 += (double) a[fromA + i + 3] * b[fromB + i + 3];
        }
        for (; i < length; i++) {
            sum0 += (double) a[fromA + i] * b[fromB + i];
        }
        return sum0 + sum1 + (sum2 + sum3);
    }
}
