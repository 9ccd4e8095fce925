package dev.portal.llm.decoder;

import dev.portal.llm.gguf.TensorType;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * The inner loops by the Vector API: eight lanes of floats, in one vector of 256 bits or two of 128. Blocks of weights are
 * in {@link BlockKernels}, rows in the format I8 in {@link Int8Kernels}.
 *
 * <p>HotSpot gives up inlining what is large, and what it has compiled to something large before; vectors become objects
 * then. So methods are small or loop, no vector goes into or out of a method that is more than a few operations, each
 * helper sees vectors of one kind, and sums pass through an array.
 */
final class VectorKernels implements Kernels {
    /** Where a vector has four lanes, eight lanes are two vectors. */
    static final boolean NARROW = FloatVector.SPECIES_PREFERRED.length() < 8;

    static final VectorSpecies<Float> FLOATS = NARROW ? FloatVector.SPECIES_128 : FloatVector.SPECIES_256;
    static final VectorSpecies<Integer> INTS = NARROW ? IntVector.SPECIES_128 : IntVector.SPECIES_256;
    static final int LANES = FLOATS.length();
    static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;

    private static final VectorShuffle<Float> BY_4 = VectorShuffle.fromOp(FLOATS, lane -> (lane + 4) % FLOATS.length());
    private static final VectorShuffle<Float> BY_2 = VectorShuffle.fromOp(FLOATS, lane -> (lane + 2) % FLOATS.length());
    private static final VectorShuffle<Float> NEIGHBOURS = VectorShuffle.fromOp(FLOATS, lane -> lane ^ 1);

    @Override
    public String name() {
        return "vectors of " + FLOATS.vectorBitSize() + " bits";
    }

    @Override
    public void floats(
            TensorType type,
            MemorySegment weights,
            int from,
            int to,
            int columns,
            float[] x,
            int tokens,
            float[] y,
            int outputs,
            float[] room) {
        if (tokens == 1 && type == TensorType.F32) {
            for (int row = from; row < to; row++) {
                y[row] = inMemory(weights, 4L * row * columns, columns, x);
            }
            return;
        }
        if (tokens == 1) {
            for (int row = from; row < to; row++) {
                y[row] = inHalves(weights, 2L * row * columns, columns, x, room);
            }
            return;
        }
        for (int first = from; first < to; first += ROWS_AT_ONCE) {
            int rows = Math.min(ROWS_AT_ONCE, to - first);
            for (int row = 0; row < rows; row++) {
                long at = (first + row) * type.rowBytes(columns);
                if (type == TensorType.F32) {
                    MemorySegment.copy(weights, WeightRows.FLOAT, at, room, row * columns, columns);
                } else {
                    halves(weights, at, columns, room, row * columns);
                }
            }
            multiply(room, rows, first, columns, x, tokens, y, outputs);
        }
    }

    private static void halves(MemorySegment weights, long at, int columns, float[] out, int to) {
        int i = 0;
        for (; i + LANES <= columns; i += LANES) {
            BlockKernels.halves(weights, at + 2L * i).intoArray(out, to + i);
        }
        for (; i < columns; i++) {
            out[to + i] = WeightRows.half(weights, at + 2L * i);
        }
    }

    /** A sum of 32 lanes, the one factor in 16 bits in memory. */
    private static float inHalves(MemorySegment weights, long at, int columns, float[] x, float[] room) {
        int lanes = room.length - ROOM_FOR_SUMS;
        int whole = columns - columns % 32;
        for (int first = 0; first < 16; first += LANES) {
            halfLanes(weights, at + 2L * first, whole, x, first, room, lanes + first);
        }
        for (int i = lanes; i < lanes + 8; i += LANES) {
            array(room, i).add(array(room, i + 8)).intoArray(room, i);
        }
        float sum = sum32(room, lanes);
        for (int i = whole; i < columns; i++) {
            sum += WeightRows.half(weights, at + 2L * i) * x[i];
        }
        return sum;
    }

    /** Some lanes and those 16 above. */
    private static void halfLanes(MemorySegment weights, long at, int whole, float[] x, int xAt, float[] room, int to) {
        FloatVector low = FloatVector.zero(FLOATS);
        FloatVector high = low;
        for (int i = 0; i < whole; i += 32) {
            low = BlockKernels.halves(weights, at + 2L * i).fma(array(x, xAt + i), low);
            high = BlockKernels.halves(weights, at + 2L * i + 32).fma(array(x, xAt + i + 16), high);
        }
        low.add(high).intoArray(room, to);
    }

