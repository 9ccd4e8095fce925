package dev.portal.scheduler;

/**
 * What one core has done so far.
 *
 * @param core which
 * @param completed jobs that completed
 * @param failed jobs that threw
 * @param yields times that a job stopped for a more urgent one
 * @param busyUs time spent inside jobs, in microseconds
 * @param upUs time since the scheduler was made, in microseconds
 * @param queueDepth jobs that wait now
 * @param maxQueueDepth the most that ever waited
 * @param lentTimes how often its core was lent to a job of another lane and given back
 * @param lentUs for how long in all, in microseconds
 * @param returnMaxUs the longest that a job waited for a lent core, in microseconds
 */
public record NpuCoreUtilization(
        NpuCore core,
        long completed,
        long failed,
        long yields,
        long busyUs,
        long upUs,
        int queueDepth,
        int maxQueueDepth,
        long lentTimes,
        long lentUs,
        long returnMaxUs) {
    /** Share of the time that the core was busy, 0 to 1. */
    public double busyShare() {
        return upUs == 0 ? 0 : (double) busyUs / upUs;
    }
}
