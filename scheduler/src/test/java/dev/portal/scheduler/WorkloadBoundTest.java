package dev.portal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WorkloadBoundTest {
    private static final long MS = 1_000_000;
    private static final long PROMOTION = 30_000 * MS;

    private static WorkloadTelemetry measured(NpuWorkload workload, long segmentMs, long runningMs, long responseMs) {
        return new WorkloadTelemetry(
                workload, 10, segmentMs * MS, 0, runningMs * MS, 0, responseMs * MS, 0, 0, 0, 0, 0, 0, 0);
    }

    private final List<WorkloadTelemetry> measured = List.of(
            measured(NpuWorkload.STT_ENCODER, 45, 45, 60),
            measured(NpuWorkload.TTS_DECODER, 30, 240, 300),
            measured(NpuWorkload.VAD, 1, 1, 1));
    private final Map<NpuWorkload, Long> periods =
            Map.of(NpuWorkload.STT_ENCODER, 320 * MS, NpuWorkload.TTS_DECODER, 1000 * MS);

    @Test
    void lanesOfTheirOwnDoNotMeet() {
        List<WorkloadBound> bounds = WorkloadBound.of(measured, periods, false, PROMOTION, null, 0);
        assertThat(bounds)
                .extracting(WorkloadBound::workload)
                .containsExactly(NpuWorkload.STT_ENCODER, NpuWorkload.TTS_DECODER);
        assertThat(bounds.get(0).boundNanos()).contains(45 * MS);
        assertThat(bounds.get(0).observedMaxNanos()).isEqualTo(60 * MS);
        assertThat(bounds.get(1).boundNanos()).contains(240 * MS);
    }

    @Test
    void onOneTokenSpeechWaitsForOneSegmentAndOnePromotion() {
        WorkloadBound stt =
                WorkloadBound.of(measured, periods, true, PROMOTION, null, 0).getFirst();
        assertThat(stt.boundNanos()).contains((30 + 240 + 45) * MS - 1);
    }

    @Test
    void aGuestOnTheCoreBlocksOnceLikeALowerSegment() {
        List<WorkloadTelemetry> withGuest = new ArrayList<>(measured);
        withGuest.add(
                new WorkloadTelemetry(NpuWorkload.LLM, 10, MS, 0, 100 * MS, 0, 100 * MS, 0, 0, 0, 0, 0, 0, 3 * MS));
        List<WorkloadBound> bounds = WorkloadBound.of(withGuest, periods, false, PROMOTION, null, 0);
        assertThat(bounds.get(0).boundNanos()).contains(48 * MS - 1);
        assertThat(bounds.get(1).boundNanos()).contains(243 * MS - 1);
        assertThat(WorkloadBound.of(withGuest, periods, true, PROMOTION, null, 0))
                .as("shared tokens are not lent")
                .isEqualTo(WorkloadBound.of(measured, periods, true, PROMOTION, null, 0));
    }

    @Test
    void everySegmentTakesADispatch() {
        List<WorkloadBound> bounds = WorkloadBound.of(measured, periods, false, PROMOTION, null, MS);
        assertThat(bounds.get(0).boundNanos()).contains(46 * MS);
        assertThat(bounds.get(1).boundNanos()).contains(248 * MS);
    }

    @Test
    void aLaneAskedForMoreThanItHasHasNoBound() {
        Map<NpuWorkload, Long> faster = Map.of(NpuWorkload.STT_ENCODER, 40 * MS);
        assertThat(WorkloadBound.of(measured, faster, true, PROMOTION, null, 0))
                .singleElement()
                .extracting(WorkloadBound::boundNanos)
                .isEqualTo(Optional.empty());
    }
}
