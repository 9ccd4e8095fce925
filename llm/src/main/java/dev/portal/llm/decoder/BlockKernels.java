package dev.portal.llm.decoder;

import static dev.portal.llm.decoder.VectorKernels.FLOATS;
import static dev.portal.llm.decoder.VectorKernels.INTS;
import static dev.portal.llm.decoder.VectorKernels.LANES;
import static dev.portal.llm.decoder.VectorKernels.LITTLE;
import static dev.portal.llm.decoder.VectorKernels.NARROW;

import dev.portal.llm.gguf.TensorType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Rows of blocks by the Vector API. One token: weights are taken from memory as 16-bit lanes, the even bytes and the odd,
 * times activations in the same order ({@link Activations#paired}), and added up as eight integers of four products. A
 * batch: rows are unpacked to floats, the products of a block are added up in them, exactly, and so are the same eight.
 *
 * <p>Where vectors have 128 bits, the second half of a block has lanes 4 to 7 ({@code half} 1).
 */
final class BlockKernels {
    private static final VectorSpecies<Short> SHORTS = NARROW ? ShortVector.SPECIES_128 : ShortVector.SPECIES_256;
    private static final VectorSpecies<Short> HALVES = NARROW ? ShortVector.SPECIES_64 : ShortVector.SPECIES_128;
    private static final VectorSpecies<Byte> NIBBLES = NARROW ? ByteVector.SPECIES_64 : ByteVector.SPECIES_128;
    private static final int UNPACKED = Kernels.UNPACKED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Bits by which the byte of a lane is moved down. */
    private static final IntVector DOWN = IntVector.fromArray(INTS, new int[] {0, 8, 16, 24, 0, 8, 16, 24}, 0);

    private static final VectorMask<Integer> UPPER_INTS = VectorMask.fromLong(INTS, 0xf0);
    private static final VectorMask<Float> UPPER = VectorMask.fromLong(FLOATS, 0xf0);

    private BlockKernels() {}

    // One token.

    static void one(
            TensorType type,
            MemorySegment weights,
            int from,
            int to,
            int columns,
            Activations x,
            float[] y,
            float[] room) {
        long rowBytes = type.rowBytes(columns);
        int blocks = columns / type.blockWeights();
        for (int row = from; row < to; row++) {
            long at = row * rowBytes;
            y[row] = switch (type) {
                case Q8_0 -> q8(weights, at, blocks, x.paired(), x.scales(), room);
                case Q4_0 -> q4(weights, at, blocks, x.paired(), x.scales(), room);
                case Q4_K -> q4k(weights, at, blocks, x, room);
                case Q6_K -> q6k(weights, at, blocks, x.paired(), x.scales(), room);
                case F32, F16 -> throw new IllegalArgumentException(type + " has no blocks");
            };
        }
    }

    private static float q8(MemorySegment weights, long at, int blocks, short[] x, float[] scales, float[] room) {
        FloatVector low = FloatVector.zero(FLOATS);
        FloatVector high = low;
        for (int block = 0; block < blocks; block++) {
            long w = at + 34L * block;
            int xAt = 32 * block;
            FloatVector scale = FloatVector.broadcast(FLOATS, WeightRows.half(weights, w) * scales[block]);
            low = signed(shorts(weights, w + 2), x, xAt).fma(scale, low);
            if (NARROW) {
                high = signed(shorts(weights, w + 18), x, xAt + 8).fma(scale, high);
            }
        }
        int sums = room.length - Kernels.ROOM_FOR_SUMS;
        low.intoArray(room, sums);
        if (NARROW) {
            high.intoArray(room, sums + 4);
        }
        return VectorKernels.sum8(room, sums);
    }

    private static ShortVector shorts(MemorySegment weights, long at) {
        return ShortVector.fromMemorySegment(SHORTS, weights, at, LITTLE);
    }

    /** Signed bytes times activations. */
    private static FloatVector signed(ShortVector w, short[] x, int xAt) {
        ShortVector even = w.lanewise(VectorOperators.LSHL, 8).lanewise(VectorOperators.ASHR, 8);
        return lanes(even, w.lanewise(VectorOperators.ASHR, 8), x, xAt);
    }

    /** Sums of four products: of two neighbours in the one vector, and two in the other. */
    private static FloatVector lanes(ShortVector first, ShortVector second, short[] x, int xAt) {
        ShortVector sums = first.mul(ShortVector.fromArray(SHORTS, x, xAt))
                .add(second.mul(ShortVector.fromArray(SHORTS, x, xAt + 16)));
        return (FloatVector) pairs(sums).convert(VectorOperators.I2F, 0);
    }

    /** Neighbours added up. */
    static IntVector pairs(ShortVector shorts) {
        IntVector both = shorts.reinterpretAsInts();
        return both.lanewise(VectorOperators.LSHL, 16)
                .lanewise(VectorOperators.ASHR, 16)
                .add(both.lanewise(VectorOperators.ASHR, 16));
    }

    private static float q4(MemorySegment weights, long at, int blocks, short[] x, float[] scales, float[] room) {
        FloatVector low = FloatVector.zero(FLOATS);
        FloatVector high = low;
        for (int block = 0; block < blocks; block++) {
            long w = at + 18L * block;
            int xAt = 32 * block;
            FloatVector scale = FloatVector.broadcast(FLOATS, WeightRows.half(weights, w) * scales[block]);
            low = nibbles(weights, w + 2, x, xAt).fma(scale, low);
            if (NARROW) {
                high = nibbles(weights, w + 10, x, xAt + 8).fma(scale, high);
            }
        }
        int sums = room.length - Kernels.ROOM_FOR_SUMS;
        low.intoArray(room, sums);
        if (NARROW) {
            high.intoArray(room, sums + 4);
        }
        return VectorKernels.sum8(room, sums);
    }

    /** A block of Q4_0: the low halves of the bytes are the first 16 weights. */
    private static FloatVector nibbles(MemorySegment weights, long at, short[] x, int xAt) {
        ShortVector both = (ShortVector) ByteVector.fromMemorySegment(NIBBLES, weights, at, LITTLE)
                .convertShape(VectorOperators.ZERO_EXTEND_B2S, SHORTS, 0);
        ShortVector first = both.and((short) 15).sub((short) 8);
        return lanes(first, both.lanewise(VectorOperators.LSHR, 4).sub((short) 8), x, xAt);
    }

    private static float q4k(MemorySegment weights, long at, int blocks, Activations x, float[] room) {
        int sums = room.length - Kernels.ROOM_FOR_SUMS;
        Arrays.fill(room, sums, sums + 16, 0);
        for (int block = 0; block < blocks; block++) {
            long w = at + 144L * block;
            for (int half = 0; half < 16; half += LANES) {
                scales4(weights, w, half, half < 8 ? x.scales() : x.scaledSums(), 8 * block, room);
            }
            for (int part = 0; part < 8; part++) {
                room[sums + 8 + part] += room[8 + part];
            }
            for (int half = 0; half < 8; half += LANES) {
                weights4(weights, w + 16 + 4L * half, x.paired(), 256 * block + 2 * half, room, sums + half);
            }
        }
        return VectorKernels.sum8(room, sums) + VectorKernels.sum8(room, sums + 8);
    }

    /** Scales 0 to 7 of a block of Q4_K, or offsets 8 to 15, times what the activations have for each. */
    private static void scales4(MemorySegment weights, long at, int first, float[] factors, int part, float[] room) {
        boolean scales = first < 8;
        int lower = scales ? scales(weights, at, 0) : minima(weights, at, 0);
        int upper = scales ? scales(weights, at, 1) : minima(weights, at, 1);
        float factor = scales ? WeightRows.half(weights, at) : -WeightRows.half(weights, at + 2);
        IntVector bytes = IntVector.broadcast(INTS, (first & 4) == 0 ? lower : upper);
        if (!NARROW) {
            bytes = bytes.blend(upper, UPPER_INTS);
        }
        ((FloatVector) bytes.lanewise(VectorOperators.LSHR, DOWN).and(0xff).convert(VectorOperators.I2F, 0))
                .mul(factor)
                .mul(FloatVector.fromArray(FLOATS, factors, part + (first & 4)))
                .intoArray(room, first);
    }

    /** Scales 0 to 3 or 4 to 7 of a block of Q4_K, a byte each. */
    private static int scales(MemorySegment weights, long at, int which) {
        int first = weights.get(INT, at + 4);
        return which == 0
                ? first & 0x3f3f3f3f
                : (weights.get(INT, at + 12) & 0x0f0f0f0f) | (first >>> 6 & 0x03030303) << 4;
    }

    /** Minima 0 to 3 or 4 to 7 of a block of Q4_K, a byte each. */
    private static int minima(MemorySegment weights, long at, int which) {
        int second = weights.get(INT, at + 8);
        return which == 0
                ? second & 0x3f3f3f3f
                : (weights.get(INT, at + 12) >>> 4 & 0x0f0f0f0f) | (second >>> 6 & 0x03030303) << 4;
    }

    /** The weights of a block of Q4_K: four times 32 bytes, the low halves 32 weights and the high halves the next. */
    private static void weights4(MemorySegment weights, long at, short[] x, int xAt, float[] room, int to) {
        FloatVector sum = FloatVector.fromArray(FLOATS, room, to);
        for (int part = 0; part < 8; part++) {
            ShortVector w = shorts(weights, at + (part >> 1) * 32L).lanewise(VectorOperators.LSHR, (part & 1) << 2);
            ShortVector odd = w.lanewise(VectorOperators.LSHR, 8).and((short) 15);
            sum = lanes(w.and((short) 15), odd, x, xAt + 32 * part).fma(FloatVector.broadcast(FLOATS, room[part]), sum);
        }
        sum.intoArray(room, to);
    }

    private static float q6k(MemorySegment weights, long at, int blocks, short[] x, float[] scales, float[] room) {
        int sums = room.length - Kernels.ROOM_FOR_SUMS;
        Arrays.fill(room, sums, sums + 8, 0);
        for (int block = 0; block < blocks; block++) {
            long w = at + 210L * block;
            scales6(weights, w, room, 0);
            for (int half = 0; half < 8; half += LANES) {
                weights6(weights, w, half, x, 256 * block + 2 * half, scales, 8 * block, room, sums + half);
            }
        }
        return VectorKernels.sum8(room, sums);
    }

    private static void weights6(
            MemorySegment weights,
            long at,
            int half,
            short[] x,
            int xAt,
            float[] scales,
            int scaleAt,
            float[] room,
            int to) {
        FloatVector sum = FloatVector.fromArray(FLOATS, room, to);
        for (int part = 0; part < 8; part++) {
            float scale = scales[scaleAt + part];
            FloatVector both = two(room[2 * part + (half >> 2)] * scale, room[2 * part + 1] * scale);
            sum = six(weights, at + 4L * half, part, x, xAt + 32 * part).fma(both, sum);
        }
        sum.intoArray(room, to);
    }

    /** A scale for lanes 0 to 3, and one for 4 to 7 if they are there. */
    private static FloatVector two(float first, float second) {
        FloatVector both = FloatVector.broadcast(FLOATS, first);
        return NARROW ? both : both.blend(second, UPPER);
    }

    /** The sixteen scales of a block of Q6_K. */
    private static void scales6(MemorySegment weights, long at, float[] room, int to) {
        float scale = WeightRows.half(weights, at + 208);
        for (int i = 0; i < 16; i += 8) {
            bytes(weights, at + 192 + i, 0).mul(scale).intoArray(room, to + i);
            if (NARROW) {
                bytes(weights, at + 192 + i, 1).mul(scale).intoArray(room, to + i + 4);
            }
        }
    }

    private static FloatVector six(MemorySegment weights, long at, int part, short[] x, int xAt) {
        ShortVector lower = shorts(weights, at + lowerBits(part)).lanewise(VectorOperators.LSHR, (part & 2) << 1);
        ShortVector upper = shorts(weights, at + upperBits(part)).lanewise(VectorOperators.LSHR, (part & 3) << 1);
        ShortVector both =
                lower.and((short) 0x0f0f).or(upper.and((short) 0x0303).lanewise(VectorOperators.LSHL, 4));
        ShortVector even = both.and((short) 0xff).sub((short) 32);
        return lanes(even, both.lanewise(VectorOperators.LSHR, 8).sub((short) 32), x, xAt);
    }

    /** Where the lower four bits of part 0 to 7 of a block of Q6_K are. */
    private static int lowerBits(int part) {
        return (part >> 2) * 64 + (part & 1) * 32;
    }

    private static int upperBits(int part) {
        return 128 + (part >> 2) * 32;
    }

    // A batch.

    static void batch(
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
        int unpacked = Kernels.unpacked(columns);
        int blocks = columns / Activations.BLOCK;
        long rowBytes = type.rowBytes(columns);
        for (int first = from; first < to; first += Kernels.ROWS_AT_ONCE) {
            int rows = Math.min(Kernels.ROWS_AT_ONCE, to - first);
            for (int row = 0; row < rows; row++) {
                unpack(type, weights, (first + row) * rowBytes, blocks, room, row * unpacked);
            }
            multiply(type, room, rows, unpacked, first, blocks, x, tokens, y, outputs);
        }
    }

    /** Unpacks a row: values in the order of {@link Activations#floats}. */
    private static void unpack(TensorType type, MemorySegment weights, long at, int blocks, float[] out, int to) {
        int count = blocks * Activations.BLOCK / type.blockWeights();
        for (int block = 0; block < count; block++) {
            long w = at + (long) block * type.blockBytes();
            int blockAt = to + block * type.blockWeights() / Activations.BLOCK * UNPACKED;
            for (int half = 0; half < 8; half += LANES) {
                switch (type) {
                    case Q8_0 -> unpackQ8(weights, w, half, out, blockAt + half);
                    case Q4_0 -> unpackQ4(weights, w, half, out, blockAt + half);
                    case Q4_K -> unpackQ4K(weights, w, half, out, blockAt + half);
                    case Q6_K -> unpackQ6K(weights, w, half, out, blockAt + half);
                    case F32, F16 -> throw new IllegalArgumentException(type + " has no blocks");
                }
            }
            if (type == TensorType.Q4_K) {
                offsets(weights, w, out, to + blocks * UNPACKED + 8 * block);
            }
        }
    }

    private static void unpackQ8(MemorySegment weights, long at, int half, float[] out, int to) {
        IntVector four = ints(weights, at + 2 + 4L * half);
        for (int k = 0; k < 4; k++) {
            store(
                    four.lanewise(VectorOperators.LSHL, 24 - byteOf(k)).lanewise(VectorOperators.ASHR, 24),
                    out,
                    to + 8 * k);
        }
        FloatVector.broadcast(FLOATS, WeightRows.half(weights, at)).intoArray(out, to + 32);
    }

    /** Bits below the byte that is product {@code k}: even ones come first. */
    private static int byteOf(int k) {
        return (k & 1) << 4 | (k & 2) << 2;
    }

    private static IntVector ints(MemorySegment weights, long at) {
        return IntVector.fromMemorySegment(INTS, weights, at, LITTLE);
    }

    private static void store(IntVector values, float[] out, int at) {
        ((FloatVector) values.convert(VectorOperators.I2F, 0)).intoArray(out, at);
    }

    private static void unpackQ4(MemorySegment weights, long at, int half, float[] out, int to) {
        IntVector two = (IntVector) ShortVector.fromMemorySegment(HALVES, weights, at + 2 + 2L * half, LITTLE)
                .convertShape(VectorOperators.S2I, INTS, 0);
        for (int k = 0; k < 4; k++) {
            int down = (k & 1) << 3 | (k & 2) << 1;
            store(two.lanewise(VectorOperators.LSHR, down).and(15).sub(8), out, to + 8 * k);
        }
        FloatVector.broadcast(FLOATS, WeightRows.half(weights, at)).intoArray(out, to + 32);
    }

    private static void unpackQ4K(MemorySegment weights, long at, int half, float[] out, int to) {
        float scale = WeightRows.half(weights, at);
        long scales = scales(weights, at, 0) | (long) scales(weights, at, 1) << 32;
        for (int part = 0; part < 8; part++) {
            int partAt = to + part * UNPACKED;
            IntVector four = ints(weights, at + 16 + part / 2 * 32L + 4L * half)
                    .lanewise(VectorOperators.LSHR, (part & 1) * 4)
                    .and(0x0f0f0f0f);
            bytes(four, 0, out, partAt);
            float own = scale * (scales >>> (8 * part) & 0xff);
            FloatVector.broadcast(FLOATS, own).intoArray(out, partAt + 32);
        }
    }

    /** Four bytes a lane, less something, in the order of {@link Activations#floats}. */
    private static void bytes(IntVector four, int less, float[] out, int to) {
        for (int k = 0; k < 4; k++) {
            store(four.lanewise(VectorOperators.LSHR, byteOf(k)).and(0xff).sub(less), out, to + 8 * k);
        }
    }

    private static void offsets(MemorySegment weights, long at, float[] out, int to) {
        float minimum = -WeightRows.half(weights, at + 2);
        long minima = minima(weights, at, 0) | (long) minima(weights, at, 1) << 32;
        for (int part = 0; part < 8; part++) {
            out[to + part] = minimum * (minima >>> (8 * part) & 0xff);
        }
    }

    private static void unpackQ6K(MemorySegment weights, long at, int half, float[] out, int to) {
        float scale = WeightRows.half(weights, at + 208);
        for (int part = 0; part < 8; part++) {
            int partAt = to + part * UNPACKED;
            IntVector lower =
                    ints(weights, at + lowerBits(part) + 4L * half).lanewise(VectorOperators.LSHR, (part & 2) << 1);
            IntVector upper =
                    ints(weights, at + upperBits(part) + 4L * half).lanewise(VectorOperators.LSHR, (part & 3) << 1);
            bytes(lower.and(0x0f0f0f0f).or(upper.and(0x03030303).lanewise(VectorOperators.LSHL, 4)), 32, out, partAt);
            float first = scale * weights.get(WeightRows.BYTE, at + 192 + 2L * part);
            float second = scale * weights.get(WeightRows.BYTE, at + 193 + 2L * part);
            two(half == 0 ? first : second, second).intoArray(out, partAt + 32);
        }
    }

    private static void multiply(
            TensorType type,
            float[] room,
            int rows,
            int unpacked,
            int first,
            int blocks,
            Activations x,
            int tokens,
            float[] y,
            int outputs) {
        int sums = room.length - Kernels.ROOM_FOR_SUMS;
        int offsets = blocks * UNPACKED;
        for (int token = 0; token < tokens; token += 4) {
            int together = Math.min(4, tokens - token);
            for (int row = 0; row < rows; row++) {
                int at = row * unpacked;
                for (int half = 0; half < 8; half += LANES) {
                    if (together == 4) {
                        four(room, at + half, blocks, x.floats(), half, x.scales(), token, sums + half);
                    } else {
                        for (int t = 0; t < together; t++) {
                            single(
                                    room,
                                    at + half,
                                    blocks,
                                    x.floats(),
                                    half,
                                    x.scales(),
                                    token + t,
                                    sums + half + 8 * t);
                        }
                    }
                }
                for (int t = 0; t < together; t++) {
                    float sum = VectorKernels.sum8(room, sums + 8 * t);
                    if (type == TensorType.Q4_K) {
                        sum += offset(room, at + offsets, blocks, x.scaledSums(), (token + t) * blocks, sums + 32);
                    }
                    y[(token + t) * outputs + first + row] = sum;
                }
            }
        }
    }

    /** Lanes of a row and four tokens. */
    private static void four(float[] w, int at, int blocks, float[] x, int half, float[] scales, int token, int sums) {
        FloatVector sum0 = FloatVector.zero(FLOATS);
        FloatVector sum1 = sum0;
        FloatVector sum2 = sum0;
        FloatVector sum3 = sum0;
        int columns = blocks * Activations.BLOCK;
        int scale0 = token * blocks;
        int scale1 = scale0 + blocks;
        int scale2 = scale1 + blocks;
        int scale3 = scale2 + blocks;
        for (int block = 0; block < blocks; block++) {
            int wAt = at + block * UNPACKED;
            int xAt = token * columns + half + block * Activations.BLOCK;
            FloatVector part0 = FloatVector.zero(FLOATS);
            FloatVector part1 = part0;
            FloatVector part2 = part0;
            FloatVector part3 = part0;
            for (int k = 0; k < 32; k += 8) {
                FloatVector v = FloatVector.fromArray(FLOATS, w, wAt + k);
                part0 = v.fma(FloatVector.fromArray(FLOATS, x, xAt + k), part0);
                part1 = v.fma(FloatVector.fromArray(FLOATS, x, xAt + columns + k), part1);
                part2 = v.fma(FloatVector.fromArray(FLOATS, x, xAt + 2 * columns + k), part2);
                part3 = v.fma(FloatVector.fromArray(FLOATS, x, xAt + 3 * columns + k), part3);
            }
            FloatVector scale = FloatVector.fromArray(FLOATS, w, wAt + 32);
            sum0 = part0.fma(scale.mul(scales[scale0 + block]), sum0);
            sum1 = part1.fma(scale.mul(scales[scale1 + block]), sum1);
            sum2 = part2.fma(scale.mul(scales[scale2 + block]), sum2);
            sum3 = part3.fma(scale.mul(scales[scale3 + block]), sum3);
        }
        sum0.intoArray(w, sums);
        sum1.intoArray(w, sums + 8);
        sum2.intoArray(w, sums + 16);
        sum3.intoArray(w, sums + 24);
    }

    private static void single(
            float[] w, int at, int blocks, float[] x, int half, float[] scales, int token, int sums) {
        FloatVector sum = FloatVector.zero(FLOATS);
        int columns = blocks * Activations.BLOCK;
        for (int block = 0; block < blocks; block++) {
            int wAt = at + block * UNPACKED;
            int xAt = token * columns + half + block * Activations.BLOCK;
            FloatVector part = FloatVector.zero(FLOATS);
            for (int k = 0; k < 32; k += 8) {
                part = FloatVector.fromArray(FLOATS, w, wAt + k).fma(FloatVector.fromArray(FLOATS, x, xAt + k), part);
            }
            FloatVector scale = FloatVector.fromArray(FLOATS, w, wAt + 32);
            sum = part.fma(scale.mul(scales[token * blocks + block]), sum);
        }
        sum.intoArray(w, sums);
    }

    /** A sum of 8 lanes over the blocks, a multiple of 8. */
    private static float offset(float[] offsets, int at, int blocks, float[] x, int xAt, int sums) {
        FloatVector low = FloatVector.zero(FLOATS);
        FloatVector high = low;
        for (int block = 0; block < blocks; block += 8) {
            low = low.add(FloatVector.fromArray(FLOATS, offsets, at + block)
                    .mul(FloatVector.fromArray(FLOATS, x, xAt + block)));
            if (NARROW) {
                high = high.add(FloatVector.fromArray(FLOATS, offsets, at + block + 4)
                        .mul(FloatVector.fromArray(FLOATS, x, xAt + block + 4)));
            }
        }
        low.intoArray(offsets, sums);
        if (NARROW) {
            high.intoArray(offsets, sums + 4);
        }
        return VectorKernels.sum8(offsets, sums);
    }

    // Conversions.

    /** The first or second four of eight bytes where vectors are narrow, else all. */
    static FloatVector bytes(MemorySegment weights, long at, int which) {
        return (FloatVector) ByteVector.fromMemorySegment(ByteVector.SPECIES_64, weights, at, LITTLE)
                .convertShape(VectorOperators.B2F, FLOATS, which);
    }

    /**
     * Numbers of 16 bits: moved into place and multiplied by 2^112, which subnormal ones survive. What is not finite, and
     * no weight, comes out as 65536 or more.
     */
    static FloatVector halves(MemorySegment weights, long at) {
        return ((IntVector) ShortVector.fromMemorySegment(HALVES, weights, at, LITTLE)
                        .convertShape(VectorOperators.S2I, INTS, 0))
                .lanewise(VectorOperators.LSHL, 13)
                .and(0x8fffe000)
                .reinterpretAsFloats()
                .mul(0x1p112f);
    }
}
