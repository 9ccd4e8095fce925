package dev.portal.voice.stt.transducer;

/** The power spectrum of a real signal, by a radix-2 transform in place. One thread at a time. */
final class Fft {
    private final int size;
    private final double[] cos;
    private final double[] sin;
    private final double[] re;
    private final double[] im;

    /** @param size a power of two */
    Fft(int size) {
        if (Integer.bitCount(size) != 1) {
            throw new IllegalArgumentException("a transform of " + size + " points; it must be a power of two");
        }
        this.size = size;
        this.cos = new double[size / 2];
        this.sin = new double[size / 2];
        this.re = new double[size];
        this.im = new double[size];
        for (int i = 0; i < size / 2; i++) {
            cos[i] = Math.cos(2 * Math.PI * i / size);
            sin[i] = -Math.sin(2 * Math.PI * i / size);
        }
    }

    /**
     * Squared magnitudes.
     *
     * @param signal zeros stand for what it lacks of {@code size} values
     * @param power takes size / 2 values; the one at half the rate is left out
     */
    void power(double[] signal, double[] power) {
        int shift = Integer.numberOfLeadingZeros(size) + 1;
        for (int i = 0; i < size; i++) {
            re[Integer.reverse(i) >>> shift] = i < signal.length ? signal[i] : 0;
            im[i] = 0;
        }
        for (int half = 1; half < size; half *= 2) {
            int step = size / (2 * half);
            for (int block = 0; block < size; block += 2 * half) {
                for (int k = 0; k < half; k++) {
                    butterfly(block + k, block + k + half, k * step);
                }
            }
        }
        for (int i = 0; i < size / 2; i++) {
            power[i] = re[i] * re[i] + im[i] * im[i];
        }
    }

    private void butterfly(int a, int b, int twiddle) {
        double real = re[b] * cos[twiddle] - im[b] * sin[twiddle];
        double imaginary = re[b] * sin[twiddle] + im[b] * cos[twiddle];
        re[b] = re[a] - real;
        im[b] = im[a] - imaginary;
        re[a] += real;
        im[a] += imaginary;
    }
}
