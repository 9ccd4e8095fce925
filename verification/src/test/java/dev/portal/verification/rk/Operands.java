package dev.portal.verification.rk;

import dev.portal.base.RandomStream;
import dev.portal.hardware.rk3588.Precision;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.OutputSpec;
import dev.portal.rknpu.ProductCheck;
import java.lang.foreign.MemorySegment;

/**
 * Random operands of a product.
 *
 * @param a dense and row-major
 * @param b by columns, dense
 */
record Operands(OutputSpec output, MatmulShape shape, MemorySegment a, MemorySegment b) {
    /** Every value of an int8; fp16 values whose sums are exact in fp32 in any order. */
    static Operands exact(OutputSpec output, int m, int k, int n, RandomStream random) {
        return of(output, m, k, n, random, true);
    }

    /** fp16 values with full fractions, whose sums depend on their order. */
    static Operands rounding(OutputSpec output, int m, int k, int n, RandomStream random) {
        return of(output, m, k, n, random, false);
    }

    private static Operands of(OutputSpec output, int m, int k, int n, RandomStream random, boolean exact) {
        MatmulShape shape = new MatmulShape(output.type(), m, k, n);
        return new Operands(
                output, shape, values(shape, (long) m * k, random, exact), values(shape, (long) k * n, random, exact));
    }

    private static MemorySegment values(MatmulShape shape, long elements, RandomStream random, boolean exact) {
        if (shape.type().input() == Precision.INT8) {
            byte[] bytes = new byte[Math.toIntExact(elements)];
            random.nextBytes(bytes);
            return MemorySegment.ofArray(bytes);
        }
        short[] halves = new short[Math.toIntExact(elements)];
        for (int i = 0; i < halves.length; i++) {
            halves[i] = Float.floatToFloat16(exact ? (random.nextInt(17) - 8) / 4f : 4 * random.nextFloat() - 2);
        }
        return MemorySegment.ofArray(halves);
    }

    /** Compares a result with the processor's. */
    ProductCheck.Outcome check(MemorySegment c) {
        return ProductCheck.compare(output, shape, a, b, c);
    }
}
