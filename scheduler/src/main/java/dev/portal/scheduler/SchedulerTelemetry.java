package dev.portal.scheduler;

import java.util.List;

/**
 * A snapshot of an arbiter.
 *
 * @param available whether there is a device behind it
 * @param status its health
 * @param consecutiveFailures since the last success
 * @param queueDepth jobs that wait
 * @param cores one for each, by index
 * @param workloads one for each that ran
 */
public record SchedulerTelemetry(
        boolean available,
        NpuMonitor.Status status,
        int consecutiveFailures,
        int queueDepth,
        List<NpuCoreUtilization> cores,
        List<WorkloadTelemetry> workloads) {
    /** Of no arbiter at all. */
    public static final SchedulerTelemetry EMPTY =
            new SchedulerTelemetry(false, NpuMonitor.Status.FALLBACK, 0, 0, List.of(), List.of());
}
