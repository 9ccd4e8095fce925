package dev.portal.llm.decoder;

import dev.portal.llm.gguf.TensorType;

/**
 * A batch of activations in 8 bits, as integer dot products take them. Values are kept as 16-bit numbers, so that no
 * kernel has to widen them again. Owned by one decoder; one thread writes.
 */
final class Activations {
    /** Values that share a scale. */
    static final int BLOCK = 32;

    private final short[] values;
    private final short[] paired;
    private final float[] floats;
    private final float[] scales;
    private final float[] scaledSums;
    private final float[] tokenScales;

    /** Room for {@code tokens} rows of at most {@code width} values, padded to whole blocks. */
    Activations(int tokens, int width) {
        int padded = padded(width);
        values = new short[Math.multiplyExact(tokens, padded)];
        paired = new short[values.length];
        floats = new float[values.length];
        scales = new float[values.length / BLOCK];
        scaledSums = new float[values.length / BLOCK];
        tokenScales = new float[tokens];
    }

    static int padded(int width) {
        return (width + BLOCK - 1) / BLOCK * BLOCK;
    }

    short[] values() {
        return values;
    }

    /**
     * The values of {@link #perBlock} in the order in which 16-bit weights come: lane {@code l} of a block has those at
     * {@code 2 l} and {@code 2 l + 1}, and 16 behind.
     */
    short[] paired() {
        return paired;
    }

    /** The values as floats: of {@link #perBlock} at {@code 8 k + lane} of their block, of {@link #perToken} in order. */
    float[] floats() {
        return floats;
    }

    /** One a block. */
    float[] scales() {
        return scales;
    }

    /** The sum of the values of a block, times its scale. */
    float[] scaledSums() {
        return scaledSums;
    }

    /** One a token, of {@link #perToken}. */
    float[] tokenScales() {
        return tokenScales;
    }

    /**
     * Which of 32 weights is product {@code k}, 0 to 3, of lane 0 to 7: four neighbours, and in Q4_0, whose bytes hold
     * weights that are 16 apart, two and two.
     */
    static int lane(TensorType type, int lane, int k) {
        return type == TensorType.Q4_0 ? (k >> 1) * 16 + 2 * lane + (k & 1) : 4 * lane + k;
    }

    /**
     * One scale a block of 32, as llama.cpp's Q8_0: the largest value is 127, halves go to even, the scale is an F16.
     *
     * @param type of the weights that they will meet
     */
    void perBlock(TensorType type, float[] x, int width, int tokens) {
        boolean neighbours = type == TensorType.Q4_0;
        int end = tokens * width;
        for (int at = 0; at < end; at += BLOCK) {
            quantise(x, at);
            if (neighbours) {
                System.arraycopy(values, at, paired, at, BLOCK);
            } else {
                evenAndOdd(at);
            }
            inLanes(at);
        }
    }

    private void quantise(float[] x, int at) {
        float most = 0;
        for (int i = at; i < at + BLOCK; i++) {
            most = Math.max(most, Math.abs(x[i]));
        }
        float inverse = most == 0 ? 0 : 127 / most;
        int sum = 0;
        for (int i = at; i < at + BLOCK; i++) {
            int value = rounded(x[i] * inverse);
            values[i] = (short) value;
            sum += value;
        }
        float scale = Float.float16ToFloat(Float.floatToFloat16(most / 127));
        scales[at / BLOCK] = scale;
        scaledSums[at / BLOCK] = sum * scale;
    }

    private void evenAndOdd(int at) {
        for (int i = 0; i < 16; i++) {
            paired[at + i] = values[at + 2 * i];
            paired[at + 16 + i] = values[at + 2 * i + 1];
        }
    }

    private void inLanes(int at) {
        for (int lane = 0; lane < 8; lane++) {
            floats[at + lane] = paired[at + 2 * lane];
            floats[at + 8 + lane] = paired[at + 2 * lane + 1];
            floats[at + 16 + lane] = paired[at + 16 + 2 * lane];
            floats[at + 24 + lane] = paired[at + 17 + 2 * lane];
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
