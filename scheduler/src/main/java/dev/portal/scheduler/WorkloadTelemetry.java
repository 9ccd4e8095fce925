package dev.portal.scheduler;

/**
 * What was measured of one workload so far; times in nanoseconds.
 *
 * @param workload which
 * @param jobs that completed
 * @param segmentMaxNanos the longest that it was seen to take from the flag to the core being given back, wherever the flag
 *     were set: the longest time between two looks, and the longest stop after a look that saw it set
 * @param segmentHighNanos the time between two looks in all but one in a hundred dispatches
 * @param runningMaxNanos a job's longest time on the core, over all its dispatches
 * @param runningHighNanos the same for all but one in a hundred jobs
 * @param responseMaxNanos the longest time from arrival to end
 * @param responseHighNanos the same for all but one in a hundred jobs
 * @param asked dispatches that were asked to stop
 * @param obeyingMaxNanos the longest time from being asked to giving the core back
 * @param obeyingHighNanos the same for all but one in a hundred
 * @param overruns looks at the flag that came later than declared
 * @param promotions by the starvation bound
 * @param returnNanos how long a job of another lane may wait for a core that this workload has borrowed: its declared segment,
 *     or more where more was seen; 0 when it never borrowed one
 */
public record WorkloadTelemetry(
        NpuWorkload workload,
        long jobs,
        long segmentMaxNanos,
        long segmentHighNanos,
        long runningMaxNanos,
        long runningHighNanos,
        long responseMaxNanos,
        long responseHighNanos,
        long asked,
        long obeyingMaxNanos,
        long obeyingHighNanos,
        long overruns,
        long promotions,
        long returnNanos) {
    private static final double HIGH = 0.99;

    static WorkloadTelemetry of(NpuWorkload workload, WorkloadStats stats) {
        return new WorkloadTelemetry(
                workload,
                stats.response.count(),
                stats.segment.max() + stats.stopMaxNanos,
                stats.segment.quantile(HIGH),
                stats.running.max(),
                stats.running.quantile(HIGH),
                stats.response.max(),
                stats.response.quantile(HIGH),
                stats.obeying.count(),
                stats.obeying.max(),
                stats.obeying.quantile(HIGH),
                stats.overruns,
                stats.promotions,
                stats.returnNanos);
    }
}
