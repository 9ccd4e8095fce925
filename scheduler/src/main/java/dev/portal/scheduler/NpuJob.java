package dev.portal.scheduler;

/**
 * One inference, or one resumable piece of work made of several segments.
 *
 * <p>A job is run by one thread at a time. After {@link NpuJobResult.Yielded} the same object is executed again, perhaps
 * by another thread, and continues; everything written before the yield is visible then. Each call must get at least one
 * segment done, so that a job that is preempted for ever still ends.
 */
public interface NpuJob {
    /** Undeclared {@link #segmentNanos()}. */
    long UNDECLARED = 0;

    NpuWorkload workload();

    /** Its priority; by convention that of the workload. */
    default NpuPriority priority() {
        return workload().conventionalPriority();
    }

    /**
     * The longest time between two looks at the preempt flag, in nanoseconds; {@link #UNDECLARED} when unknown. A job
     * that takes longer to obey is reported.
     */
    default long segmentNanos() {
        return UNDECLARED;
    }

    /** What the job belongs to, such as a turn of a conversation: free text for traces, empty for none. */
    default String label() {
        return "";
    }

    /**
     * Runs the job, or goes on with it.
     *
     * @return {@link NpuJobResult.Completed} with the outputs, or {@link NpuJobResult.Yielded} when {@code preemption}
     *     was requested and something is left
     * @throws Exception anything; the submitter gets it as the cause of {@link NpuException.JobFailed}, and the health
     *     monitor counts a failure
     */
    NpuJobResult execute(Preemption preemption) throws Exception;
}
