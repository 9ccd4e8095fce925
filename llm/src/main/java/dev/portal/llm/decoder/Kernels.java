package dev.portal.llm.decoder;

import java.lang.foreign.MemorySegment;

/**
 * The inner loops. {@link ScalarKernels} say what they compute; {@link VectorKernels} compute it fast where the machine's
 * JVM has the Vector API switched on. Integer parts agree to the bit, floats to rounding.
 *
 * <p>In all: activations {@code [tokens, columns]}, results {@code y[token * outputs + row]}. Thread-safe: no state.
 */
public interface Kernels {
    /** The name of the Vector API's module. */
    String VECTOR_MODULE = "jdk.incubator.vector";

    /** Four vectors of the widest kind. */
    int ROOM_FOR_SUMS = 64;

    /** Floats of room for rows of so many columns: some rows, and sums on their way. */
    static int room(int columns) {
        return ROWS_AT_ONCE * Activations.padded(columns) + ROOM_FOR_SUMS;
    }

    /** Rows that are unpacked together for a batch of tokens. */
    int ROWS_AT_ONCE = 8;

    /** The fastest that this JVM offers: vectors where it was started with {@code --add-modules jdk.incubator.vector}. */
    static Kernels best() {
        boolean vectors = ModuleLayer.boot().findModule(VECTOR_MODULE).isPresent();
        return vectors ? new VectorKernels() : new ScalarKernels();
    }

    /** For reports. */
    String name();

    /**
     * Rows of 32-bit floats in memory.
     *
     * @param room of {@link #room} floats, for what is in between
     */
    void floats(
            MemorySegment weights,
            int from,
            int to,
            int columns,
            float[] x,
            int tokens,
            float[] y,
            int outputs,
            float[] room);

    /** One row of floats. */
    void floatRow(float[] weights, int columns, float[] x, int tokens, float[] y, int row, int outputs);

    /**
     * Rows of Q8_0 blocks in memory, times activations with a scale a block.
     *
     * @param room of {@link #room} floats, for what is in between
     */
    void q8(
            MemorySegment weights,
            int from,
            int to,
            int columns,
            Activations x,
            int tokens,
            float[] y,
            int outputs,
            float[] room);

    /** One unpacked row (see {@link WeightRows#unpack}), times activations with a scale a block. */
    void blocks(
            byte[] values,
            float[] scales,
            float[] offsets,
            int columns,
            Activations x,
            int tokens,
            float[] y,
            int row,
            int outputs);

    /**
     * Rows of the format I8 in memory, {@code columns} a multiple of 32, times activations with a scale a token: exact
     * sums, then {@code (float) sum * (scale of the row * scale of the token)}.
     *
     * @param room of {@link #room} floats, for what is in between
     */
    void i8(
            MemorySegment weights,
            float[] rowScales,
            int from,
            int to,
            int columns,
            Activations x,
            int tokens,
            float[] y,
            int outputs,
            float[] room);

    /** The dot product of two stretches of floats. */
    float dot(float[] a, int aFrom, float[] b, int bFrom, int count);

    /** {@code scores[at + p] = scale * (query . keys of position p)}; returns the largest. */
    default float scores(
            float[] query,
            int queryAt,
            float[] keys,
            int keysAt,
            int positions,
            int width,
            float scale,
            float[] scores,
            int at) {
        float most = Float.NEGATIVE_INFINITY;
        for (int p = 0; p < positions; p++) {
            float score = dot(query, queryAt, keys, keysAt + p * width, width) * scale;
            scores[at + p] = score;
            most = Math.max(most, score);
        }
        return most;
    }

    /** {@code to[i] = factor * sum over p of weights[at + p] * values of position p [i]}. */
    void mix(
            float[] weights,
            int at,
            float factor,
            float[] values,
            int valuesAt,
            int positions,
            int width,
            float[] to,
            int toAt);

    /** {@code x[i] = exp(x[i] - most)}; returns the sum. */
    float exponentials(float[] x, int from, int count, float most);

    /** {@code gate[i] = gate[i] / (1 + exp(-gate[i])) * up[i]}. */
    void gated(float[] gate, float[] up, int count);
}
