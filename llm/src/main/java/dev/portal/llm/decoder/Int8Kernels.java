package dev.portal.llm.decoder;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Rows in the format I8 by the Vector API, at the machine's own width: sums are exact, so their order does not matter.
 * Bytes times 16-bit activations stay within 16 bits (-128 * 127 at most), and a vector of products is added up as pairs of
 * 32 bits by shifts: no widening moves.
 */
final class Int8Kernels {
    /** Columns of which the products sum up to less than 2^24. */
    private static final int EXACT_COLUMNS = 1024;

    private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
    private static final int LANES = FLOATS.length();

    /** As many bytes as a vector has floats; there are none for the smallest. */
    private static final VectorSpecies<Byte> QUARTERS =
            LANES == 4 ? ByteVector.SPECIES_64 : VectorSpecies.of(byte.class, VectorShape.forBitSize(8 * LANES));

    /** A block of 32 values is a whole number of these. */
    private static final VectorSpecies<Short> SHORTS = ShortVector.SPECIES_PREFERRED;

    private static final VectorSpecies<Byte> BYTES =
            VectorSpecies.of(byte.class, VectorShape.forBitSize(SHORTS.vectorBitSize() / 2));
    private static final int STEP = SHORTS.length();

    /** Halves folded upon each other until one lane is left. */
    private static final VectorShuffle<Float> BY_8 = turned(8);

    private static final VectorShuffle<Float> BY_4 = turned(4);
    private static final VectorShuffle<Float> BY_2 = turned(2);
    private static final VectorShuffle<Float> BY_1 = turned(1);

    private Int8Kernels() {}

    static void rows(
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
        if (columns <= EXACT_COLUMNS && tokens > 3) {
            byFloats(weights, rowScales, from, to, columns, x, tokens, y, outputs, room);
            return;
        }
        float[] tokenScales = x.tokenScales();
        short[] values = x.values();
        int token = 0;
        for (; token + 3 < tokens; token += 4) {
            for (int row = from; row < to; row++) {
                four(
                        weights,
                        (long) row * columns,
                        columns,
                        values,
                        tokenScales,
                        token,
                        rowScales[row],
                        y,
                        row,
                        outputs);
            }
        }
        for (; token < tokens; token++) {
            for (int row = from; row < to; row++) {
                y[token * outputs + row] = one(weights, (long) row * columns, columns, values, token * columns)
                        * (rowScales[row] * tokenScales[token]);
            }
        }
    }

    /** A batch, its sums so small that floats hold them. */
    private static void byFloats(
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
        float[] tokenScales = x.tokenScales();
        for (int first = from; first < to; first += Kernels.ROWS_AT_ONCE) {
            int rows = Math.min(Kernels.ROWS_AT_ONCE, to - first);
            for (int row = 0; row < rows; row++) {
                long at = (long) (first + row) * columns;
                for (int i = 0; i < columns; i += 2 * LANES) {
                    wide(weights, at + i, 0).intoArray(room, row * columns + i);
                    wide(weights, at + i, 1).intoArray(room, row * columns + i + LANES);
                }
            }
            multiply(room, rows, first, columns, x.floats(), tokens, y, outputs);
            for (int token = 0; token < tokens; token++) {
                for (int row = first; row < first + rows; row++) {
                    y[token * outputs + row] *= rowScales[row] * tokenScales[token];
                }
            }
        }
    }

    /** Unpacked rows times a batch: the activations of four tokens stay near while all rows pass. */
    private static void multiply(
            float[] room, int rows, int first, int columns, float[] x, int tokens, float[] y, int outputs) {
        int sums = room.length - Kernels.ROOM_FOR_SUMS;
        for (int token = 0; token < tokens; token += 4) {
            int together = Math.min(4, tokens - token);
            for (int row = 0; row < rows; row++) {
                if (together == 4) {
                    fourTokens(room, row * columns, columns, x, token * columns, sums);
                } else {
                    for (int t = 0; t < together; t++) {
                        oneToken(room, row * columns, columns, x, (token + t) * columns, sums + t * LANES);
                    }
                }
                for (int t = 0; t < together; t++) {
                    y[(token + t) * outputs + first + row] = sum(room, sums + t * LANES);
                }
            }
        }
    }

    private static void oneToken(float[] w, int at, int columns, float[] x, int xAt, int sums) {
        FloatVector even = FloatVector.zero(FLOATS);
        FloatVector odd = even;
        for (int i = 0; i < columns; i += 2 * LANES) {
            even = floats(w, at + i).fma(floats(x, xAt + i), even);
            odd = floats(w, at + i + LANES).fma(floats(x, xAt + i + LANES), odd);
        }
        even.add(odd).intoArray(w, sums);
    }

