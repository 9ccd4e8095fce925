package dev.portal.scheduler;

import dev.portal.base.Clock;

/**
 * What the lanes of one set share.
 *
 * @param prefix of the lanes' names
 * @param options of the arbiter
 * @param clock of everything
 * @param listener told of what happens
 * @param results told of each job that completed or failed, for health and registry
 * @param ofDevice whether a lane is a core of the device, which may be lent; lanes of processor threads are not, and their jobs
 *     have all cores of a device to themselves
 * @param threaded whether each lane has a thread; otherwise somebody steps them
 */
record LaneContext(
        String prefix,
        SchedulerOptions options,
        Clock clock,
        SchedulerListener listener,
        Results results,
        boolean ofDevice,
        boolean threaded) {
    /** Takes the result of each job that ran. */
    @FunctionalInterface
    interface Results {
        void record(NpuWorkload workload, long runningNanos, boolean success);
    }
}