    /** A sum of 32 lanes, the one factor in memory. */
    private static float inMemory(MemorySegment weights, long at, int columns, float[] x) {
        FloatVector a = FloatVector.zero(FLOATS);
        FloatVector b = a;
        FloatVector c = a;
        FloatVector d = a;
        FloatVector e = a;
        FloatVector f = a;
        FloatVector g = a;
        FloatVector h = a;
        int i = 0;
        for (; i + 32 <= columns; i += 32) {
            a = memory(weights, at, i).fma(array(x, i), a);
            b = memory(weights, at, i + 8).fma(array(x, i + 8), b);
            c = memory(weights, at, i + 16).fma(array(x, i + 16), c);
            d = memory(weights, at, i + 24).fma(array(x, i + 24), d);
            if (NARROW) {
                e = memory(weights, at, i + 4).fma(array(x, i + 4), e);
                f = memory(weights, at, i + 12).fma(array(x, i + 12), f);
                g = memory(weights, at, i + 20).fma(array(x, i + 20), g);
                h = memory(weights, at, i + 28).fma(array(x, i + 28), h);
            }
        }
        FloatVector four = a.add(c).add(b.add(d));
        if (NARROW) {
            four = four.add(e.add(g).add(f.add(h)));
        } else {
            four = four.add(four.rearrange(BY_4));
        }
        four = four.add(four.rearrange(NEIGHBOURS));
        float sum = four.add(four.rearrange(BY_2)).lane(0);
        for (; i < columns; i++) {
            sum += weights.get(WeightRows.FLOAT, at + 4L * i) * x[i];
        }
        return sum;
    }

    private static FloatVector memory(MemorySegment weights, long at, int index) {
        return FloatVector.fromMemorySegment(FLOATS, weights, at + 4L * index, LITTLE);
    }

    private static FloatVector array(float[] x, int at) {
        return FloatVector.fromArray(FLOATS, x, at);
    }

    /** Unpacked rows times a batch: the activations of four tokens stay near while all rows pass. */
    static void multiply(
            float[] room, int rows, int first, int columns, float[] x, int tokens, float[] y, int outputs) {
        int token = 0;
        for (; token + 3 < tokens; token += 4) {
            for (int row = 0; row < rows; row++) {
                rowFour(room, row * columns, columns, x, token, y, first + row, outputs);
            }
        }
        for (; token < tokens; token++) {
            for (int row = 0; row < rows; row++) {
                y[token * outputs + first + row] =
                        product(room, row * columns, x, token * columns, columns, room, room.length - ROOM_FOR_SUMS);
            }
        }
    }

    private static void rowFour(float[] w, int at, int columns, float[] x, int token, float[] y, int row, int outputs) {
        int sums = w.length - ROOM_FOR_SUMS;
        int whole = columns - columns % 32;
        for (int lanes = 0; lanes < 16; lanes += LANES) {
            fourTokens(w, at + lanes, whole, x, token * columns + lanes, columns, sums + lanes);
        }
        for (int t = 0; t < 4; t++) {
            int sumAt = sums + 16 * t;
            for (int i = sumAt; i < sumAt + 8; i += LANES) {
                array(w, i).add(array(w, i + 8)).intoArray(w, i);
            }
            float sum = sum32(w, sumAt);
            int xAt = (token + t) * columns;
            for (int i = whole; i < columns; i++) {
                sum += w[at + i] * x[xAt + i];
            }
            y[(token + t) * outputs + row] = sum;
        }
    }

    /** Some lanes and those 16 above, for four tokens. */
    private static void fourTokens(float[] w, int at, int whole, float[] x, int x0, int columns, int sums) {
        int x1 = x0 + columns;
        int x2 = x1 + columns;
        int x3 = x2 + columns;
        FloatVector low0 = FloatVector.zero(FLOATS);
        FloatVector low1 = low0;
        FloatVector low2 = low0;
        FloatVector low3 = low0;
        FloatVector high0 = low0;
        FloatVector high1 = low0;
        FloatVector high2 = low0;
        FloatVector high3 = low0;
        for (int i = 0; i < whole; i += 32) {
            FloatVector v = array(w, at + i);
            low0 = v.fma(array(x, x0 + i), low0);
            low1 = v.fma(array(x, x1 + i), low1);
            low2 = v.fma(array(x, x2 + i), low2);
            low3 = v.fma(array(x, x3 + i), low3);
            FloatVector u = array(w, at + i + 16);
            high0 = u.fma(array(x, x0 + i + 16), high0);
            high1 = u.fma(array(x, x1 + i + 16), high1);
            high2 = u.fma(array(x, x2 + i + 16), high2);
            high3 = u.fma(array(x, x3 + i + 16), high3);
        }
        low0.add(high0).intoArray(w, sums);
        low1.add(high1).intoArray(w, sums + 16);
        low2.add(high2).intoArray(w, sums + 32);
        low3.add(high3).intoArray(w, sums + 48);
    }

