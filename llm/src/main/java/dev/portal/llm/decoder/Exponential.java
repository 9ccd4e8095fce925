package dev.portal.llm.decoder;

/**
 * The exponential of single precision that attention and the gate take, with an error below 2 units in the last place: 2^n
 * times a polynomial on [-ln 2 / 2, ln 2 / 2], the one of llama.cpp and of Arm's optimized routines. Below -87 it is 0, and
 * above 88 it stays.
 */
final class Exponential {
    static final float LEAST = -87f;
    static final float MOST = 88f;
    static final float LOG2_E = 0x1.715476p+0f;
    /** Adding it leaves no room for a fraction. */
    static final float ROUND = 0x1.8p23f;

    static final float LN2_HIGH = 0x1.62e4p-1f;
    static final float LN2_LOW = 0x1.7f7d1cp-20f;
    static final float C1 = 0x1.ffffecp-1f;
    static final float C2 = 0x1.fffdb6p-2f;
    static final float C3 = 0x1.555e66p-3f;
    static final float C4 = 0x1.573e2ep-5f;
    static final float C5 = 0x1.0e4020p-7f;

    private Exponential() {}

    static float of(float x) {
        if (x < LEAST) {
            return 0;
        }
        float bounded = Math.min(x, MOST);
        float shifted = Math.fma(bounded, LOG2_E, ROUND);
        float n = shifted - ROUND;
        float b = Math.fma(-n, LN2_LOW, Math.fma(-n, LN2_HIGH, bounded));
        float u = b * b;
        float j = Math.fma(Math.fma(Math.fma(C5, b, C4), u, Math.fma(C3, b, C2)), u, C1 * b);
        float power = Float.intBitsToFloat((Float.floatToRawIntBits(shifted) << 23) + Float.floatToRawIntBits(1));
        return Math.fma(power, j, power);
    }
}
