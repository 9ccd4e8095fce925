package dev.portal.scheduler;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The arbitration contract: the scheduling seed's trait, operation by operation.
 *
 * <p>Safe for use by any thread.
 */
public interface NpuScheduler {
    /** Whether an accelerator was detected. When false, submissions fail with {@link NpuException.NotAvailable}. */
    boolean isAvailable();

    /**
     * Reserves {@code core} for the family of {@code workload}, for good.
     *
     * @throws NpuException.CoreAllocationFailed for VAD; for a core that is not the workload's home (the message names
     *     the expected one); for a workload that is allocated already; for a core that another family holds
     */
    NpuCoreReservation allocateCore(NpuCore core, NpuWorkload workload, NpuPriority priority);

    /** Does nothing: reservations are permanent for the life of the process (scheduling seed, "Allocation Flow"). */
    void releaseCore(NpuCoreReservation reservation);

    /**
     * Runs a job on {@code core} and waits for it. On the caller's thread when the lane is idle, otherwise in the lane's
     * order like any other arrival; a job that yields is run again until it completes.
     *
     * @throws NpuException.NotAvailable at once, the job untouched
     * @throws NpuException.QueueFull when the lane's queue is full
     * @throws NpuException.JobFailed when the job threw
     */
    NpuJobResult.Completed submitInference(NpuCore core, NpuJob job);

    /**
     * Queues a job on the lane of its workload (core 0 where there is one core) and returns at once.
     *
     * <p>Who waits for it without limit ({@code join()}, {@code get()}) may run it himself: when it is the lane's next job
     * and the lane's thread has not taken it yet.
     *
     * @return completes with the outputs, or fails with the same exceptions as {@link #submitInference}
     */
    CompletableFuture<NpuJobResult.Completed> sharedSubmit(NpuWorkload workload, NpuPriority priority, NpuJob job);

    /** Statistics of each core, by index. */
    List<NpuCoreUtilization> utilization();

    /** Jobs that wait, over all lanes. */
    int queueDepth();

    /**
     * Registers a model file for a workload on a core.
     *
     * @throws NpuException.ModelRegistrationFailed when that workload has one on that core, or the file cannot be read
     */
    void registerModel(NpuCore core, NpuWorkload workload, String modelPath);

    /** Forgets a model; no effect when there is none. */
    void unregisterModel(NpuCore core, NpuWorkload workload);

    /** Counts an inference that ran elsewhere; VAD's hook uses it although VAD never gets a core. */
    void recordInferenceFor(NpuWorkload workload, long inferenceUs, boolean success);

    /** The registered models with their statistics. */
    List<RegisteredModel> registeredModels();
}