    /** A sum of 32 lanes, by way of eight floats. */
    private static float product(float[] w, int at, float[] x, int xAt, int columns, float[] room, int lanes) {
        FloatVector a = FloatVector.zero(FLOATS);
        FloatVector b = a;
        FloatVector c = a;
        FloatVector d = a;
        FloatVector e = a;
        FloatVector f = a;
        FloatVector g = a;
        FloatVector h = a;
        int i = 0;
        for (; i + 32 <= columns; i += 32) {
            a = array(w, at + i).fma(array(x, xAt + i), a);
            b = array(w, at + i + 8).fma(array(x, xAt + i + 8), b);
            c = array(w, at + i + 16).fma(array(x, xAt + i + 16), c);
            d = array(w, at + i + 24).fma(array(x, xAt + i + 24), d);
            if (NARROW) {
                e = array(w, at + i + 4).fma(array(x, xAt + i + 4), e);
                f = array(w, at + i + 12).fma(array(x, xAt + i + 12), f);
                g = array(w, at + i + 20).fma(array(x, xAt + i + 20), g);
                h = array(w, at + i + 28).fma(array(x, xAt + i + 28), h);
            }
        }
        a.add(c).add(b.add(d)).intoArray(room, lanes);
        if (NARROW) {
            e.add(g).add(f.add(h)).intoArray(room, lanes + 4);
        }
        float sum = sum32(room, lanes);
        for (; i < columns; i++) {
            sum += w[at + i] * x[xAt + i];
        }
        return sum;
    }

    /** What is left of a sum of 32 lanes once there are eight, in an array. */
    static float sum32(float[] lanes, int at) {
        FloatVector four = NARROW ? array(lanes, at).add(array(lanes, at + 4)) : array(lanes, at);
        if (!NARROW) {
            four = four.add(four.rearrange(BY_4));
        }
        four = four.add(four.rearrange(NEIGHBOURS));
        return four.add(four.rearrange(BY_2)).lane(0);
    }

    /** A sum of 8 lanes that are in an array. */
    static float sum8(float[] lanes, int at) {
        FloatVector four = NARROW ? array(lanes, at).add(array(lanes, at + 4)) : array(lanes, at);
        if (!NARROW) {
            four = four.add(four.rearrange(BY_4));
        }
        four = four.add(four.rearrange(BY_2));
        return four.add(four.rearrange(NEIGHBOURS)).lane(0);
    }

    @Override
    public void blocks(
            TensorType type,
            MemorySegment weights,
            int from,
            int to,
            int columns,
            Activations x,
            int tokens,
            float[] y,
            int outputs,
            float[] room) {
        if (tokens == 1) {
            BlockKernels.one(type, weights, from, to, columns, x, y, room);
        } else {
            BlockKernels.batch(type, weights, from, to, columns, x, tokens, y, outputs, room);
        }
    }

    @Override
    public void i8(
            MemorySegment weights,
            float[] rowScales,
            int from,
            int to,
            int columns,
            Activations x,
            int tokens,
            float[] y,
            int outputs,
            float[] room) {
        Int8Kernels.rows(weights, rowScales, from, to, columns, x, tokens, y, outputs, room);
    }

