package dev.portal.llm.decoder;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * The inner loops by the Vector API, at the machine's own width. Bytes times 16-bit activations stay within 16 bits
 * (-128 * 127 at most), and a vector of products is added up as pairs of 32 bits by two shifts: no widening moves.
 *
 * <p>On a processor with 512-bit vectors one thread reads 14 to 17 GB/s of weights this way, and the loops that HotSpot
 * vectorises by itself read 1.7 GB/s; that is what the extra module is for.
 */
final class VectorKernels implements Kernels {
    private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
    private static final int LANES = FLOATS.length();

    /** As many bytes as a vector has floats; there are none for the smallest. */
    private static final VectorSpecies<Byte> QUARTER_BYTES =
            LANES == 4 ? ByteVector.SPECIES_64 : VectorSpecies.of(byte.class, VectorShape.forBitSize(8 * LANES));

    /** Columns of which the products sum up to less than 2^24. */
    private static final int EXACT_COLUMNS = 1024;

    /** A block of 32 values is a whole number of these. */
    private static final VectorSpecies<Short> SHORTS = ShortVector.SPECIES_PREFERRED;

    private static final VectorSpecies<Byte> BYTES =
            VectorSpecies.of(byte.class, VectorShape.forBitSize(SHORTS.vectorBitSize() / 2));
    private static final int STEP = SHORTS.length();

    /** The same for the 16 values that share a scale in an unpacked row. */
    private static final VectorSpecies<Short> HALF_SHORTS = SHORTS.length() > 16 ? ShortVector.SPECIES_256 : SHORTS;

    private static final VectorSpecies<Byte> HALF_BYTES =
            VectorSpecies.of(byte.class, VectorShape.forBitSize(HALF_SHORTS.vectorBitSize() / 2));
    private static final VectorSpecies<Float> HALF_FLOATS = VectorSpecies.of(float.class, HALF_SHORTS.vectorShape());

    /** Halves folded upon each other until one lane is left. */
    private static final VectorShuffle<Float> BY_8 = turned(FLOATS, 8);

    private static final VectorShuffle<Float> BY_4 = turned(FLOATS, 4);
    private static final VectorShuffle<Float> BY_2 = turned(FLOATS, 2);
    private static final VectorShuffle<Float> BY_1 = turned(FLOATS, 1);
    private static final VectorShuffle<Float> HALF_BY_4 = turned(HALF_FLOATS, 4);
    private static final VectorShuffle<Float> HALF_BY_2 = turned(HALF_FLOATS, 2);
    private static final VectorShuffle<Float> HALF_BY_1 = turned(HALF_FLOATS, 1);

    private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;

    @Override
    public String name() {
        return "vectors of " + FLOATS.vectorBitSize() + " bits";
    }

    @Override
    public void floats(
            MemorySegment weights,
            int from,
            int to,
            int columns,
            float[] x,
            int tokens,
            float[] y,
            int outputs,
            float[] room) {
        int token = 0;
        for (; token + 3 < tokens; token += 4) {
            for (int row = from; row < to; row++) {
                floatsFour(weights, 4L * row * columns, columns, x, token, y, row, outputs, room);
            }
        }
        for (; token < tokens; token++) {
            for (int row = from; row < to; row++) {
                y[token * outputs + row] = floatsOne(weights, 4L * row * columns, columns, x, token * columns);
            }
        }
    }

    private static float floatsOne(MemorySegment weights, long at, int columns, float[] x, int xAt) {
        FloatVector even = FloatVector.zero(FLOATS);
        FloatVector odd = even;
        int i = 0;
        for (; i + 2 * LANES <= columns; i += 2 * LANES) {
            even = floats(weights, at, i).fma(FloatVector.fromArray(FLOATS, x, xAt + i), even);
            odd = floats(weights, at, i + LANES).fma(FloatVector.fromArray(FLOATS, x, xAt + i + LANES), odd);
        }
        float rest = 0;
        for (; i < columns; i++) {
            rest = Math.fma(weights.get(WeightRows.FLOAT, at + 4L * i), x[xAt + i], rest);
        }
        return sum(even.add(odd)) + rest;
    }

    private static FloatVector floats(MemorySegment weights, long at, int index) {
        return FloatVector.fromMemorySegment(FLOATS, weights, at + 4L * index, LITTLE);
    }

