package dev.portal.rknpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.RandomStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class ProductCheckTest {
    private static final OutputSpec INTEGERS = OutputSpec.parse("int8", "int32");
    private static final OutputSpec SINGLES = OutputSpec.parse("fp16", "fp32");
    private static final OutputSpec HALVES = OutputSpec.parse("fp16", "fp16");

    private static MatmulShape shape(OutputSpec output, int m, int k, int n) {
        return new MatmulShape(output.type(), m, k, n);
    }

    /** Halves between -1 and 1 with full fractions: no sum of them is exact in fp32. */
    private static MemorySegment fractions(RandomStream random, int count) {
        short[] halves = new short[count];
        for (int i = 0; i < count; i++) {
            halves[i] = Float.floatToFloat16(2 * random.nextFloat() - 1);
        }
        return MemorySegment.ofArray(halves);
    }

    @Test
    void integersMustAgreeInEveryBit() {
        MatmulShape shape = shape(INTEGERS, 3, 40, 5);
        MemorySegment a = PatternInputs.a(shape);
        MemorySegment b = PatternInputs.b(shape);
        MemorySegment c = CpuReference.multiply(INTEGERS, shape, a, b);
        assertThat(ProductCheck.compare(INTEGERS, shape, a, b, c)).isEqualTo(new ProductCheck.Outcome(15, 0, 0, ""));
        int right = c.get(ValueLayout.JAVA_INT_UNALIGNED, 4 * 7);
        c.set(ValueLayout.JAVA_INT_UNALIGNED, 4 * 7, right + 1);
        ProductCheck.Outcome outcome = ProductCheck.compare(INTEGERS, shape, a, b, c);
        assertThat(outcome.wrong()).isEqualTo(1);
        assertThat(outcome.first()).isEqualTo("C[1][2] is " + (right + 1) + ", not " + right);
    }

    @Test
    void halvesWhoseSumsAreExactMustAgreeInEveryBit() {
        MatmulShape shape = shape(SINGLES, 2, 96, 3);
        MemorySegment a = PatternInputs.a(shape);
        MemorySegment b = PatternInputs.b(shape);
        MemorySegment c = CpuReference.multiply(SINGLES, shape, a, b);
        assertThat(ProductCheck.compare(SINGLES, shape, a, b, c)).isEqualTo(new ProductCheck.Outcome(6, 0, 0, ""));
        c.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 0, Math.nextUp(c.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0)));
        assertThat(ProductCheck.compare(SINGLES, shape, a, b, c).wrong()).isEqualTo(1);
    }

    @Test
    void otherSumsMayComeInAnyOrderButMayNotMissAProduct() {
        RandomStream random = new RandomStream(3);
        for (OutputSpec output : new OutputSpec[] {SINGLES, HALVES}) {
            MatmulShape shape = shape(output, 1, 512, 1);
            MemorySegment a = fractions(random, 512);
            MemorySegment b = fractions(random, 512);
            float forward = 0;
            float backward = 0;
            for (int k = 0; k < 512; k++) {
                forward += product(a, b, k);
                backward += product(a, b, 511 - k);
            }
            assertThat(forward).isNotEqualTo(backward);
            assertThat(outcome(output, shape, a, b, forward).isRight()).isTrue();
            assertThat(outcome(output, shape, a, b, backward).isRight()).isTrue();
            assertThat(outcome(output, shape, a, b, forward).worst()).isBetween(0.0, 1.0);
            assertThat(outcome(output, shape, a, b, forward - product(a, b, 100))
                            .isRight())
                    .isFalse();
            assertThat(outcome(output, shape, a, b, Float.NaN).isRight()).isFalse();
        }
    }

    private static float product(MemorySegment a, MemorySegment b, int k) {
        return Float.float16ToFloat(a.getAtIndex(ValueLayout.JAVA_SHORT, k))
                * Float.float16ToFloat(b.getAtIndex(ValueLayout.JAVA_SHORT, k));
    }

    private static ProductCheck.Outcome outcome(
            OutputSpec output, MatmulShape shape, MemorySegment a, MemorySegment b, float value) {
        MemorySegment c = MemorySegment.ofArray(new byte[(int) shape.cBytes()]);
        CpuReference.store(output, c, 0, value);
        return ProductCheck.compare(output, shape, a, b, c);
    }
}
