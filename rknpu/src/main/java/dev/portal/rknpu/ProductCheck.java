package dev.portal.rknpu;

import dev.portal.hardware.rk3588.Precision;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Locale;

/**
 * Compares a product with what the processor computes from the same operands.
 *
 * <p>int8 products are exact: every bit must agree, whatever the output. The order in which the chip sums fp16 products is
 * not known (spec 5.4), so their rule is what holds in every order: sums of K products in fp32 lie within {@code K x 2^-24 x
 * sum(|a x b|)} of the exact sum, and where every partial sum can be represented the sum is exact. The result must be the
 * output's nearest value to a number in that interval. Where all products are multiples of a unit and their absolute
 * values add up to less than 2^24 units, the interval is one point, and every bit must agree.
 */
public final class ProductCheck {
    private static final double UNIT_ROUND_OFF = 0x1p-24;
    private static final double EXACT_UNITS = 0x1p24;
    private static final int COLUMNS = 512;
    private static final int DEPTH = 32;

    /**
     * What came of it.
     *
     * @param elements of C
     * @param wrong elements outside the rule
     * @param worst the largest error of a sum as a part of what the rule allows; 0 where all is exact, and for fp16
     *     results, whose rounding hides it
     * @param first where and what the first wrong element is, empty when there is none
     */
    public record Outcome(long elements, long wrong, double worst, String first) {
        public boolean isRight() {
            return wrong == 0;
        }
    }

    private final OutputSpec output;
    private final MatmulShape shape;
    private final MemorySegment c;
    private long wrong;
    private double worst;
    private String first = "";

    private ProductCheck(OutputSpec output, MatmulShape shape, MemorySegment c) {
        this.output = output;
        this.shape = shape;
        this.c = c;
    }

    /**
     * Compares.
     *
     * @param a dense and row-major
     * @param b by columns, dense: the k of one column side by side
     * @param c dense, row-major and little-endian
     */
    public static Outcome compare(
            OutputSpec output, MatmulShape shape, MemorySegment a, MemorySegment b, MemorySegment c) {
        ProductCheck check = new ProductCheck(output, shape, c);
        if (shape.type().input() == Precision.INT8) {
            check.everyBit(CpuReference.multiply(output, shape, a, b));
        } else {
            check.everySum(a, b);
        }
        return new Outcome((long) shape.m() * shape.n(), check.wrong, check.worst, check.first);
    }

    private void everyBit(MemorySegment expected) {
        if (c.mismatch(expected) < 0) {
            return;
        }
        int bytes = shape.type().outputBytes();
        for (long i = 0; i < (long) shape.m() * shape.n(); i++) {
            if (c.asSlice(i * bytes, bytes).mismatch(expected.asSlice(i * bytes, bytes)) >= 0) {
                note(i, text(c, i), text(expected, i));
            }
        }
    }

    private String text(MemorySegment values, long index) {
        return switch (shape.type()) {
            case INT8_INT32 -> "" + values.get(ValueLayout.JAVA_INT_UNALIGNED, index * 4);
            case INT8_INT8 -> "" + values.get(ValueLayout.JAVA_BYTE, index);
            case INT8_INT16 -> "" + values.get(ValueLayout.JAVA_SHORT_UNALIGNED, index * 2);
            case INT8_FP32, FP16_FP32, FP16_FP16 -> "" + real(values, index);
        };
    }

    private float real(MemorySegment values, long index) {
        return shape.type().outputBytes() == 4
                ? values.get(ValueLayout.JAVA_FLOAT_UNALIGNED, index * 4)
                : Float.float16ToFloat(values.get(ValueLayout.JAVA_SHORT_UNALIGNED, index * 2));
    }

    /** In blocks of columns that lie side by side, so that the loops over them become vector code. */
    private void everySum(MemorySegment a, MemorySegment b) {
        int k = shape.k();
        float[] features = CpuReference.floats(a);
        double exactBelow = EXACT_UNITS * unit(a) * unit(b);
        boolean exact = k * largest(a) * largest(b) < exactBelow;
        double[][] sums = new double[shape.m()][COLUMNS];
        double[][] absolutes = new double[exact ? 0 : shape.m()][COLUMNS];
        double[][] turned = new double[DEPTH][COLUMNS];
        for (int from = 0; from < shape.n(); from += COLUMNS) {
            int count = Math.min(COLUMNS, shape.n() - from);
            if (CpuReference.isNarrow(shape.m(), count)) {
                byElement(features, b, from, count, sums, absolutes);
            } else {
                byBlock(features, b, from, count, turned, sums, absolutes);
            }
            for (int m = 0; m < shape.m(); m++) {
                for (int n = 0; n < count; n++) {
                    boolean point = exact || absolutes[m][n] < exactBelow;
                    element(m, from + n, sums[m][n], point ? 0 : k * UNIT_ROUND_OFF * absolutes[m][n]);
                }
            }
        }
    }

