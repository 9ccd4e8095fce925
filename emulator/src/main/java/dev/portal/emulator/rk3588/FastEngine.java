package dev.portal.emulator.rk3588;

import java.util.Arrays;

/**
 * The arithmetic of {@link ScalarEngine} in loops that HotSpot turns into vector code.
 *
 * <p>Several rows: the weights of 32 channels are turned once into rows of kernels, then each feature adds its multiple
 * of such a row; the inner loop runs over kernels, so the order of a sum stays the order of the channels. One row of
 * int8: no turning, one dot product a kernel.
 */
final class FastEngine implements MatrixEngine {
    private static final int TILE = Addressing.TILE_CHANNELS;

    private int[] turned = new int[0];
    private float[] turnedReal = new float[0];
    private float[] real = new float[0];

    @Override
    public void int8(
            byte[] features, byte[] weights, int weightOffset, int rows, int channels, int kernels, int[] sums) {
        if (rows == 1) {
            oneRow(features, weights, weightOffset, channels, kernels, sums);
            return;
        }
        Arrays.fill(sums, 0, rows * kernels, 0);
        if (turned.length < TILE * kernels) {
            turned = new int[TILE * kernels];
        }
        for (int tile = 0; tile < channels; tile += TILE) {
            for (int n = 0; n < kernels; n++) {
                int from = weightOffset + (n >> 5) * 32 * channels + tile * 32 + (n & 31) * TILE;
                for (int k = 0; k < TILE; k++) {
                    turned[k * kernels + n] = weights[from + k];
                }
            }
            for (int m = 0; m < rows; m++) {
                for (int k = 0; k < TILE; k++) {
                    addMultiple(sums, m * kernels, turned, k * kernels, features[m * channels + tile + k], kernels);
                }
            }
        }
    }

    private static void oneRow(
            byte[] features, byte[] weights, int weightOffset, int channels, int kernels, int[] sums) {
        for (int n = 0; n < kernels; n++) {
            int from = weightOffset + (n >> 5) * 32 * channels + (n & 31) * TILE;
            int sum = 0;
            for (int tile = 0; tile < channels; tile += TILE) {
                int at = from + tile * 32;
                for (int k = 0; k < TILE; k++) {
                    sum += features[tile + k] * weights[at + k];
                }
            }
            sums[n] = sum;
        }
    }

    private static void addMultiple(int[] sums, int at, int[] row, int from, int factor, int count) {
        for (int n = 0; n < count; n++) {
            sums[at + n] += factor * row[from + n];
        }
    }

    @Override
    public void fp16(
            byte[] features, byte[] weights, int weightOffset, int rows, int channels, int kernels, int[] sums) {
        if (turnedReal.length < TILE * kernels) {
            turnedReal = new float[TILE * kernels];
        }
        if (real.length < rows * kernels) {
            real = new float[rows * kernels];
        }
        Arrays.fill(real, 0, rows * kernels, 0f);
        for (int tile = 0; tile < channels; tile += TILE) {
            for (int n = 0; n < kernels; n++) {
                int from = weightOffset + 2 * ((n >> 4) * 16 * channels + tile * 16 + (n & 15) * TILE);
                for (int k = 0; k < TILE; k++) {
                    turnedReal[k * kernels + n] = ScalarEngine.half(weights, from + 2 * k);
                }
            }
            for (int m = 0; m < rows; m++) {
                for (int k = 0; k < TILE; k++) {
                    float factor = ScalarEngine.half(features, 2 * (m * channels + tile + k));
                    addMultiple(real, m * kernels, turnedReal, k * kernels, factor, kernels);
                }
            }
        }
        for (int i = 0; i < rows * kernels; i++) {
            sums[i] = Float.floatToRawIntBits(real[i]);
        }
    }

    private static void addMultiple(float[] sums, int at, float[] row, int from, float factor, int count) {
        for (int n = 0; n < count; n++) {
            sums[at + n] += factor * row[from + n];
        }
    }
}
