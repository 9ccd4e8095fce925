package dev.portal.llm.decoder;

import dev.portal.llm.gguf.TensorType;
import java.lang.foreign.MemorySegment;

/**
 * The inner loops. {@link ScalarKernels} say what they compute; {@link VectorKernels} compute the same bits fast, at any
 * width, where the machine's JVM has the Vector API switched on.
 *
 * <p>So that they can, each sum has one order, which is that of llama.cpp's loops for 256-bit vectors. <em>Sum of 32
 * lanes</em>: lane {@code l} takes terms {@code l, l + 32, ...} by fused multiply-adds; lanes 0 to 15 take those 16 above,
 * 0 to 7 those 8 above, 0 to 3 those 4 above; then 0 and 1, 2 and 3, and the two. What is left over of 32 is multiplied and
 * added one by one. <em>Sum of 8 lanes</em>: 0 to 3 take those 4 above; then 0 and 2, 1 and 3, and the two.
 *
 * <p>In all: activations {@code [tokens, columns]}, results {@code y[token * outputs + row]}. Thread-safe: no state.
 */
public interface Kernels {
    /** The name of the Vector API's module. */
    String VECTOR_MODULE = "jdk.incubator.vector";

    /** Eight lanes for each of four tokens, twice. */
    int ROOM_FOR_SUMS = 64;

    /** Floats of a block of 32 unpacked weights: they, and a scale for each of eight lanes. */
    int UNPACKED = 40;

    /** Rows that are unpacked together for a batch of tokens. */
    int ROWS_AT_ONCE = 8;

    /** Floats of an unpacked row: its blocks, then an offset for each. */
    static int unpacked(int columns) {
        return Activations.padded(columns) / Activations.BLOCK * (UNPACKED + 1);
    }

    /** Floats of room for rows of so many columns: some rows, and sums on their way. */
    static int room(int columns) {
        return ROWS_AT_ONCE * unpacked(columns) + ROOM_FOR_SUMS;
    }

    /** The fastest that this JVM offers: vectors where it was started with {@code --add-modules jdk.incubator.vector}. */
    static Kernels best() {
        boolean vectors = ModuleLayer.boot().findModule(VECTOR_MODULE).isPresent();
        return vectors ? new VectorKernels() : new ScalarKernels();
    }

    /** For reports. */
    String name();

    /**
     * Rows of F32 or F16 in memory: sums of 32 lanes.
     *
     * @param room of {@link #room} floats, for what is in between
     */
    void floats(
            TensorType type,
            MemorySegment weights,
            int from,
            int to,
            int columns,
            float[] x,
            int tokens,
            float[] y,
            int outputs,
            float[] room);

    /**
     * Rows of Q8_0, Q4_0, Q4_K or Q6_K in memory, times activations with a scale a block. The 32 products of a block are
     * added up as eight exact integers, each of four products (see {@link Activations#lane}), and those times {@code scale
     * of the weights * scale of the activations} in a sum of 8 lanes over the blocks, by fused multiply-adds. In Q4_K the
     * offsets times {@code sum of the activations * their scale} are another, each in lane {@code block % 8}, added at the
     * end.
     *
     * @param x of {@link Activations#perBlock} for this type
     * @param room of {@link #room} floats, for what is in between
     */
    void blocks(
            TensorType type,
            MemorySegment weights,
            int from,
            int to,
            int columns,
            Activations x,
            int tokens,
            float[] y,
            int outputs,
            float[] room);

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

    /**
     * {@code scores[at + p] = scale * (query . keys of position p)}, sums of 32 lanes; returns the largest.
     *
     * @param scores with {@link #ROOM_FOR_SUMS} floats behind the positions, for what is in between
     */
    float scores(
            float[] query,
            int queryAt,
            float[] keys,
            int keysAt,
            int positions,
            int width,
            float scale,
            float[] scores,
            int at);

    /**
     * {@code to[i] = sum over p of (factor * weights[at + p]) * values of position p [i]}: sums of 32 lanes over the
     * positions, filled up with zeros.
     *
     * @param weights multiplied in place; with {@link #ROOM_FOR_SUMS} floats behind the positions, for what is in between
     */
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

    /** {@code x[i] = exp(x[i] - most)} by {@link Exponential}; returns the sum, in double precision, of sums of 8 lanes. */
    double exponentials(float[] x, int from, int count, float most);

    /**
     * {@code gate[i] = gate[i] / (1 + exp(-gate[i])) * up[i]}, by {@link Exponential}.
     *
     * @param room of {@link #ROOM_FOR_SUMS} floats or more, for what is in between
     */
    void gated(float[] gate, float[] up, int count, float[] room);
}
