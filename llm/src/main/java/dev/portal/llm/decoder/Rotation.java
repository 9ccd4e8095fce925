package dev.portal.llm.decoder;

import dev.portal.llm.decoder.ModelShape.Rope;

/**
 * Turns the values of a head by its position. Sines of a position are computed once for all heads. Angles are computed as
 * llama.cpp computes them, each from the one before in single precision, and sines as the C library's {@code sincosf}, so
 * that a long answer goes the same way. One thread.
 */
final class Rotation {
    /** What a double leaves of pi / 2. */
    private static final double QUARTER_REST = 0x1.1a62633145c07p-54;

    private static final double S1 = -0x1.555545995a603p-3;
    private static final double S2 = 0x1.1107605230bc4p-7;
    private static final double S3 = -0x1.994eb3774cf24p-13;
    private static final double C1 = -0x1.ffffffd0c621cp-2;
    private static final double C2 = 0x1.55553e1068f19p-5;
    private static final double C3 = -0x1.6c087e89a359dp-10;
    private static final double C4 = 0x1.99343027bf8c3p-16;

    private final Rope rope;
    private final float[] cosines;
    private final float[] sines;
    private final float step;
    private int present = -1;

    Rotation(Rope rope) {
        this.rope = rope;
        cosines = new float[rope.width() / 2];
        sines = new float[rope.width() / 2];
        step = (float) Math.pow(rope.base(), -2f / rope.width());
    }

    /** Takes a position, for the calls of {@link #turn} that follow. */
    void position(int position) {
        if (position == present) {
            return;
        }
        present = position;
        float[] factors = rope.factors();
        float plain = position;
        for (int i = 0; i < cosines.length; i++) {
            float angle = rope.scale() * (factors == null ? plain : plain / factors[i]);
            sine(i, angle);
            plain *= step;
        }
    }

    /**
     * Sine and cosine within 0.56 units in the last place, by the polynomials of Arm's optimized routines, which are those
     * of glibc: on [-pi / 4, pi / 4], after as many quarters of a turn as are nearest.
     */
    private void sine(int i, double angle) {
        double quarters = Math.rint(angle * (2 / Math.PI));
        double x = Math.fma(-quarters, QUARTER_REST, Math.fma(-quarters, Math.PI / 2, angle));
        double x2 = x * x;
        double x4 = x2 * x2;
        double x3 = x2 * x;
        float sine = (float) (x + x3 * S1 + x3 * x2 * (S2 + x2 * S3));
        float cosine = (float) (1 + x2 * C1 + x4 * C2 + x4 * x2 * (C3 + x2 * C4));
        long quarter = (long) quarters;
        boolean swapped = (quarter & 1) != 0;
        float sineOf = swapped ? cosine : sine;
        float cosineOf = swapped ? sine : cosine;
        sines[i] = (quarter & 2) == 0 ? sineOf : -sineOf;
        cosines[i] = ((quarter + 1) & 2) == 0 ? cosineOf : -cosineOf;
    }

    /** Turns a head of values that begins at {@code at}. */
    void turn(float[] values, int at) {
        int pairs = cosines.length;
        int step = rope.neighbours() ? 2 : 1;
        int other = rope.neighbours() ? 1 : pairs;
        for (int i = 0; i < pairs; i++) {
            int a = at + step * i;
            float first = values[a];
            float second = values[a + other];
            values[a] = Math.fma(first, cosines[i], -(second * sines[i]));
            values[a + other] = Math.fma(first, sines[i], second * cosines[i]);
        }
    }
}
