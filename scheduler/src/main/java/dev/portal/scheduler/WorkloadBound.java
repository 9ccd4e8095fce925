package dev.portal.scheduler;

import dev.portal.scheduler.Admission.Declaration;
import dev.portal.scheduler.SchedulerOptions.Reservation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The worst response of a workload, computed from measured segments, next to the worst that was seen. The bound holds
 * while jobs come no faster than their periods say; times are nanoseconds.
 *
 * @param workload which
 * @param periodNanos least time between two jobs, as declared
 * @param segmentMaxNanos the longest segment measured
 * @param runningMaxNanos the longest job measured
 * @param boundNanos empty where the lane is asked for more than it has
 * @param observedMaxNanos the longest response seen
 */
public record WorkloadBound(
        NpuWorkload workload,
        long periodNanos,
        long segmentMaxNanos,
        long runningMaxNanos,
        Optional<Long> boundNanos,
        long observedMaxNanos) {
    /** More pieces than this are analysed as this many. */
    private static final long MAX_PIECES = 1000;

    /**
     * The bounds of the workloads that were measured and have a period.
     *
     * @param measured of one set of lanes
     * @param periodsNanos declared; workloads without one are left out
     * @param shared whether all lanes share one run token; otherwise each core is analysed alone, with a guest that may have
     *     borrowed it when a job arrives
     * @param promotionPeriodNanos the starvation threshold
     * @param reservation of the language model; null for none
     * @param dispatchNanos what the host takes to wake a lane and switch to it, added to every segment
     */
    public static List<WorkloadBound> of(
            List<WorkloadTelemetry> measured,
            Map<NpuWorkload, Long> periodsNanos,
            boolean shared,
            long promotionPeriodNanos,
            @Nullable Reservation reservation,
            long dispatchNanos) {
        List<WorkloadTelemetry> known = measured.stream()
                .filter(w -> w.jobs() > 0 && w.runningMaxNanos() > 0 && periodsNanos.containsKey(w.workload()))
                .toList();
        List<WorkloadBound> bounds = new ArrayList<>();
        for (WorkloadTelemetry own : known) {
            List<Declaration> together = known.stream()
                    .filter(w -> shared
                            || w.workload().homeCore().equals(own.workload().homeCore()))
                    .map(w -> declaration(w, periodsNanos, dispatchNanos))
                    .toList();
            long guest = shared ? 0 : longestReturn(measured, own.workload());
            Optional<Long> bound = Admission.responses(together, promotionPeriodNanos, reservation, guest).stream()
                    .filter(r -> r.declaration().workload() == own.workload())
                    .findFirst()
                    .flatMap(Admission.Response::bound)
                    .map(ResponseTime.Bound::response);
            bounds.add(new WorkloadBound(
                    own.workload(),
                    periodsNanos.getOrDefault(own.workload(), 0L),
                    own.segmentMaxNanos(),
                    own.runningMaxNanos(),
                    bound,
                    own.responseMaxNanos()));
        }
        return bounds;
    }

    /** The longest that the core of {@code home} may be kept by workloads of other cores. */
    private static long longestReturn(List<WorkloadTelemetry> measured, NpuWorkload home) {
        return measured.stream()
                .filter(w -> !w.workload().homeCore().equals(home.homeCore()))
                .mapToLong(WorkloadTelemetry::returnNanos)
                .max()
                .orElse(0);
    }

    private static Declaration declaration(
            WorkloadTelemetry measured, Map<NpuWorkload, Long> periods, long dispatchNanos) {
        long running = measured.runningMaxNanos();
        long piece = Math.clamp(measured.segmentMaxNanos(), Math.ceilDiv(running, MAX_PIECES), running);
        List<Long> segments = new ArrayList<>();
        for (long left = running; left > 0; left -= piece) {
            segments.add(Math.min(left, piece) + dispatchNanos);
        }
        Long period = periods.getOrDefault(measured.workload(), 1L);
        return new Declaration(
                measured.workload(), measured.workload().conventionalPriority(), period, segments, Long.MAX_VALUE);
    }
}
