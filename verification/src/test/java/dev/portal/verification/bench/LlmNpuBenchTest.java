package dev.portal.verification.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.portal.verification.bench.LlmNpuBench.Processor;
import dev.portal.verification.bench.LlmNpuBench.Result;
import dev.portal.verification.bench.LlmNpuBench.Shape;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The figures of a small shape keep to what is known of them; none is compared with a time of the host. */
class LlmNpuBenchTest {
    /** What one core streams in the model, in bytes a nanosecond (spec 10). */
    private static final double CORE_BYTES_PER_NANO = 9.5;

    private static final Shape SMALL = new Shape("small", 256, 3, 4, 2, 512, 4096);

    @Test
    void theNpusTimeIsNoShorterThanItsBandwidthAllowsAndTheSplitLiesBetweenTheIdealAndEitherAlone() throws IOException {
        Result result = LlmNpuBench.measure(SMALL, 1, new Processor(1, false, 4));
        assertThat(result.npu()).isGreaterThan(SMALL.bytes() / CORE_BYTES_PER_NANO);
        assertThat(result.cpu()).isCloseTo(SMALL.bytes() / 4.0, within(1.0));
        assertThat(result.split())
                .isLessThan(Math.min(result.npu(), result.cpu()))
                .isGreaterThan(result.ideal());
        assertThat(result.rendezvous()).isBetween(0.0, 1.0);
        assertThat(result.share()).isBetween(0.2, 0.8);
    }

    @Test
    void theSplitRunsOnOneClockSoThatItIsTheSameOnAnyMachine() throws IOException {
        Processor processor = new Processor(2, false, 6);
        assertThat(LlmNpuBench.measure(SMALL, 3, processor)).isEqualTo(LlmNpuBench.measure(SMALL, 3, processor));
    }

    @Test
    void aProcessorThatIsFasterThanAnyHandingInTakesAllAndItsTimePasses() throws IOException {
        Result result = LlmNpuBench.measure(SMALL, 3, new Processor(1, false, 200));
        assertThat(result.share()).isZero();
        assertThat(result.cpuIdle() / result.split()).isCloseTo(0, within(0.01));
    }

    /** Groups of half a megabyte and more: a tile more on either side is 4 us at most. */
    @Test
    void bothPartsEndTogetherWithinAFewMicrosecondsAGroupAndOverlapForMostOfAToken() throws IOException {
        Shape shape = new Shape("medium", 512, 4, 8, 8, 2048, 16_384);
        for (int cores = 1; cores <= 3; cores += 2) {
            Result result = LlmNpuBench.measure(shape, cores, new Processor(2, false, 10));
            assertThat(result.apart() / (4 * 4 + 1)).isBetween(0.0, 4_000.0);
            assertThat(result.overlap() / result.split()).isBetween(0.9, 1.0);
        }
    }

    @Test
    void aProcessorWithFourBitsGetsMoreOfTheWeights() throws IOException {
        Result eight = LlmNpuBench.measure(SMALL, 1, new Processor(1, false, 4));
        Result four = LlmNpuBench.measure(SMALL, 1, new Processor(1, true, 4));
        assertThat(four.share()).isLessThan(eight.share());
        assertThat(four.split()).isLessThan(eight.split());
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
