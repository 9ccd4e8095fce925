package dev.portal.verification.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.verification.bench.LlmNpuBench.Result;
import dev.portal.verification.bench.LlmNpuBench.Shape;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The figures of a small shape keep to what is known of them; none is compared with a time of the host. */
class LlmNpuBenchTest {
    /** What one core streams in the model, in bytes a nanosecond (spec 10). */
    private static final double CORE_BYTES_PER_NANO = 9.5;

    @Test
    void theNpusTimeIsNoShorterThanItsBandwidthAllowsAndTheMeetingIsPartOfTheSplit() throws IOException {
        Shape shape = new Shape("small", 256, 3, 4, 2, 512, 4096);
        Result result = LlmNpuBench.measure(shape, 1, 1);
        assertThat(result.npu()).isGreaterThan((long) (shape.bytes() / CORE_BYTES_PER_NANO));
        assertThat(result.meeting()).isPositive().isLessThan(result.split());
        assertThat(result.share()).isBetween(0.0, 1.0);
    }

    @Test
    void theSizesAreThoseOfTheKnownModels() {
        // Parameters of the matrices as published: 0.494 and 1.236 billion with norms and biases.
        assertThat(LlmNpuBench.SHAPES)
                .extracting(shape -> Math.round(shape.bytes() / 1e6))
                .containsExactly(494L, 1236L);
        assertThat(LlmNpuBench.SHAPES)
                .allSatisfy(shape -> assertThat(shape.vocabulary() % LlmNpuBench.VOCABULARY_PART)
                        .isZero());
    }
}
