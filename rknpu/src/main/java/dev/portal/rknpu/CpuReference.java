package dev.portal.rknpu;

import dev.portal.hardware.rk3588.Precision;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Matrix products on the processor, one element after the other, by the arithmetic of spec 4.1 and 5.4: int8 sums in
 * int32, requantisation with ties to even, fp16 products summed in fp32 in order of k, one rounding to nearest even at
 * the end. What the chip sums in another order may differ in the last bits where sums are not exact.
 */
public final class CpuReference {
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
        boolean integers = shape.type().input() == Precision.INT8;
        int k = shape.k();
        byte[] bytesA = a.toArray(ValueLayout.JAVA_BYTE);
        byte[] bytesB = b.toArray(ValueLayout.JAVA_BYTE);
        float[] floatsA = integers ? new float[0] : floats(a);
        float[] floatsB = integers ? new float[0] : floats(b);
        long index = 0;
        for (int m = 0; m < shape.m(); m++) {
            for (int n = 0; n < shape.n(); n++) {
                if (integers) {
                    store(output, c, index++, dot(bytesA, m * k, bytesB, n * k, k));
                } else {
                    store(output, c, index++, dot(floatsA, m * k, floatsB, n * k, k));
                }
            }
        }
        return c;
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

    private static float[] floats(MemorySegment halves) {
        float[] values = new float[Math.toIntExact(halves.byteSize() / 2)];
        for (int i = 0; i < values.length; i++) {
            values[i] = Float.float16ToFloat(halves.get(ValueLayout.JAVA_SHORT_UNALIGNED, i * 2L));
        }
        return values;
    }
}
