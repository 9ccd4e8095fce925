package dev.portal.rknpu;

import dev.portal.hardware.rk3588.Precision;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The operands of the golden results (spec 14): values by formula, so that a fingerprint stands for a whole product.
 * Sums of the fp16 values are exact in fp32 for every K that one program takes.
 */
public final class PatternInputs {
    private PatternInputs() {}

    /** A, dense and row-major: {@code m x k} elements of the shape's input type. */
    public static MemorySegment a(MatmulShape shape) {
        byte[] bytes = new byte[Math.toIntExact(shape.aBytes())];
        MemorySegment a = MemorySegment.ofArray(bytes);
        long index = 0;
        for (int m = 0; m < shape.m(); m++) {
            for (int k = 0; k < shape.k(); k++) {
                long u = 131L * m + 71L * k + (long) m * k % 13;
                put(shape.type(), a, index++, u, 17, 8, 4);
            }
        }
        return a;
    }

    /** B by columns, dense: {@code n x k} elements, the k of one column side by side. */
    public static MemorySegment b(MatmulShape shape) {
        byte[] bytes = new byte[Math.toIntExact(shape.bBytes())];
        MemorySegment b = MemorySegment.ofArray(bytes);
        long index = 0;
        for (int n = 0; n < shape.n(); n++) {
            for (int k = 0; k < shape.k(); k++) {
                long u = 37L * n + 113L * k + (long) n * k % 17;
                put(shape.type(), b, index++, u, 13, 6, 2);
            }
        }
        return b;
    }

    private static void put(MatmulType type, MemorySegment to, long index, long u, int modulus, int zero, int divisor) {
        if (type.input() == Precision.INT8) {
            to.set(ValueLayout.JAVA_BYTE, index, (byte) (u % 255 - 127));
        } else {
            float value = (float) (u % modulus - zero) / divisor;
            to.set(ValueLayout.JAVA_SHORT_UNALIGNED, index * 2, Float.floatToFloat16(value));
        }
    }
}
