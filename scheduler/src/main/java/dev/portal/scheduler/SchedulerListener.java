package dev.portal.scheduler;

/**
 * Hears what the arbiter does, as it happens. All methods default to nothing.
 *
 * <p>Called on the thread that made it happen, outside the lanes' locks; several threads may call at once. What a
 * listener throws is a defect and goes to the thread's handler.
 */
public interface SchedulerListener {
    /** Hears nothing. */
    SchedulerListener NONE = new SchedulerListener() {
        @Override
        public boolean wantsTraces() {
            return false;
        }
    };

    /** Whether {@link #jobEnded} is wanted; where it is not, no {@link JobTrace} is built. */
    default boolean wantsTraces() {
        return true;
    }

    /** A job left the arbiter, before its future tells. */
    default void jobEnded(JobTrace trace) {}

    /** A job was refused because its lane's queue was full. */
    default void refused(NpuCore core, NpuWorkload workload, NpuPriority priority) {}

    /** The starvation bound made a waiting job HIGH. */
    default void promoted(NpuCore core, NpuWorkload workload, long jobId) {}

    /** A job went for longer than its declared segment without looking at the flag. */
    default void overran(NpuCore core, NpuWorkload workload, long jobId, long declaredNanos, long tookNanos) {}

    /** The device's status changed. */
    default void healthChanged(NpuMonitor.Status from, NpuMonitor.Status to, int consecutiveFailures) {}

    /** The registered models together went above the limit. */
    default void memoryAbove(long totalBytes, long limitBytes) {}
}
