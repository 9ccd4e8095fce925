package dev.portal.voice;

import dev.portal.scheduler.NpuCoreUtilization;
import dev.portal.scheduler.RegisteredModel;
import dev.portal.scheduler.ReservationBound;
import dev.portal.scheduler.SchedulerTelemetry;
import dev.portal.scheduler.WorkloadBound;
import dev.portal.voice.turn.TurnReport;
import java.util.List;
import java.util.Optional;

/**
 * A snapshot of the voice stack.
 *
 * @param npuTelemetry of the NPU's arbiter; {@link SchedulerTelemetry#EMPTY} where there is none
 * @param models registered with it
 * @param cpuLanes utilization of the lanes that serve without an NPU
 * @param cpuQueueDepth jobs that wait there
 * @param bounds each workload's worst response, as computed and as seen, where it runs now
 * @param reservation the language model's longest pause, as promised and as seen, where it runs now; empty for none
 * @param lastTurns oldest first
 */
public record VoiceTelemetry(
        SchedulerTelemetry npuTelemetry,
        List<RegisteredModel> models,
        List<NpuCoreUtilization> cpuLanes,
        int cpuQueueDepth,
        List<WorkloadBound> bounds,
        Optional<ReservationBound> reservation,
        List<TurnReport> lastTurns) {}
