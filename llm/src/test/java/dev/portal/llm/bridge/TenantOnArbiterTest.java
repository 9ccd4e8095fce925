package dev.portal.llm.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.llm.LanguageModel.FinishReason;
import dev.portal.llm.LanguageModel.Reply;
import dev.portal.llm.LlmTenant;
import dev.portal.scheduler.CpuLanes;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import dev.portal.scheduler.SchedulerListener;
import dev.portal.scheduler.SchedulerOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The language model's child, the bridge and the arbiter together, on one virtual clock and one thread. */
class TenantOnArbiterTest {
    private static final String WHOLE = "sure, turning on the light.";

    private final Bench bench = new Bench("gap_us=10000", "first_us=20000").started();
    private final List<String> order = new ArrayList<>();
    // One lane: speech and language model contend for it.
    private final CpuLanes lanes =
            CpuLanes.stepped(SchedulerOptions.singleCore(), bench.clock, new SchedulerListener() {});
    private final LlmTenant tenant = new LlmTenant(bench.bridge, lanes, 20_000_000);

    /** Speech recognition for 50 ms. */
    private final class Speech implements NpuJob {
        @Override
        public NpuWorkload workload() {
            return NpuWorkload.STT_ENCODER;
        }

        @Override
        public NpuJobResult execute(Preemption preemption) {
            order.add("speech begins; the model is " + bench.bridge.status().state());
            bench.pass(Duration.ofMillis(50));
            order.add("speech ends");
            return NpuJobResult.DONE;
        }
    }

    private void speechArrivesInMillis(long millis) {
        bench.clock.at(bench.clock.nanos() + millis * 1_000_000, () -> {
            var _ = lanes.submit(new Speech());
        });
    }

    @Test
    void speechRunsWhileTheModelIsPausedAndTheAnswerIsTheSame() {
        speechArrivesInMillis(35);
        Reply reply = tenant.generate(Bench.ask("turn-1", "hi"), (sequence, text) -> {
            bench.collect(sequence, text);
            order.add("token " + sequence);
        });
        assertThat(reply.text()).isEqualTo(WHOLE);
        assertThat(order).contains("speech begins; the model is paused");
        int speech = order.indexOf("speech begins; the model is paused");
        assertThat(order.get(speech + 1)).as("no token while speech runs").isEqualTo("speech ends");
        assertThat(order.subList(0, speech)).contains("token 0");
        assertThat(order.getLast()).isEqualTo("token 5");
    }

    @Test
    void speechWaitsForNoMoreThanATokenAndThePause() {
        long[] asked = new long[1];
        long[] began = new long[1];
        bench.clock.at(bench.clock.nanos() + 35_000_000, () -> {
            asked[0] = bench.clock.nanos();
            var _ = lanes.submit(new NpuJob() {
                @Override
                public NpuWorkload workload() {
                    return NpuWorkload.STT_ENCODER;
                }

                @Override
                public NpuJobResult execute(Preemption preemption) {
                    began[0] = bench.clock.nanos();
                    return NpuJobResult.DONE;
                }
            });
        });
        tenant.generate(Bench.ask("turn-1", "hi"), bench::collect);
        assertThat(began[0] - asked[0]).isBetween(0L, 12_000_000L);
    }

    @Test
    void aBargeInWhileSpeechRunsEndsTheAnswer() {
        speechArrivesInMillis(35);
        bench.clock.at(bench.clock.nanos() + 60_000_000, () -> tenant.cancel("turn-1", "barge-in"));
        Reply reply = tenant.generate(Bench.ask("turn-1", "hi"), bench::collect);
        assertThat(reply.finish()).isEqualTo(FinishReason.CANCELLED);
        bench.tokens.clear();
        assertThat(tenant.generate(Bench.ask("turn-2", "hi"), bench::collect).text())
                .isEqualTo(WHOLE);
    }
}
