package dev.portal.llm.decoder;

import dev.portal.llm.gguf.GgufTensor;
import dev.portal.llm.gguf.TensorType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Reads rows of weights as floats: the reference that every faster form is compared with, and how embeddings are looked
 * up. The layouts of the blocks are GGML's.
 */
final class WeightRows {
    static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

    private WeightRows() {}

    /** The weights of row {@code row} into {@code out}, from index 0. */
    static void read(GgufTensor tensor, int row, float[] out) {
        read(tensor.type(), tensor.data(), row * tensor.rowBytes(), tensor.columns(), out);
    }

    /** The weights of a row that begins at byte {@code at}. */
    static void read(TensorType type, MemorySegment data, long at, int columns, float[] out) {
        switch (type) {
            case F32 -> MemorySegment.copy(data, FLOAT, at, out, 0, columns);
            case F16 -> {
                for (int i = 0; i < columns; i++) {
                    out[i] = half(data, at + 2L * i);
                }
            }
            case Q8_0 -> {
                for (int i = 0; i < columns; i++) {
                    long block = at + i / 32 * 34L;
                    out[i] = half(data, block) * data.get(BYTE, block + 2 + i % 32);
                }
            }
            case Q4_0 -> {
                for (int i = 0; i < columns; i++) {
                    long block = at + i / 32 * 18L;
                    int both = data.get(BYTE, block + 2 + i % 16);
                    int value = i % 32 < 16 ? both & 15 : (both >> 4) & 15;
                    out[i] = half(data, block) * (value - 8);
                }
            }
            case Q4_K -> {
                for (int i = 0; i < columns; i++) {
                    long block = at + i / 256 * 144L;
                    int part = i % 256 / 32;
                    int both = data.get(BYTE, block + 16 + part / 2 * 32L + i % 32);
                    int value = part % 2 == 0 ? both & 15 : (both >> 4) & 15;
                    out[i] = half(data, block) * scale4(data, block + 4, part) * value
                            - half(data, block + 2) * minimum4(data, block + 4, part);
                }
            }
            case Q6_K -> {
                for (int i = 0; i < columns; i++) {
                    long block = at + i / 256 * 210L;
                    out[i] = half(data, block + 208)
                            * data.get(BYTE, block + 192 + i % 256 / 16)
                            * value6(data, block, i % 256);
                }
            }
        }
    }

    static float half(MemorySegment data, long at) {
        return Float.float16ToFloat(data.get(SHORT, at));
    }

    /** The 6-bit scale of part 0 to 7 of a Q4_K block; its twelve bytes begin at {@code at}. */
    static int scale4(MemorySegment data, long at, int part) {
        return part < 4
                ? data.get(BYTE, at + part) & 63
                : (data.get(BYTE, at + part + 4) & 15) | ((data.get(BYTE, at + part - 4) & 0xc0) >> 2);
    }

    /** The 6-bit minimum of part 0 to 7 of a Q4_K block. */
    static int minimum4(MemorySegment data, long at, int part) {
        return part < 4
                ? data.get(BYTE, at + part + 4) & 63
                : ((data.get(BYTE, at + part + 4) & 0xf0) >> 4) | ((data.get(BYTE, at + part) & 0xc0) >> 2);
    }

    /** Weight 0 to 255 of a Q6_K block, -32 to 31. */
    private static int value6(MemorySegment data, long block, int index) {
        int half = index / 128;
        int within = index % 128;
        int low = data.get(BYTE, block + half * 64L + within % 64);
        int high = data.get(BYTE, block + 128 + half * 32L + within % 32);
        int lower = within < 64 ? low & 15 : (low >> 4) & 15;
        return (lower | ((high >> (within / 32 * 2)) & 3) << 4) - 32;
    }

    /**
     * Unpacks a row of blocks for integer dot products, as {@link Kernels#UNPACKED} says, block after block, then the
     * offsets: weight = scale * value + offset. Values are in the file's order.
     *
     * @param at the byte where the row begins
     */
    static void unpack(TensorType type, MemorySegment data, long at, int columns, float[] out) {
        int offsets = columns / Activations.BLOCK * Kernels.UNPACKED;
        for (int block = 0; block < columns / type.blockWeights(); block++) {
            long from = at + (long) block * type.blockBytes();
            switch (type) {
                case Q8_0 -> unpackQ8(data, from, out, block * Kernels.UNPACKED);
                case Q4_0 -> unpackQ4(data, from, out, block * Kernels.UNPACKED);
                case Q4_K -> unpackQ4K(data, from, out, block * 8 * Kernels.UNPACKED, offsets + block * 8);
                case Q6_K -> unpackQ6K(data, from, out, block * 8 * Kernels.UNPACKED);
                case F32, F16 -> throw new IllegalArgumentException(type + " has no blocks");
            }
        }
    }

    private static void unpackQ8(MemorySegment data, long at, float[] out, int to) {
        Arrays.fill(out, to + 32, to + Kernels.UNPACKED, half(data, at));
        for (int i = 0; i < 32; i++) {
            out[to + i] = data.get(BYTE, at + 2 + i);
        }
    }

    private static void unpackQ4(MemorySegment data, long at, float[] out, int to) {
        Arrays.fill(out, to + 32, to + Kernels.UNPACKED, half(data, at));
        for (int i = 0; i < 16; i++) {
            int both = data.get(BYTE, at + 2 + i);
            out[to + i] = (both & 15) - 8;
            out[to + i + 16] = (both >> 4 & 15) - 8;
        }
    }

    private static void unpackQ4K(MemorySegment data, long at, float[] out, int to, int offsets) {
        float scale = half(data, at);
        float minimum = half(data, at + 2);
        for (int part = 0; part < 8; part++) {
            int partAt = to + part * Kernels.UNPACKED;
            float own = scale * scale4(data, at + 4, part);
            Arrays.fill(out, partAt + 32, partAt + Kernels.UNPACKED, own);
            out[offsets + part] = -minimum * minimum4(data, at + 4, part);
            for (int i = 0; i < 32; i++) {
                int both = data.get(BYTE, at + 16 + part / 2 * 32L + i);
                out[partAt + i] = part % 2 == 0 ? both & 15 : both >> 4 & 15;
            }
        }
    }

    private static void unpackQ6K(MemorySegment data, long at, float[] out, int to) {
        float scale = half(data, at + 208);
        for (int part = 0; part < 8; part++) {
            int partAt = to + part * Kernels.UNPACKED;
            Arrays.fill(out, partAt + 32, partAt + 36, scale * data.get(BYTE, at + 192 + 2L * part));
            Arrays.fill(out, partAt + 36, partAt + 40, scale * data.get(BYTE, at + 193 + 2L * part));
            for (int i = 0; i < 32; i++) {
                out[partAt + i] = value6(data, at, part * 32 + i);
            }
        }
    }
}
