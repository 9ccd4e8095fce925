package dev.portal.llm.decoder;

import dev.portal.llm.decoder.ModelShape.Rope;

/** Turns the values of a head by its position. Sines of a position are computed once for all heads. One thread. */
final class Rotation {
    private final Rope rope;
    private final double[] frequencies;
    private final float[] cosines;
    private final float[] sines;

    Rotation(Rope rope) {
        this.rope = rope;
        int pairs = rope.width() / 2;
        frequencies = new double[pairs];
        cosines = new float[pairs];
        sines = new float[pairs];
        float[] factors = rope.factors();
        for (int i = 0; i < pairs; i++) {
            double frequency = rope.scale() * Math.pow(rope.base(), -2.0 * i / rope.width());
            frequencies[i] = factors == null ? frequency : frequency / factors[i];
        }
    }

    /** Takes a position, for the calls of {@link #turn} that follow. */
    void position(int position) {
        for (int i = 0; i < frequencies.length; i++) {
            double angle = position * frequencies[i];
            cosines[i] = (float) Math.cos(angle);
            sines[i] = (float) Math.sin(angle);
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
