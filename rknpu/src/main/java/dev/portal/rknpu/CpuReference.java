package dev.portal.rknpu;

import dev.portal.hardware.rk3588.Precision;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Matrix products on the processor, by the arithmetic of spec 4.1 and 5.4: int8 sums in
 * int32, requantisation with ties to even, fp16 products summed in fp32 in order of k, one rounding to nearest even at
 * the end. What the chip sums in another order may differ in the last bits where sums are not exact.
 */
public final class CpuReference {
    private static final int COLUMNS = 512;
    private static final int DEPTH = 32;
    private static final int STEP = 4;
    private static final int FEW_ROWS = 4;
    private static final int FEW_COLUMNS = 64;

    private CpuReference() {}

    /**
     * Computes C.
     *
     * @param output the product's type, with multiplier and shift when it requantises
     * @param shape of the product; its type is {@code output.type()}
     * @param a dense and row-major
     * @param b by columns, dense: the k of one column side by side
     * @return C, dense, row-major and little-endian
     */
    public static MemorySegment multiply(OutputSpec output, MatmulShape shape, MemorySegment a, MemorySegment b) {
        MemorySegment c = MemorySegment.ofArray(new byte[Math.toIntExact(shape.cBytes())]);
        if (shape.type().input() == Precision.INT8) {
            integers(output, shape, a.toArray(ValueLayout.JAVA_BYTE), b.toArray(ValueLayout.JAVA_BYTE), c);
        } else {
            halves(output, shape, floats(a), b, c);
        }
        return c;
    }

    /** Whether a block of columns has too little in it for the long loops. */
    static boolean isNarrow(int rows, int columns) {
        return rows < FEW_ROWS || columns < FEW_COLUMNS;
    }

    /**
     * Few rows element by element; more of them in blocks of columns that lie side by side, four steps of k at a time: the
     * same additions in the same order, in loops that HotSpot turns into vector code.
     */
    private static void integers(OutputSpec output, MatmulShape shape, byte[] a, byte[] b, MemorySegment c) {
        int k = shape.k();
        int[][] sums = new int[shape.m()][COLUMNS];
        int[][] turned = new int[DEPTH][COLUMNS];
        for (int from = 0; from < shape.n(); from += COLUMNS) {
            int count = Math.min(COLUMNS, shape.n() - from);
            if (isNarrow(shape.m(), count)) {
                for (int i = 0; i < shape.m() * count; i++) {
                    sums[i / count][i % count] = dot(a, i / count * k, b, (from + i % count) * k, k);
                }
            } else {
                for (int[] row : sums) {
                    Arrays.fill(row, 0);
                }
                for (int deep = 0; deep < k; deep += DEPTH) {
                    int depth = Math.min(DEPTH, k - deep);
                    for (int n = 0; n < count; n++) {
                        int at = (from + n) * k + deep;
                        for (int i = 0; i < DEPTH; i++) {
                            turned[i][n] = i < depth ? b[at + i] : 0;
                        }
                    }
                    for (int m = 0; m < shape.m(); m++) {
                        addIntegers(sums[m], turned, a, m * k + deep, depth);
                    }
                }
            }
            for (int m = 0; m < shape.m(); m++) {
                for (int n = 0; n < count; n++) {
                    store(output, c, (long) m * shape.n() + from + n, sums[m][n]);
                }
            }
        }
    }

    private static void addIntegers(int[] sums, int[][] turned, byte[] a, int at, int depth) {
        for (int i = 0; i < depth; i += STEP) {
            addFour(
                    sums,
                    turned[i],
                    turned[i + 1],
                    turned[i + 2],
                    turned[i + 3],
                    a[at + i],
                    i + 1 < depth ? a[at + i + 1] : 0,
                    i + 2 < depth ? a[at + i + 2] : 0,
                    i + 3 < depth ? a[at + i + 3] : 0);
        }
    }

    private static void addFour(int[] sums, int[] r0, int[] r1, int[] r2, int[] r3, int f0, int f1, int f2, int f3) {
        for (int n = 0; n < COLUMNS; n++) {
            sums[n] += f0 * r0[n] + f1 * r1[n] + f2 * r2[n] + f3 * r3[n];
        }
    }

