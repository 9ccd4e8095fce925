package dev.portal.scheduler;

import dev.portal.base.Histogram;

/**
 * What a lane measured of one workload, in nanoseconds. Guarded by the lane's lock.
 *
 * <p>A <em>segment</em> is the time between two looks at the preempt flag, or all of a dispatch without a look; of each
 * dispatch the longest counts. <em>Stopping</em> is the time from the look that saw the flag set to the core being given back:
 * none for a job that looks where it can stop, a few programs for a chain. <em>Running</em> is a job's time on the core, <em>response</em> its time from arrival to
 * end, both over all dispatches. <em>Obeying</em> is the time from the flag being set to the core being given back.
 */
final class WorkloadStats {
    final Histogram segment = new Histogram();
    final Histogram running = new Histogram();
    final Histogram response = new Histogram();
    final Histogram obeying = new Histogram();
    long stopMaxNanos;
    long overruns;
    long promotions;
    /** How long a job that had borrowed a core may let its home wait: its declared segment, or longer where that was seen. */
    long returnNanos;

    void add(WorkloadStats other) {
        segment.add(other.segment);
        running.add(other.running);
        response.add(other.response);
        obeying.add(other.obeying);
        stopMaxNanos = Math.max(stopMaxNanos, other.stopMaxNanos);
        overruns += other.overruns;
        promotions += other.promotions;
        returnNanos = Math.max(returnNanos, other.returnNanos);
    }
}
