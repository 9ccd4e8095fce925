package dev.portal.llm.decoder;

/**
 * A batch of activations in 8 bits, as integer dot products take them. Values are kept as 16-bit numbers, so that no
 * kernel has to widen them again. Owned by one decoder; one thread writes.
 */
final class Activations {
    /** Values that share a scale. */
    static final int BLOCK = 32;

    private final short[] values;
    private final float[] floats;
    private final float[] scales;
    private final int[] sums;
    private final float[] tokenScales;

    /** Room for {@code tokens} rows of at most {@code width} values, padded to whole blocks. */
    Activations(int tokens, int width) {
        int padded = padded(width);
        values = new short[Math.multiplyExact(tokens, padded)];
        floats = new float[values.length];
        scales = new float[values.length / BLOCK];
        sums = new int[values.length / BLOCK];
        tokenScales = new float[tokens];
    }

    static int padded(int width) {
        return (width + BLOCK - 1) / BLOCK * BLOCK;
    }

    short[] values() {
        return values;
    }

    /** The rounded values as floats: with the scale of their block after {@link #perBlock}, whole numbers after {@link #perToken}. */
    float[] floats() {
        return floats;
    }

    /** One a block. */
    float[] scales() {
        return scales;
    }

    /** The sum of the values of a block. */
    int[] sums() {
        return sums;
    }

    /** One a token, of {@link #perToken}. */
    float[] tokenScales() {
        return tokenScales;
    }

    /** One scale a block of 32, as llama.cpp's Q8_0: the largest value is 127, halves go to even, the scale is an F16. */
    void perBlock(float[] x, int width, int tokens) {
        for (int token = 0; token < tokens; token++) {
            for (int block = 0; block < width / BLOCK; block++) {
                block(x, token * width + block * BLOCK);
            }
        }
    }

    private void block(float[] x, int at) {
        float most = 0;
        for (int i = at; i < at + BLOCK; i++) {
            most = Math.max(most, Math.abs(x[i]));
        }
        float inverse = most == 0 ? 0 : 127 / most;
        int sum = 0;
        for (int i = at; i < at + BLOCK; i++) {
            short value = (short) rounded(x[i] * inverse);
            values[i] = value;
            sum += value;
        }
        sums[at / BLOCK] = sum;
        float scale = Float.float16ToFloat(Float.floatToFloat16(most / 127));
        scales[at / BLOCK] = scale;
        for (int i = at; i < at + BLOCK; i++) {
            floats[i] = values[i] * scale;
        }
    }

    /** One scale a token, of the format I8: the largest value is 127, halves go to even. Rows are padded with zeros. */
    void perToken(float[] x, int width, int tokens) {
        int padded = padded(width);
        for (int token = 0; token < tokens; token++) {
            int from = token * width;
            float most = 0;
            for (int i = from; i < from + width; i++) {
                most = Math.max(most, Math.abs(x[i]));
            }
            float inverse = most == 0 ? 0 : 127 / most;
            int to = token * padded;
            for (int i = 0; i < width; i++) {
                values[to + i] = (short) rounded(x[from + i] * inverse);
            }
            for (int i = width; i < padded; i++) {
                values[to + i] = 0;
            }
            for (int i = 0; i < padded; i++) {
                floats[to + i] = values[to + i];
            }
            tokenScales[token] = most / 127;
        }
    }

    /** Rounds a value of at most 2^22, halves to even: adding 1.5 * 2^23 leaves no room for a fraction. */
    static int rounded(float value) {
        float shifted = value + 12_582_912f;
        return Float.floatToRawIntBits(shifted) - Float.floatToRawIntBits(12_582_912f);
    }
}
