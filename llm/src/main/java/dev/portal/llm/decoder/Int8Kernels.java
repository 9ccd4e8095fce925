package dev.portal.llm.decoder;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * Rows in the format I8 by the Vector API: sums are exact, so their order does not matter.
 * Bytes times 16-bit activations stay within 16 bits (-128 * 127 at most), and a vector of products is added up as pairs of
 * 32 bits by shifts: no widening moves.
 */
final class Int8Kernels {
    /** Columns of which the products sum up to less than 2^24. */
    private static final int EXACT_COLUMNS = 1024;

    private static final VectorSpecies<Short> SHORTS =
            VectorKernels.NARROW ? ShortVector.SPECIES_128 : ShortVector.SPECIES_256;
    private static final VectorSpecies<Byte> BYTES =
            VectorSpecies.of(byte.class, VectorShape.forBitSize(SHORTS.vectorBitSize() / 2));
    private static final int STEP = SHORTS.length();

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
                for (int i = 0; i < columns; i += 8) {
                    BlockKernels.bytes(weights, at + i, 0).intoArray(room, row * columns + i);
                    if (VectorKernels.NARROW) {
                        BlockKernels.bytes(weights, at + i, 1).intoArray(room, row * columns + i + 4);
                    }
                }
            }
            VectorKernels.multiply(room, rows, first, columns, x.floats(), tokens, y, outputs);
            for (int token = 0; token < tokens; token++) {
                for (int row = first; row < first + rows; row++) {
                    y[token * outputs + row] *= rowScales[row] * tokenScales[token];
                }
            }
        }
    }

    private static int one(MemorySegment weights, long at, int columns, short[] values, int xAt) {
        IntVector sum = IntVector.zero(VectorKernels.INTS);
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
        IntVector sum0 = IntVector.zero(VectorKernels.INTS);
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
        return BlockKernels.pairs(weights.mul(ShortVector.fromArray(SHORTS, values, at)));
    }
}
