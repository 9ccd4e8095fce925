package dev.portal.app.rk;

import dev.portal.base.RandomStream;
import dev.portal.hardware.rk3588.Precision;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.OutputSpec;
import java.lang.foreign.MemorySegment;

/**
 * Random products for a soak. Each number of a seed is a product of its own, whatever was drawn before: one that failed
 * is found again by its number.
 *
 * <p>Dimensions are log-uniform, one in four beside a limit of the chip or of the plan that cuts products. int8 operands
 * take every value. fp16 operands are small multiples of a quarter in every other product, so that sums are exact, and
 * any halves between -2 and 2 in the rest.
 *
 * @param maxM rows of A at most
 * @param maxK depth at most
 * @param maxN columns of B at most
 */
record SoakShapes(long seed, int maxM, int maxK, int maxN) {
    private static final int[] ROW_LIMITS = {1, 4, 64, 128, 320, 352, 544};
    private static final int[] DEPTH_LIMITS = {32, 64, 512, 1024, 2048, 4096, 8192};
    private static final int[] COLUMN_LIMITS = {16, 32, 64, 96, 4096, 8192};

    /**
     * One product.
     *
     * @param cores that share it, 1 or 3
     * @param exact whether fp16 operands are such that sums are exact
     */
    record Product(OutputSpec output, MatmulShape shape, int cores, boolean exact, RandomStream values) {
        /** A, dense and row-major; call it before {@link #b()}. */
        MemorySegment a() {
            return operand((long) shape.m() * shape.k());
        }

        /** B by columns, dense. */
        MemorySegment b() {
            return operand((long) shape.k() * shape.n());
        }

        private MemorySegment operand(long elements) {
            if (shape.type().input() == Precision.INT8) {
                byte[] bytes = new byte[Math.toIntExact(elements)];
                values.nextBytes(bytes);
                return MemorySegment.ofArray(bytes);
            }
            short[] halves = new short[Math.toIntExact(elements)];
            for (int i = 0; i < halves.length; i++) {
                halves[i] = Float.floatToFloat16(exact ? (values.nextInt(17) - 8) / 4f : 4 * values.nextFloat() - 2);
            }
            return MemorySegment.ofArray(halves);
        }
    }

    /** The {@code number}-th product of the seed. */
    Product product(int number) {
        RandomStream random = new RandomStream(seed).derive("soak").derive(Integer.toString(number));
        OutputSpec output = output(random);
        MatmulShape shape = new MatmulShape(
                output.type(),
                dimension(random, maxM, ROW_LIMITS),
                dimension(random, maxK, DEPTH_LIMITS),
                dimension(random, maxN, COLUMN_LIMITS));
        return new Product(output, shape, random.nextBoolean() ? 3 : 1, random.nextBoolean(), random.derive("values"));
    }

    private static OutputSpec output(RandomStream random) {
        return switch (random.nextInt(8)) {
            case 0, 1, 2 -> new OutputSpec(MatmulType.INT8_INT32, 0, 0);
            case 3 -> new OutputSpec(MatmulType.INT8_INT8, 1 + random.nextInt(32767), random.nextInt(40));
            case 4, 5, 6 -> new OutputSpec(MatmulType.FP16_FP32, 0, 0);
            default -> new OutputSpec(MatmulType.FP16_FP16, 0, 0);
        };
    }

    private static int dimension(RandomStream random, int most, int[] limits) {
        if (random.nextInt(4) == 0) {
            int beside = limits[random.nextInt(limits.length)] + random.nextInt(3) - 1;
            return Math.clamp(beside, 1, most);
        }
        return Math.clamp(Math.round(Math.exp(random.nextDouble() * Math.log(most))), 1, most);
    }
}
