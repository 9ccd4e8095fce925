package dev.portal.scheduler;

import dev.portal.base.Clock;
import dev.portal.base.TraceRing;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the lanes of one set share.
 *
 * @param prefix of the lanes' names
 * @param options of the arbiter
 * @param clock of everything
 * @param ids counts the jobs, from 1
 * @param ring the flight recorder
 * @param listener told of what happens
 * @param results told of each job that completed or failed, for health and registry
 * @param threaded whether each lane has a thread; otherwise somebody steps them
 */
record LaneContext(
        String prefix,
        SchedulerOptions options,
        Clock clock,
        AtomicLong ids,
        TraceRing<LaneEvent> ring,
        SchedulerListener listener,
        Results results,
        boolean threaded) {
    /** Takes the result of each job that ran. */
    @FunctionalInterface
    interface Results {
        void record(NpuWorkload workload, long runningNanos, boolean success);
    }
}