    private static void halves(OutputSpec output, MatmulShape shape, float[] a, MemorySegment b, MemorySegment c) {
        int k = shape.k();
        float[] kernel = new float[k];
        float[][] sums = new float[shape.m()][COLUMNS];
        float[][] turned = new float[DEPTH][COLUMNS];
        for (int from = 0; from < shape.n(); from += COLUMNS) {
            int count = Math.min(COLUMNS, shape.n() - from);
            if (isNarrow(shape.m(), count)) {
                for (int n = 0; n < count; n++) {
                    floats(b, (long) (from + n) * k, kernel);
                    for (int m = 0; m < shape.m(); m++) {
                        sums[m][n] = dot(a, m * k, kernel, 0, k);
                    }
                }
            } else {
                for (float[] row : sums) {
                    Arrays.fill(row, 0);
                }
                for (int deep = 0; deep < k; deep += DEPTH) {
                    int depth = Math.min(DEPTH, k - deep);
                    for (int n = 0; n < count; n++) {
                        long at = 2 * ((long) (from + n) * k + deep);
                        for (int i = 0; i < depth; i++) {
                            turned[i][n] = Float.float16ToFloat(b.get(ValueLayout.JAVA_SHORT_UNALIGNED, at + 2L * i));
                        }
                    }
                    for (int m = 0; m < shape.m(); m++) {
                        for (int i = 0; i < depth; i++) {
                            add(sums[m], turned[i], a[m * k + deep + i]);
                        }
                    }
                }
            }
            for (int m = 0; m < shape.m(); m++) {
                for (int n = 0; n < count; n++) {
                    store(output, c, (long) m * shape.n() + from + n, sums[m][n]);
                }
            }
        }
    }

    private static void add(float[] sums, float[] row, float factor) {
        for (int n = 0; n < COLUMNS; n++) {
            sums[n] += factor * row[n];
        }
    }

    /**
     * {@code sat8(half_even(acc * multiplier >> shift))}: spec 4.1, measured on the chip.
     *
     * @param shift 0 to 63
     */
    static byte requantise(int accumulator, int multiplier, int shift) {
        long product = (long) accumulator * multiplier;
        long rounded = product;
        if (shift > 0) {
            long floor = product >> shift;
            long rest = product - (floor << shift);
            long half = 1L << (shift - 1);
            boolean up = shift == 63
                    ? Long.compareUnsigned(rest, half) > 0 || (rest == half && (floor & 1) != 0)
                    : rest > half || (rest == half && (floor & 1) != 0);
            rounded = floor + (up ? 1 : 0);
        }
        return (byte) Math.clamp(rounded, Byte.MIN_VALUE, Byte.MAX_VALUE);
    }

    private static int dot(byte[] a, int fromA, byte[] b, int fromB, int k) {
        int sum = 0;
        for (int i = 0; i < k; i++) {
            sum += a[fromA + i] * b[fromB + i];
        }
        return sum;
    }

    private static float dot(float[] a, int fromA, float[] b, int fromB, int k) {
        float sum = 0;
        for (int i = 0; i < k; i++) {
            sum += a[fromA + i] * b[fromB + i];
        }
        return sum;
    }

    static void store(OutputSpec output, MemorySegment c, long index, int sum) {
        switch (output.type()) {
            case INT8_INT32 -> c.set(ValueLayout.JAVA_INT_UNALIGNED, index * 4, sum);
            case INT8_INT8 -> c.set(ValueLayout.JAVA_BYTE, index, requantise(sum, output.multiplier(), output.shift()));
            case INT8_INT16 ->
                c.set(ValueLayout.JAVA_SHORT_UNALIGNED, index * 2, (short)
                        Math.clamp(sum, Short.MIN_VALUE, Short.MAX_VALUE));
            case INT8_FP32 -> c.set(ValueLayout.JAVA_FLOAT_UNALIGNED, index * 4, (float) sum);
            case FP16_FP32, FP16_FP16 -> throw new AssertionError(output);
        }
    }

    static void store(OutputSpec output, MemorySegment c, long index, float sum) {
        if (output.type() == MatmulType.FP16_FP32) {
            c.set(ValueLayout.JAVA_FLOAT_UNALIGNED, index * 4, sum);
        } else {
            c.set(ValueLayout.JAVA_SHORT_UNALIGNED, index * 2, Float.floatToFloat16(sum));
        }
    }

    static float[] floats(MemorySegment halves) {
        float[] values = new float[Math.toIntExact(halves.byteSize() / 2)];
        floats(halves, 0, values);
        return values;
    }

    /** Elements {@code start} and on, as many as {@code to} takes. */
    static void floats(MemorySegment halves, long start, float[] to) {
        for (int i = 0; i < to.length; i++) {
            to[i] = Float.float16ToFloat(halves.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * (start + i)));
        }
    }
}
