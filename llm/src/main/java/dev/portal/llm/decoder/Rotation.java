package dev.portal.llm.decoder;

import dev.portal.llm.decoder.ModelShape.Rope;

/**
 * Turns the values of a head by its position. Sines of a position are computed once for all heads. Angles are computed as
 * llama.cpp computes them, each from the one before in single precision, so that a long answer goes the same way. One
 * thread.
 */
final class Rotation {
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
            cosines[i] = (float) Math.cos(angle);
            sines[i] = (float) Math.sin(angle);
            plain *= step;
        }
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
            values[a] = first * cosines[i] - second * sines[i];
            values[a + other] = first * sines[i] + second * cosines[i];
        }
    }
}