    private void byElement(
            float[] features, MemorySegment b, int from, int count, double[][] sums, double[][] absolutes) {
        float[] kernel = new float[shape.k()];
        for (int n = 0; n < count; n++) {
            CpuReference.floats(b, (long) (from + n) * kernel.length, kernel);
            for (int m = 0; m < shape.m(); m++) {
                double sum = 0;
                double absolute = 0;
                int at = m * kernel.length;
                for (int i = 0; i < kernel.length; i++) {
                    double product = (double) features[at + i] * kernel[i];
                    sum += product;
                    absolute += Math.abs(product);
                }
                sums[m][n] = sum;
                if (absolutes.length > 0) {
                    absolutes[m][n] = absolute;
                }
            }
        }
    }

    private void byBlock(
            float[] features,
            MemorySegment b,
            int from,
            int count,
            double[][] turned,
            double[][] sums,
            double[][] absolutes) {
        clear(sums);
        clear(absolutes);
        for (int deep = 0; deep < shape.k(); deep += DEPTH) {
            int depth = Math.min(DEPTH, shape.k() - deep);
            turn(b, from, count, deep, depth, turned);
            for (int m = 0; m < shape.m(); m++) {
                int at = m * shape.k() + deep;
                for (int i = 0; i < depth; i++) {
                    add(sums[m], turned[i], features[at + i]);
                    if (absolutes.length > 0) {
                        addAbsolute(absolutes[m], turned[i], features[at + i]);
                    }
                }
            }
        }
    }

    private static void clear(double[][] rows) {
        for (double[] row : rows) {
            Arrays.fill(row, 0);
        }
    }

    private void turn(MemorySegment b, int from, int count, int deep, int depth, double[][] turned) {
        for (int n = 0; n < count; n++) {
            long at = 2 * ((long) (from + n) * shape.k() + deep);
            for (int i = 0; i < depth; i++) {
                turned[i][n] = Float.float16ToFloat(b.get(ValueLayout.JAVA_SHORT_UNALIGNED, at + 2L * i));
            }
        }
    }

    private static void add(double[] sums, double[] row, double factor) {
        for (int n = 0; n < COLUMNS; n++) {
            sums[n] += factor * row[n];
        }
    }

    private static void addAbsolute(double[] sums, double[] row, double factor) {
        for (int n = 0; n < COLUMNS; n++) {
            sums[n] += Math.abs(factor * row[n]);
        }
    }

    /** The largest absolute value. */
    private static double largest(MemorySegment halves) {
        float most = 0;
        for (long at = 0; at < halves.byteSize(); at += 2) {
            most = Math.max(most, Math.abs(Float.float16ToFloat(halves.get(ValueLayout.JAVA_SHORT_UNALIGNED, at))));
        }
        return most;
    }

    private void element(int m, int n, double sum, double allowed) {
        float low = rounded(sum - allowed);
        float high = rounded(sum + allowed);
        long index = (long) m * shape.n() + n;
        float value = real(c, index);
        if (!(value >= low && value <= high)) {
            note(index, "" + value, low == high ? "" + low : low + " to " + high);
        } else if (allowed > 0 && output.type() == MatmulType.FP16_FP32) {
            worst = Math.max(worst, Math.min(1, Math.abs(value - sum) / allowed));
        }
    }

    private float rounded(double value) {
        float single = (float) value;
        return output.type() == MatmulType.FP16_FP16 ? Float.float16ToFloat(Float.floatToFloat16(single)) : single;
    }

    private void note(long index, String value, String expected) {
        if (wrong == 0) {
            first = String.format(
                    Locale.ROOT, "C[%d][%d] is %s, not %s", index / shape.n(), index % shape.n(), value, expected);
        }
        wrong++;
    }

    /** The largest power of two that all elements are multiples of. */
    private static double unit(MemorySegment halves) {
        int least = 15;
        for (long at = 0; at < halves.byteSize(); at += 2) {
            int bits = halves.get(ValueLayout.JAVA_SHORT_UNALIGNED, at);
            int fraction = bits & 0x3ff;
            int exponent = bits >>> 10 & 0x1f;
            if (exponent != 0) {
                least = Math.min(least, exponent - 25 + Integer.numberOfTrailingZeros(fraction | 0x400));
            } else if (fraction != 0) {
                least = Math.min(least, -24 + Integer.numberOfTrailingZeros(fraction));
            }
        }
        return Math.scalb(1.0, least);
    }
}