    @Override
    public float scores(
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
            float score = product(keys, keysAt + p * width, query, queryAt, width, scores, at + positions) * scale;
            scores[at + p] = score;
            most = Math.max(most, score);
        }
        return most;
    }

    @Override
    public void mix(
            float[] weights,
            int at,
            float factor,
            float[] values,
            int valuesAt,
            int positions,
            int width,
            float[] to,
            int toAt) {
        for (int p = at; p < at + positions; p++) {
            weights[p] *= factor;
        }
        int i = 0;
        for (; i + LANES <= width; i += LANES) {
            for (int lane = 0; lane < 8; lane++) {
                eighths(weights, at, values, valuesAt + i, positions, width, lane);
            }
            mixed(weights, at + positions, to, toAt + i);
        }
        for (; i < width; i++) {
            to[toAt + i] = ScalarKernels.mixed(weights, at, values, valuesAt + i, positions, width);
        }
    }

    /** Eight sums of some values to one. */
    private static void mixed(float[] sums, int at, float[] to, int toAt) {
        for (int i = 0; i < LANES; i++) {
            int a = at + i;
            float first = sums[a] + sums[a + 4 * LANES];
            float second = sums[a + LANES] + sums[a + 5 * LANES];
            float third = sums[a + 2 * LANES] + sums[a + 6 * LANES];
            float fourth = sums[a + 3 * LANES] + sums[a + 7 * LANES];
            to[toAt + i] = (first + second) + (third + fourth);
        }
    }

    /** Lanes {@code lane, lane + 8, lane + 16, lane + 24} over the positions, added up, to behind the weights. */
    private static void eighths(
            float[] weights, int at, float[] values, int valuesAt, int positions, int width, int lane) {
        FloatVector a = FloatVector.zero(FLOATS);
        FloatVector b = a;
        FloatVector c = a;
        FloatVector d = a;
        int p = lane;
        for (; p + 24 < positions; p += 32) {
            int v = valuesAt + p * width;
            a = array(values, v).fma(all(weights[at + p]), a);
            b = array(values, v + 8 * width).fma(all(weights[at + p + 8]), b);
            c = array(values, v + 16 * width).fma(all(weights[at + p + 16]), c);
            d = array(values, v + 24 * width).fma(all(weights[at + p + 24]), d);
        }
        if (p < positions) {
            a = array(values, valuesAt + p * width).fma(all(weights[at + p]), a);
        }
        if (p + 8 < positions) {
            b = array(values, valuesAt + (p + 8) * width).fma(all(weights[at + p + 8]), b);
        }
        if (p + 16 < positions) {
            c = array(values, valuesAt + (p + 16) * width).fma(all(weights[at + p + 16]), c);
        }
        a.add(c).add(b.add(d)).intoArray(weights, at + positions + lane * LANES);
    }

    @Override
    public double exponentials(float[] x, int from, int count, float most) {
        int whole = from + count - count % 8;
        exp(x, from, 1, most, x, from, whole - from);
        double sum = 0;
        for (int i = from; i < whole; i += 8) {
            sum += sum8(x, i);
        }
        return sum + ScalarKernels.lastExponentials(x, whole, from + count, most);
    }

    @Override
    public void gated(float[] gate, float[] up, int count, float[] room) {
        int whole = count - count % LANES;
        for (int from = 0; from < whole; from += ROOM_FOR_SUMS) {
            int end = Math.min(whole, from + ROOM_FOR_SUMS);
            exp(gate, from, -1, 0, room, 0, end - from);
            for (int i = from; i < end; i += LANES) {
                array(gate, i)
                        .div(array(room, i - from).add(1))
                        .mul(array(up, i))
                        .intoArray(gate, i);
            }
        }
        for (int i = whole; i < count; i++) {
            gate[i] = gate[i] / (1 + Exponential.of(-gate[i])) * up[i];
        }
    }

    /** {@link Exponential#of} of {@code sign * x - less}. */
    private static void exp(float[] x, int from, float sign, float less, float[] to, int toAt, int count) {
        for (int i = 0; i < count; i += LANES) {
            FloatVector power = array(x, from + i).mul(sign).sub(less);
            VectorMask<Float> none = power.lt(Exponential.LEAST);
            FloatVector bounded = power.min(Exponential.MOST);
            FloatVector shifted = bounded.fma(all(Exponential.LOG2_E), all(Exponential.ROUND));
            FloatVector minus = all(Exponential.ROUND).sub(shifted);
            FloatVector b = minus.fma(all(Exponential.LN2_LOW), minus.fma(all(Exponential.LN2_HIGH), bounded));
            FloatVector u = b.mul(b);
            FloatVector high = b.fma(all(Exponential.C5), all(Exponential.C4));
            FloatVector low = b.fma(all(Exponential.C3), all(Exponential.C2));
            FloatVector j = high.fma(u, low).fma(u, b.mul(Exponential.C1));
            FloatVector scale = shifted.reinterpretAsInts()
                    .lanewise(VectorOperators.LSHL, 23)
                    .add(Float.floatToRawIntBits(1))
                    .reinterpretAsFloats();
            scale.fma(j, scale).blend(0, none).intoArray(to, toAt + i);
        }
    }

    private static FloatVector all(float value) {
        return FloatVector.broadcast(FLOATS, value);
    }
}
