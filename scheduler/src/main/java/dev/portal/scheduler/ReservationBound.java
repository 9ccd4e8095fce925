package dev.portal.scheduler;

import dev.portal.scheduler.SchedulerOptions.Reservation;
import java.util.List;

/**
 * What the language model's reservation promises, next to what was seen. The promise holds under any arrivals: the language
 * model is served at the latest {@code every + S + P} after it began to wait, where S is the longest segment of other work and
 * P the longest job that the starvation bound may put first. A call that never returns is outside of it.
 *
 * @param reservation as set
 * @param turns how often it was made use of
 * @param boundNanos the longest pause of the language model, from measured segments and jobs
 * @param observedMaxNanos the longest that was seen while a job of it waited
 * @param turnNanos what one turn, once in {@code every}, takes at most from work of higher priority
 */
public record ReservationBound(
        Reservation reservation, long turns, long boundNanos, long observedMaxNanos, long turnNanos) {
    /** Switches between the moment when the reservation is due and the turn: to a starved job, and to the language model. */
    private static final int SWITCHES = 2;

    /**
     * From what lanes that share run tokens measured.
     *
     * @param measured of all workloads that ran
     * @param dispatchNanos what the host takes to wake a lane and switch to it
     */
    static ReservationBound of(
            Reservation reservation,
            List<WorkloadTelemetry> measured,
            long turns,
            long observedMaxNanos,
            long dispatchNanos) {
        long segment = 0;
        long promoted = 0;
        long own = 0;
        for (WorkloadTelemetry workload : measured) {
            switch (workload.workload().family()) {
                case STT -> segment = Math.max(segment, workload.segmentMaxNanos());
                case TTS, VAD -> {
                    segment = Math.max(segment, workload.segmentMaxNanos());
                    promoted = Math.max(promoted, workload.runningMaxNanos());
                }
                case LLM -> own = Math.max(own, workload.segmentMaxNanos());
            }
        }
        return new ReservationBound(
                reservation,
                turns,
                reservation.everyNanos() + segment + promoted + SWITCHES * dispatchNanos,
                observedMaxNanos,
                reservation.turnNanos(own) + dispatchNanos);
    }
}
