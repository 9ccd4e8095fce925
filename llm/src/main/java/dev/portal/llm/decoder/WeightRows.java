package dev.portal.llm.decoder;

import dev.portal.llm.gguf.GgufTensor;
import dev.portal.llm.gguf.TensorType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

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

    private static void read(TensorType type, MemorySegment data, long at, int columns, float[] out) {
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

    /** A row of F16, by way of {@code halves}: a loop over arrays is one that HotSpot vectorises. */
    static void readHalves(GgufTensor tensor, int row, short[] halves, float[] out) {
        int columns = tensor.columns();
        MemorySegment.copy(tensor.data(), SHORT, row * tensor.rowBytes(), halves, 0, columns);
        for (int i = 0; i < columns; i++) {
            out[i] = Float.float16ToFloat(halves[i]);
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
     * Unpacks a row of Q4_0, Q4_K or Q6_K for integer dot products: weight = scale * value + offset.
     *
     * @param values a row of bytes
     * @param scales one a 16 weights
     * @param offsets one a 32 weights, zero or less
     */
    static void unpack(GgufTensor tensor, int row, byte[] values, float[] scales, float[] offsets) {
        MemorySegment data = tensor.data();
        long at = row * tensor.rowBytes();
        int blocks = tensor.columns() / tensor.type().blockWeights();
        for (int block = 0; block < blocks; block++) {
            switch (tensor.type()) {
                case Q4_0 -> unpackQ4(data, at + block * 18L, block, values, scales, offsets);
                case Q4_K -> unpackQ4K(data, at + block * 144L, block, values, scales, offsets);
                case Q6_K -> unpackQ6K(data, at + block * 210L, block, values, scales, offsets);
                case F32, F16, Q8_0 -> throw new IllegalArgumentException(tensor.type() + " is read in place");
            }
        }
    }

    private static void unpackQ4(
            MemorySegment data, long at, int block, byte[] values, float[] scales, float[] offsets) {
        float scale = half(data, at);
        scales[2 * block] = scale;
        scales[2 * block + 1] = scale;
        offsets[block] = 0;
        int to = block * 32;
        for (int i = 0; i < 16; i++) {
            int both = data.get(BYTE, at + 2 + i);
            values[to + i] = (byte) ((both & 15) - 8);
            values[to + i + 16] = (byte) (((both >> 4) & 15) - 8);
        }
    }

    private static void unpackQ4K(
            MemorySegment data, long at, int block, byte[] values, float[] scales, float[] offsets) {
        float scale = half(data, at);
        float minimum = half(data, at + 2);
        for (int part = 0; part < 8; part++) {
            float own = scale * scale4(data, at + 4, part);
            scales[block * 16 + 2 * part] = own;
            scales[block * 16 + 2 * part + 1] = own;
            offsets[block * 8 + part] = -minimum * minimum4(data, at + 4, part);
        }
        for (int pair = 0; pair < 4; pair++) {
            int to = block * 256 + pair * 64;
            for (int i = 0; i < 32; i++) {
                int both = data.get(BYTE, at + 16 + pair * 32L + i);
                values[to + i] = (byte) (both & 15);
                values[to + i + 32] = (byte) ((both >> 4) & 15);
            }
        }
    }

    private static void unpackQ6K(
            MemorySegment data, long at, int block, byte[] values, float[] scales, float[] offsets) {
        float scale = half(data, at + 208);
        for (int part = 0; part < 16; part++) {
            scales[block * 16 + part] = scale * data.get(BYTE, at + 192 + part);
        }
        for (int part = 0; part < 8; part++) {
            offsets[block * 8 + part] = 0;
        }
        for (int half = 0; half < 2; half++) {
            int to = block * 256 + half * 128;
            for (int i = 0; i < 32; i++) {
                int low = data.get(BYTE, at + half * 64L + i);
                int next = data.get(BYTE, at + half * 64L + 32 + i);
                int high = data.get(BYTE, at + 128 + half * 32L + i);
                values[to + i] = (byte) (((low & 15) | (high & 3) << 4) - 32);
                values[to + i + 32] = (byte) (((next & 15) | (high >> 2 & 3) << 4) - 32);
                values[to + i + 64] = (byte) (((low >> 4 & 15) | (high >> 4 & 3) << 4) - 32);
                values[to + i + 96] = (byte) (((next >> 4 & 15) | (high >> 6 & 3) << 4) - 32);
            }
        }
    }
}