    private static void fourTokens(float[] w, int at, int columns, float[] x, int x0, int sums) {
        int x1 = x0 + columns;
        int x2 = x1 + columns;
        int x3 = x2 + columns;
        FloatVector even0 = FloatVector.zero(FLOATS);
        FloatVector even1 = even0;
        FloatVector even2 = even0;
        FloatVector even3 = even0;
        FloatVector odd0 = even0;
        FloatVector odd1 = even0;
        FloatVector odd2 = even0;
        FloatVector odd3 = even0;
        for (int i = 0; i < columns; i += 2 * LANES) {
            FloatVector v = floats(w, at + i);
            even0 = v.fma(floats(x, x0 + i), even0);
            even1 = v.fma(floats(x, x1 + i), even1);
            even2 = v.fma(floats(x, x2 + i), even2);
            even3 = v.fma(floats(x, x3 + i), even3);
            FloatVector u = floats(w, at + i + LANES);
            odd0 = u.fma(floats(x, x0 + i + LANES), odd0);
            odd1 = u.fma(floats(x, x1 + i + LANES), odd1);
            odd2 = u.fma(floats(x, x2 + i + LANES), odd2);
            odd3 = u.fma(floats(x, x3 + i + LANES), odd3);
        }
        even0.add(odd0).intoArray(w, sums);
        even1.add(odd1).intoArray(w, sums + LANES);
        even2.add(odd2).intoArray(w, sums + 2 * LANES);
        even3.add(odd3).intoArray(w, sums + 3 * LANES);
    }

    private static FloatVector floats(float[] values, int at) {
        return FloatVector.fromArray(FLOATS, values, at);
    }

    /** The first or second of the two vectors of floats that begin at a byte. */
    private static FloatVector wide(MemorySegment weights, long at, int which) {
        if (LANES == 4) {
            return (FloatVector) ByteVector.fromMemorySegment(ByteVector.SPECIES_64, weights, at, VectorKernels.LITTLE)
                    .convertShape(VectorOperators.B2F, FLOATS, which);
        }
        return (FloatVector)
                ByteVector.fromMemorySegment(QUARTERS, weights, at + (long) which * LANES, VectorKernels.LITTLE)
                        .convertShape(VectorOperators.B2F, FLOATS, 0);
    }

    private static VectorShuffle<Float> turned(int by) {
        return VectorShuffle.fromOp(FLOATS, lane -> (lane + by) % FLOATS.length());
    }

    private static float sum(float[] lanes, int at) {
        FloatVector folded = floats(lanes, at);
        if (LANES > 8) {
            folded = folded.add(folded.rearrange(BY_8));
        }
        if (LANES > 4) {
            folded = folded.add(folded.rearrange(BY_4));
        }
        folded = folded.add(folded.rearrange(BY_2));
        return folded.add(folded.rearrange(BY_1)).lane(0);
    }

    private static int one(MemorySegment weights, long at, int columns, short[] values, int xAt) {
        IntVector sum = IntVector.zero(IntVector.SPECIES_PREFERRED);
        for (int i = 0; i < columns; i += STEP) {
            sum = sum.add(pairs(bytes(weights, at + i), values, xAt + i));
        }
        return sum.reduceLanes(VectorOperators.ADD);
    }

    private static void four(
            MemorySegment weights,
            long at,
            int columns,
            short[] values,
            float[] tokenScales,
            int token,
            float scale,
            float[] y,
            int row,
            int outputs) {
        IntVector sum0 = IntVector.zero(IntVector.SPECIES_PREFERRED);
        IntVector sum1 = sum0;
        IntVector sum2 = sum0;
        IntVector sum3 = sum0;
        int x0 = token * columns;
        for (int i = 0; i < columns; i += STEP) {
            ShortVector w = bytes(weights, at + i);
            sum0 = sum0.add(pairs(w, values, x0 + i));
            sum1 = sum1.add(pairs(w, values, x0 + columns + i));
            sum2 = sum2.add(pairs(w, values, x0 + 2 * columns + i));
            sum3 = sum3.add(pairs(w, values, x0 + 3 * columns + i));
        }
        int to = token * outputs + row;
        y[to] = sum0.reduceLanes(VectorOperators.ADD) * (scale * tokenScales[token]);
        y[to + outputs] = sum1.reduceLanes(VectorOperators.ADD) * (scale * tokenScales[token + 1]);
        y[to + 2 * outputs] = sum2.reduceLanes(VectorOperators.ADD) * (scale * tokenScales[token + 2]);
        y[to + 3 * outputs] = sum3.reduceLanes(VectorOperators.ADD) * (scale * tokenScales[token + 3]);
    }

    private static ShortVector bytes(MemorySegment weights, long at) {
        return (ShortVector) ByteVector.fromMemorySegment(BYTES, weights, at, VectorKernels.LITTLE)
                .convertShape(VectorOperators.B2S, SHORTS, 0);
    }

    /** The products of two vectors, added up by pairs. */
    private static IntVector pairs(ShortVector weights, short[] values, int at) {
        IntVector both = weights.mul(ShortVector.fromArray(SHORTS, values, at)).reinterpretAsInts();
        return both.lanewise(VectorOperators.LSHL, 16)
                .lanewise(VectorOperators.ASHR, 16)
                .add(both.lanewise(VectorOperators.ASHR, 16));
    }
}
