package dev.portal.llm.decoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.portal.llm.gguf.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

final class KernelsTest {
    static final long SEED = Long.getLong("portal.seed", 20260716L);

    @Test
    void vectorsComputeTheBitsOfPlainLoops() {
        new KernelComparison(new ScalarKernels(), Kernels.best(), SEED).run(40);
    }

    @Test
    void theExponentialIsRightWithinTwoUnitsInTheLastPlace() {
        for (float x = -86.9f; x < 88; x += 0.0137f) {
            double exact = Math.exp(x);
            assertThat((double) Exponential.of(x)).isCloseTo(exact, within(2 * exact / (1 << 23)));
        }
        assertThat(Exponential.of(0)).isEqualTo(1);
        assertThat(Exponential.of(-1000)).isZero();
        assertThat(Exponential.of(Float.NEGATIVE_INFINITY)).isZero();
        assertThat(Exponential.of(1000)).isFinite();
    }

    @Test
    void everyFiniteNumberOf16BitsIsReadAsItIs() {
        MemorySegment halves = Arena.ofAuto().allocate(2 << 16);
        for (int i = 0; i < 1 << 16; i++) {
            halves.set(WeightRows.SHORT, 2L * i, (short) i);
        }
        float[] expected = new float[1 << 16];
        WeightRows.read(TensorType.F16, halves, 0, 1 << 16, expected);
        float[] actual = new float[1 << 16];
        for (int i = 0; i < actual.length; i += VectorKernels.LANES) {
            BlockKernels.halves(halves, 2L * i).intoArray(actual, i);
        }
        for (int i = 0; i < actual.length; i++) {
            if (Float.isFinite(expected[i])) {
                assertThat(Float.floatToRawIntBits(actual[i])).isEqualTo(Float.floatToRawIntBits(expected[i]));
            } else {
                assertThat(Math.abs(actual[i])).isGreaterThanOrEqualTo(65_536);
            }
        }
    }
}