    /** Four tokens at once, each added up as {@link #floatsOne} does it. */
    private static void floatsFour(
            MemorySegment weights,
            long at,
            int columns,
            float[] x,
            int token,
            float[] y,
            int row,
            int outputs,
            float[] parts) {
        int x0 = token * columns;
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
        int i = 0;
        for (; i + 2 * LANES <= columns; i += 2 * LANES) {
            FloatVector w = floats(weights, at, i);
            even0 = w.fma(FloatVector.fromArray(FLOATS, x, x0 + i), even0);
            even1 = w.fma(FloatVector.fromArray(FLOATS, x, x1 + i), even1);
            even2 = w.fma(FloatVector.fromArray(FLOATS, x, x2 + i), even2);
            even3 = w.fma(FloatVector.fromArray(FLOATS, x, x3 + i), even3);
            FloatVector v = floats(weights, at, i + LANES);
            odd0 = v.fma(FloatVector.fromArray(FLOATS, x, x0 + i + LANES), odd0);
            odd1 = v.fma(FloatVector.fromArray(FLOATS, x, x1 + i + LANES), odd1);
            odd2 = v.fma(FloatVector.fromArray(FLOATS, x, x2 + i + LANES), odd2);
            odd3 = v.fma(FloatVector.fromArray(FLOATS, x, x3 + i + LANES), odd3);
        }
        int room = parts.length - ROOM_FOR_SUMS;
        even0.add(odd0).intoArray(parts, room);
        even1.add(odd1).intoArray(parts, room + LANES);
        even2.add(odd2).intoArray(parts, room + 2 * LANES);
        even3.add(odd3).intoArray(parts, room + 3 * LANES);
        for (int t = 0; t < 4; t++) {
            float rest = 0;
            for (int j = i; j < columns; j++) {
                rest = Math.fma(weights.get(WeightRows.FLOAT, at + 4L * j), x[x0 + t * columns + j], rest);
            }
            y[(token + t) * outputs + row] = sum(FloatVector.fromArray(FLOATS, parts, room + t * LANES)) + rest;
        }
    }

    @Override
    public void floatRow(float[] weights, int columns, float[] x, int tokens, float[] y, int row, int outputs) {
        for (int token = 0; token < tokens; token++) {
            y[token * outputs + row] = dot(weights, 0, x, token * columns, columns);
        }
    }

    @Override
    public void q8(
            MemorySegment weights,
            int from,
            int to,
            int columns,
            Activations x,
            int tokens,
            float[] y,
            int outputs,
            float[] room) {
        int blocks = columns / Activations.BLOCK;
        long rowBytes = 34L * blocks;
        float[] floats = x.floats();
        if (tokens == 1) {
            for (int row = from; row < to; row++) {
                y[row] = q8One(weights, row * rowBytes, blocks, floats);
            }
            return;
        }
        for (int first = from; first < to; first += ROWS_AT_ONCE) {
            int rows = Math.min(ROWS_AT_ONCE, to - first);
            for (int row = 0; row < rows; row++) {
                unpackQ8(weights, (first + row) * rowBytes, blocks, room, row * columns);
            }
            multiply(room, rows, first, columns, floats, tokens, y, outputs);
        }
    }

    /** One token: weights to floats and on, in the order of {@link #rowOne}. */
    private static float q8One(MemorySegment weights, long at, int blocks, float[] x) {
        FloatVector even = FloatVector.zero(FLOATS);
        FloatVector odd = even;
        for (int block = 0; block < blocks; block++) {
            long w = at + 34L * block;
            FloatVector scale = FloatVector.broadcast(FLOATS, WeightRows.half(weights, w));
            int xAt = block * Activations.BLOCK;
            for (int i = 0; i < Activations.BLOCK; i += 2 * LANES) {
                even = wide(weights, w + 2 + i, 0).mul(scale).fma(FloatVector.fromArray(FLOATS, x, xAt + i), even);
                odd = wide(weights, w + 2 + i, 1)
                        .mul(scale)
                        .fma(FloatVector.fromArray(FLOATS, x, xAt + i + LANES), odd);
            }
        }
        return sum(even.add(odd));
    }

