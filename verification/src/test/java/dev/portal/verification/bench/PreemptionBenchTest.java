package dev.portal.verification.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.verification.bench.PreemptionBench.Mode;
import dev.portal.verification.bench.PreemptionBench.Result;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the preemption benchmark shows, in fewer trials; its clock is the model's, so that the figures repeat. */
class PreemptionBenchTest {
    @Test
    void stoppingAChainIsAQuarterOfItsCompletionAtMostWithoutAReset() {
        List<Result> results = PreemptionBench.run(10, 3);
        Result completion = PreemptionBench.find(results, "halt-sticks", Mode.COMPLETION);
        Result drain = PreemptionBench.find(results, "halt-sticks", Mode.DRAIN);
        Result halt = PreemptionBench.find(results, "halt-retires", Mode.HALT);
        assertThat(drain.median()).isLessThanOrEqualTo(completion.median() / 4);
        assertThat(drain.median()).isLessThanOrEqualTo(3 * drain.programNanos() + 64_000 + 167_000);
        assertThat(drain.lostPart()).isLessThan(0.05);
        assertThat(drain.resets()).isZero();
        assertThat(halt.median()).isLessThanOrEqualTo(completion.median() / 4);
        assertThat(halt.resets()).isZero();
        // Where halted jobs stick, the seed's halt costs a reset each: that is why the strategy is chosen by
        // measurement.
        assertThat(PreemptionBench.find(results, "halt-sticks", Mode.HALT).resets())
                .isPositive();
        assertThat(PreemptionBench.run(10, 3)).usingRecursiveComparison().isEqualTo(results);
    }
}
