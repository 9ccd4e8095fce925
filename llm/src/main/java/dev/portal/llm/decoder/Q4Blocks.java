package dev.portal.llm.decoder;

import java.lang.foreign.MemorySegment;

/** Makes Q4_0 blocks of floats, bit for bit as {@code quantize_row_q4_0_ref} of llama.cpp. */
final class Q4Blocks {
    /** Weights of a block. */
    static final int WEIGHTS = 32;

    private static final int BYTES = 18;

    private Q4Blocks() {}

    /**
     * A row: a scale in F16, the weight of the largest magnitude over -8, then 16 bytes with two weights each, the block's
     * first half in their lower four bits.
     *
     * @param row whole blocks
     * @param at where the row begins
     */
    static void quantise(float[] row, MemorySegment to, long at) {
        for (int block = 0; block < row.length / WEIGHTS; block++) {
            int from = block * WEIGHTS;
            float most = 0;
            float largest = 0;
            for (int i = from; i < from + WEIGHTS; i++) {
                if (Math.abs(row[i]) > largest) {
                    largest = Math.abs(row[i]);
                    most = row[i];
                }
            }
            float scale = most / -8;
            float inverse = scale == 0 ? 0 : 1 / scale;
            long begin = at + (long) block * BYTES;
            to.set(WeightRows.SHORT, begin, Float.floatToFloat16(scale));
            for (int i = 0; i < WEIGHTS / 2; i++) {
                int low = rounded(row[from + i] * inverse);
                int high = rounded(row[from + WEIGHTS / 2 + i] * inverse);
                to.set(WeightRows.BYTE, begin + 2 + i, (byte) (low | high << 4));
            }
        }
    }

    private static int rounded(float value) {
        return Math.min(15, (int) (value + 8.5f));
    }
}