    private static void unpackQ8(MemorySegment weights, long at, int blocks, float[] out, int to) {
        for (int block = 0; block < blocks; block++) {
            long w = at + 34L * block;
            FloatVector scale = FloatVector.broadcast(FLOATS, WeightRows.half(weights, w));
            int outAt = to + block * Activations.BLOCK;
            for (int i = 0; i < Activations.BLOCK; i += 2 * LANES) {
                wide(weights, w + 2 + i, 0).mul(scale).intoArray(out, outAt + i);
                wide(weights, w + 2 + i, 1).mul(scale).intoArray(out, outAt + i + LANES);
            }
        }
    }

    /** The first or second of the two vectors of floats that begin at a byte. */
    private static FloatVector wide(MemorySegment weights, long at, int which) {
        if (LANES == 4) {
            return (FloatVector) ByteVector.fromMemorySegment(ByteVector.SPECIES_64, weights, at, LITTLE)
                    .convertShape(VectorOperators.B2F, FLOATS, which);
        }
        return (FloatVector) ByteVector.fromMemorySegment(QUARTER_BYTES, weights, at + (long) which * LANES, LITTLE)
                .convertShape(VectorOperators.B2F, FLOATS, 0);
    }

    /** Unpacked rows times a batch: the activations of four tokens stay near while all rows pass. */
    private static void multiply(
            float[] room, int rows, int first, int columns, float[] x, int tokens, float[] y, int outputs) {
        int token = 0;
        for (; token + 3 < tokens; token += 4) {
            for (int row = 0; row < rows; row++) {
                rowFour(room, row * columns, columns, x, token, y, first + row, outputs);
            }
        }
        for (; token < tokens; token++) {
            for (int row = 0; row < rows; row++) {
                y[token * outputs + first + row] = sum(rowOne(room, row * columns, columns, x, token * columns));
            }
        }
    }

    /** {@code columns} is a multiple of 32, and so of two vectors. */
    private static FloatVector rowOne(float[] w, int at, int columns, float[] x, int xAt) {
        FloatVector even = FloatVector.zero(FLOATS);
        FloatVector odd = even;
        for (int i = 0; i < columns; i += 2 * LANES) {
            even = FloatVector.fromArray(FLOATS, w, at + i).fma(FloatVector.fromArray(FLOATS, x, xAt + i), even);
            odd = FloatVector.fromArray(FLOATS, w, at + i + LANES)
                    .fma(FloatVector.fromArray(FLOATS, x, xAt + i + LANES), odd);
        }
        return even.add(odd);
    }

