package dev.portal.scheduler;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the time of one job went. The parts are whole nanoseconds and sum to {@link #totalNanos()} exactly.
 *
 * <pre>
 *   submitted          first dispatch                          dispatch          ended
 *      │ blocked │ queued │ copy in │ device │ copy out │ preempted │ device │ ... │
 * </pre>
 *
 * @param lane the lane's name
 * @param core its core
 * @param jobId counts up in each set of lanes (NPU, CPU), from 1
 * @param workload what it computed
 * @param priority as submitted
 * @param promoted whether the starvation bound made it HIGH
 * @param label of the job, empty for none
 * @param direct whether it found the lane idle and ran on its submitter's thread without waiting
 * @param outcome how it ended
 * @param submittedNanos when it arrived, on the arbiter's clock
 * @param endedNanos when it left
 * @param queuedNanos before the first dispatch, behind work of its own priority or above, or let pass by the language
 *     model's reservation
 * @param blockedNanos before the first dispatch, behind a running job of lower priority, or one that had borrowed the core
 * @param blockedBy that job's id; 0 for none
 * @param preemptedNanos between dispatches
 * @param copyInNanos running, as marked by the job ({@link Preemption#enter})
 * @param deviceNanos running, all that was not marked otherwise
 * @param copyOutNanos running, as marked by the job
 * @param segments one for each dispatch, oldest first
 */
public record JobTrace(
        String lane,
        NpuCore core,
        long jobId,
        NpuWorkload workload,
        NpuPriority priority,
        boolean promoted,
        String label,
        boolean direct,
        Outcome outcome,
        long submittedNanos,
        long endedNanos,
        long queuedNanos,
        long blockedNanos,
        long blockedBy,
        long preemptedNanos,
        long copyInNanos,
        long deviceNanos,
        long copyOutNanos,
        List<Segment> segments) {
    /** How a job left the arbiter. */
    public enum Outcome {
        COMPLETED,
        /** It threw. */
        FAILED,
        /** Its future was cancelled, or completed from outside, before it was done. */
        CANCELLED,
        /** A HIGH arrival took its place in a full queue. */
        DISPLACED,
        /** The arbiter was closed first. */
        CLOSED
    }

    /**
     * The time of one dispatch.
     *
     * @param startNanos when the job got the core
     * @param endNanos when it gave it back
     * @param yielded whether there was more to do
     * @param cause why it was asked to stop during the dispatch; null when it was not
     * @param askedNanos when it was asked; 0 when it was not
     * @param preemptedBy id of the job for which it was asked; 0 for none
     */
    public record Segment(
            long startNanos,
            long endNanos,
            boolean yielded,
            Preemption.@Nullable Cause cause,
            long askedNanos,
            long preemptedBy) {}

    /** From arrival to end. */
    public long totalNanos() {
        return endedNanos - submittedNanos;
    }

    /** Time on the core. */
    public long runningNanos() {
        return copyInNanos + deviceNanos + copyOutNanos;
    }

    /** The sum of the parts; equal to {@link #totalNanos()}. */
    public long partsNanos() {
        return queuedNanos + blockedNanos + preemptedNanos + runningNanos();
    }
}
