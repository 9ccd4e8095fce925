package dev.portal.app.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.VirtualClock;
import dev.portal.scheduler.CpuLanes;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import dev.portal.scheduler.SchedulerOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class TraceTest {
    private static final long MS = 1_000_000;

    @TempDir
    private Path folder;

    private final VirtualClock clock = new VirtualClock();
    private CompletableFuture<NpuJobResult.Completed> speech = new CompletableFuture<>();
    private final RunRecorder recorder = new RunRecorder(100);

    /** A job of ten milliseconds a step, which gives way between steps. */
    private final class Steps implements NpuJob {
        private final NpuWorkload workload;
        private int left;

        private Steps(NpuWorkload workload, int steps) {
            this.workload = workload;
            this.left = steps;
        }

        @Override
        public NpuWorkload workload() {
            return workload;
        }

        @Override
        public NpuJobResult execute(Preemption preemption) {
            do {
                clock.advance(10 * MS);
                left--;
            } while (left > 0 && !preemption.requested());
            return left > 0 ? NpuJobResult.YIELDED : NpuJobResult.DONE;
        }
    }

    private void speechInterruptsTheLanguageModelOnOneCore() {
        try (CpuLanes lanes = CpuLanes.stepped(SchedulerOptions.singleCore(), clock, recorder)) {
            var answer = lanes.submit(new Steps(NpuWorkload.LLM, 6));
            clock.at(25 * MS, () -> speech = lanes.submit(new Steps(NpuWorkload.STT_ENCODER, 2)));
            while (lanes.step() > 0) {}
            assertThat(answer).isCompleted();
            assertThat(speech).isCompleted();
        }
    }

    @Test
    void theTimelineShowsWhoRanAndWhereAJobGaveWay() {
        speechInterruptsTheLanguageModelOnOneCore();
        List<String> lines =
                LaneTimeline.draw(recorder.jobs(), List.of(new Span("turn", "user speaks", 0, 40 * MS)), 16);
        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).contains("turn").contains("uuuuuuuu········");
        assertThat(lines.get(1)).contains("LLLLL!SSSSLLLLLL").contains("100 % busy");
        assertThat(lines.get(2)).contains("0 ms").endsWith("80 ms");
    }

    @Test
    void nothingIsDrawnOfNothing() {
        assertThat(LaneTimeline.draw(List.of(), List.of(), 40)).isEmpty();
    }

    @Test
    void thePerfettoFileHasLanesWaitsDepthsAndThePreemption() throws Exception {
        speechInterruptsTheLanguageModelOnOneCore();
        Path file = folder.resolve("run.json");
        PerfettoTrace.write(file, recorder.jobs(), List.of(new Span("turn 1", "user speaks", 0, 40 * MS)));
        JsonNode events = new ObjectMapper().readTree(file.toFile()).get("traceEvents");
        assertThat(count(events, "X", "LLM 1")).isEqualTo(2);
        assertThat(count(events, "X", "STT_ENCODER 2")).isEqualTo(1);
        assertThat(count(events, "X", "user speaks")).isEqualTo(1);
        assertThat(count(events, "b", "STT_ENCODER 2")).isEqualTo(1);
        assertThat(count(events, "e", "STT_ENCODER 2")).isEqualTo(1);
        assertThat(events.valueStream().filter(e -> e.get("ph").asString().equals("i")))
                .singleElement()
                .satisfies(e -> assertThat(e.get("ts").asDouble()).isEqualTo(25_000.0));
        assertThat(events.valueStream().filter(e -> e.get("ph").asString().equals("C")))
                .isNotEmpty();
    }

    @Test
    void bothPartsOfAGroupAreSpansOfTwoTracksThatEndTogether() throws Exception {
        SplitSpans split = new SplitSpans(clock, 3);
        clock.advance(50 * MS);
        // A device whose clock is another one: it began the last group at 7 ms, and both parts ended 2 ms later.
        for (long at = 1; at <= 7; at += 2) {
            split.group((int) at / 2, 1, 32, 128, at * MS, (at + 2) * MS - 100, at * MS, (at + 2) * MS, (at + 2) * MS);
        }
        split.group(4, 1, 0, 128, 9 * MS, 9 * MS, 9 * MS, 10 * MS, 10 * MS);
        assertThat(split.dropped()).isEqualTo(2);
        Path file = folder.resolve("split.json");
        PerfettoTrace.write(file, List.of(), List.of(), split.groups());
        JsonNode events = new ObjectMapper().readTree(file.toFile()).get("traceEvents");
        List<JsonNode> down = events.valueStream()
                .filter(e -> e.get("name").asString().equals("layer 0: down"))
                .toList();
        assertThat(down).hasSize(2).allSatisfy(e -> {
            assertThat(e.get("ts").asDouble()).isEqualTo(48_000.0);
            assertThat(e.get("ts").asDouble() + e.get("dur").asDouble()).isBetween(49_999.0, 50_000.0);
            assertThat(e.get("args").get("npu_part").asDouble()).isEqualTo(0.25);
            assertThat(e.get("args").get("device_us").asLong()).isEqualTo(7_000);
        });
        assertThat(down.get(0).get("tid").asInt())
                .isNotEqualTo(down.get(1).get("tid").asInt());
        assertThat(events.valueStream()
                        .filter(e -> e.get("ph").asString().equals("M"))
                        .map(e -> e.get("args").path("name").asString("")))
                .contains("NPU", "CPU", "language model (device's clock)");
        // The NPU had no part in it.
        assertThat(count(events, "X", "vocabulary")).isEqualTo(1);
    }

    private static long count(JsonNode events, String phase, String name) {
        return events.valueStream()
                .filter(e -> e.get("ph").asString().equals(phase)
                        && e.get("name").asString().equals(name))
                .count();
    }

    @Test
    void theRecorderKeepsTheLastAndCountsTheRest() {
        RunRecorder two = new RunRecorder(2);
        try (CpuLanes lanes = CpuLanes.stepped(SchedulerOptions.singleCore(), clock, two)) {
            for (int i = 0; i < 5; i++) {
                lanes.run(new Steps(NpuWorkload.STT_ENCODER, 1));
            }
        }
        assertThat(two.jobs()).extracting(t -> t.jobId()).containsExactly(4L, 5L);
        assertThat(two.dropped()).isEqualTo(3);
    }
}