    private static void rowFour(float[] w, int at, int columns, float[] x, int token, float[] y, int row, int outputs) {
        int room = w.length - ROOM_FOR_SUMS;
        int x0 = token * columns;
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
            FloatVector v = FloatVector.fromArray(FLOATS, w, at + i);
            even0 = v.fma(FloatVector.fromArray(FLOATS, x, x0 + i), even0);
            even1 = v.fma(FloatVector.fromArray(FLOATS, x, x1 + i), even1);
            even2 = v.fma(FloatVector.fromArray(FLOATS, x, x2 + i), even2);
            even3 = v.fma(FloatVector.fromArray(FLOATS, x, x3 + i), even3);
            FloatVector u = FloatVector.fromArray(FLOATS, w, at + i + LANES);
            odd0 = u.fma(FloatVector.fromArray(FLOATS, x, x0 + i + LANES), odd0);
            odd1 = u.fma(FloatVector.fromArray(FLOATS, x, x1 + i + LANES), odd1);
            odd2 = u.fma(FloatVector.fromArray(FLOATS, x, x2 + i + LANES), odd2);
            odd3 = u.fma(FloatVector.fromArray(FLOATS, x, x3 + i + LANES), odd3);
        }
        int to = token * outputs + row;
        even0.add(odd0).intoArray(w, room);
        even1.add(odd1).intoArray(w, room + LANES);
        even2.add(odd2).intoArray(w, room + 2 * LANES);
        even3.add(odd3).intoArray(w, room + 3 * LANES);
        // One copy of the adding up: with four the compiler gives up inlining, and vectors become objects.
        for (int i = 0; i < 4; i++) {
            y[to + i * outputs] = sum(FloatVector.fromArray(FLOATS, w, room + i * LANES));
        }
    }

    private static ShortVector bytes(MemorySegment weights, long at) {
        return (ShortVector)
                ByteVector.fromMemorySegment(BYTES, weights, at, LITTLE).convertShape(VectorOperators.B2S, SHORTS, 0);
    }

    /** The products of two vectors, added up by pairs. */
    private static IntVector pairs(ShortVector weights, short[] values, int at) {
        IntVector products =
                weights.mul(ShortVector.fromArray(SHORTS, values, at)).reinterpretAsInts();
        return products.lanewise(VectorOperators.LSHL, 16)
                .lanewise(VectorOperators.ASHR, 16)
                .add(products.lanewise(VectorOperators.ASHR, 16));
    }

    private static VectorShuffle<Float> turned(VectorSpecies<Float> species, int by) {
        return VectorShuffle.fromOp(species, lane -> (lane + by) % species.length());
    }

    /**
     * The sum of all lanes, always in the same order. {@code reduceLanes} promises none: interpreted and compiled code add
     * up differently, and the same prompt would give other bits once it is warm.
     */
    private static float sum(FloatVector vector) {
        FloatVector folded = vector;
        if (LANES > 8) {
            folded = folded.add(folded.rearrange(BY_8));
        }
        if (LANES > 4) {
            folded = folded.add(folded.rearrange(BY_4));
        }
        if (LANES > 2) {
            folded = folded.add(folded.rearrange(BY_2));
        }
        return folded.add(folded.rearrange(BY_1)).lane(0);
    }

    private static float halfSum(FloatVector vector) {
        FloatVector folded = vector;
        if (HALF_FLOATS.length() > 4) {
            folded = folded.add(folded.rearrange(HALF_BY_4));
        }
        if (HALF_FLOATS.length() > 2) {
            folded = folded.add(folded.rearrange(HALF_BY_2));
        }
        return folded.add(folded.rearrange(HALF_BY_1)).lane(0);
    }

    @Override
    public void blocks(
            byte[] values,
            float[] scales,
            float[] offsets,
            int columns,
            Activations x,
            int tokens,
            float[] y,
            int row,
            int outputs) {
        int blocks = columns / Activations.BLOCK;
        short[] xValues = x.values();
        float[] xScales = x.scales();
        int[] sums = x.sums();
        for (int token = 0; token < tokens; token++) {
            FloatVector all = FloatVector.zero(HALF_FLOATS);
            float rest = 0;
            for (int block = 0; block < blocks; block++) {
                int at = block * Activations.BLOCK;
                int xAt = token * columns + at;
                int which = token * blocks + block;
                float scale = xScales[which];
                all = sixteen(values, at, xValues, xAt, scales[2 * block] * scale, all);
                all = sixteen(values, at + 16, xValues, xAt + 16, scales[2 * block + 1] * scale, all);
                rest += sums[which] * (offsets[block] * scale);
            }
            y[token * outputs + row] = halfSum(all) + rest;
        }
    }

    private static FloatVector sixteen(byte[] values, int at, short[] x, int xAt, float scale, FloatVector all) {
        FloatVector factor = FloatVector.broadcast(HALF_FLOATS, scale);
        FloatVector sum = all;
        for (int i = 0; i < 16; i += HALF_SHORTS.length()) {
            ShortVector w = (ShortVector)
                    ByteVector.fromArray(HALF_BYTES, values, at + i).convertShape(VectorOperators.B2S, HALF_SHORTS, 0);
            IntVector products =
                    w.mul(ShortVector.fromArray(HALF_SHORTS, x, xAt + i)).reinterpretAsInts();
            IntVector pairs = products.lanewise(VectorOperators.LSHL, 16)
                    .lanewise(VectorOperators.ASHR, 16)
                    .add(products.lanewise(VectorOperators.ASHR, 16));
            sum = ((FloatVector) pairs.convert(VectorOperators.I2F, 0)).fma(factor, sum);
        }
        return sum;
    }

    /**
     * For a batch, rows of up to {@link #EXACT_COLUMNS} are multiplied as floats, which is exact: sums of products of at most
     * 127 * 127 stay whole below 2^24.
     */
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
        float[] tokenScales = x.tokenScales();
        if (tokens > 1 && columns <= EXACT_COLUMNS) {
            for (int first = from; first < to; first += ROWS_AT_ONCE) {
                int rows = Math.min(ROWS_AT_ONCE, to - first);
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
            return;
        }
        short[] values = x.values();
        int token = 0;
        for (; token + 3 < tokens; token += 4) {
            for (int row = from; row < to; row++) {
                long at = (long) row * columns;
                i8Four(weights, at, columns, values, tokenScales, token, rowScales[row], y, row, outputs);
            }
        }
        for (; token < tokens; token++) {
            for (int row = from; row < to; row++) {
                long at = (long) row * columns;
                IntVector sum = IntVector.zero(IntVector.SPECIES_PREFERRED);
                int xAt = token * columns;
                for (int i = 0; i < columns; i += STEP) {
                    sum = sum.add(pairs(bytes(weights, at + i), values, xAt + i));
                }
                y[token * outputs + row] = sum.reduceLanes(VectorOperators.ADD) * (rowScales[row] * tokenScales[token]);
            }
        }
    }

    private static void i8Four(
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

    @Override
    public float dot(float[] a, int aFrom, float[] b, int bFrom, int count) {
        FloatVector all = FloatVector.zero(FLOATS);
        int i = 0;
        for (; i + LANES <= count; i += LANES) {
            all = FloatVector.fromArray(FLOATS, a, aFrom + i).fma(FloatVector.fromArray(FLOATS, b, bFrom + i), all);
        }
        float rest = 0;
        for (; i < count; i++) {
            rest = Math.fma(a[aFrom + i], b[bFrom + i], rest);
        }
        return sum(all) + rest;
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
        int i = 0;
        for (; i + LANES <= width; i += LANES) {
            FloatVector all = FloatVector.zero(FLOATS);
            for (int p = 0; p < positions; p++) {
                all = FloatVector.fromArray(FLOATS, values, valuesAt + p * width + i)
                        .fma(FloatVector.broadcast(FLOATS, weights[at + p] * factor), all);
            }
            all.intoArray(to, toAt + i);
        }
        for (; i < width; i++) {
            float rest = 0;
            for (int p = 0; p < positions; p++) {
                rest = Math.fma(weights[at + p] * factor, values[valuesAt + p * width + i], rest);
            }
            to[toAt + i] = rest;
        }
    }

    @Override
    public float exponentials(float[] x, int from, int count, float most) {
        FloatVector sum = FloatVector.zero(FLOATS);
        int i = from;
        for (; i + LANES <= from + count; i += LANES) {
            FloatVector e = exp(FloatVector.fromArray(FLOATS, x, i).sub(most));
            e.intoArray(x, i);
            sum = sum.add(e);
        }
        float rest = 0;
        for (; i < from + count; i++) {
            x[i] = (float) Math.exp(x[i] - most);
            rest += x[i];
        }
        return sum(sum) + rest;
    }

    @Override
    public void gated(float[] gate, float[] up, int count) {
        int i = 0;
        for (; i + LANES <= count; i += LANES) {
            FloatVector g = FloatVector.fromArray(FLOATS, gate, i);
            g.div(exp(g.neg()).add(1)).mul(FloatVector.fromArray(FLOATS, up, i)).intoArray(gate, i);
        }
        for (; i < count; i++) {
            gate[i] = (float) (gate[i] / (1 + Math.exp(-gate[i]))) * up[i];
        }
    }

    /**
     * The exponential, within 2 units in the last place between -87 and 88, 0 below: 2^n times a polynomial on
     * [-ln 2 / 2, ln 2 / 2] (Cephes' expf).
     */
    private static FloatVector exp(FloatVector x) {
        FloatVector bounded = x.max(-87.3f).min(88.3f);
        FloatVector shifted = bounded.mul(1.442695f).add(12_582_912f);
        FloatVector n = shifted.sub(12_582_912f);
        FloatVector r = n.fma(FloatVector.broadcast(FLOATS, -0.6933594f), bounded);
        r = n.fma(FloatVector.broadcast(FLOATS, 2.1219444e-4f), r);
        FloatVector p = FloatVector.broadcast(FLOATS, 1.9875691e-4f);
        p = p.fma(r, FloatVector.broadcast(FLOATS, 1.3981999e-3f));
        p = p.fma(r, FloatVector.broadcast(FLOATS, 8.333452e-3f));
        p = p.fma(r, FloatVector.broadcast(FLOATS, 4.1665796e-2f));
        p = p.fma(r, FloatVector.broadcast(FLOATS, 1.6666666e-1f));
        p = p.fma(r, FloatVector.broadcast(FLOATS, 0.5f));
        FloatVector e = p.fma(r.mul(r), r).add(1);
        IntVector power = shifted.reinterpretAsInts().lanewise(VectorOperators.LSHL, 23);
        FloatVector scaled = e.reinterpretAsInts().add(power).reinterpretAsFloats();
        return scaled.blend(0, x.lt(-87.3f));
    }
}
