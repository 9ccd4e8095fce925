package dev.portal.emulator.rk3588;

/** The arithmetic as the spec states it, one product after another: what {@link FastEngine} must match bit for bit. */
final class ScalarEngine implements MatrixEngine {
    @Override
    public void int8(
            byte[] features, byte[] weights, int weightOffset, int rows, int channels, int kernels, int[] sums) {
        for (int m = 0; m < rows; m++) {
            for (int n = 0; n < kernels; n++) {
                int sum = 0;
                for (int k = 0; k < channels; k++) {
                    int weight = weights[weightOffset + (int) Addressing.weightIndex(n, k, channels, 32)];
                    sum += features[m * channels + k] * weight;
                }
                sums[m * kernels + n] = sum;
            }
        }
    }

    @Override
    public void fp16(
            byte[] features, byte[] weights, int weightOffset, int rows, int channels, int kernels, int[] sums) {
        for (int m = 0; m < rows; m++) {
            for (int n = 0; n < kernels; n++) {
                float sum = 0;
                for (int k = 0; k < channels; k++) {
                    float weight = half(weights, weightOffset + 2 * (int) Addressing.weightIndex(n, k, channels, 16));
                    sum += half(features, 2 * (m * channels + k)) * weight;
                }
                sums[m * kernels + n] = Float.floatToRawIntBits(sum);
            }
        }
    }

    static float half(byte[] from, int at) {
        return Float.float16ToFloat((short) ((from[at] & 0xff) | from[at + 1] << 8));
    }
}
