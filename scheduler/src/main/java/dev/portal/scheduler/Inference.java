package dev.portal.scheduler;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Where an engine sends its jobs. The wiring decides what stands behind it: the NPU's lanes with the CPU's as refuge, or
 * the caller's own thread where the scheduler is off. Engines never know.
 *
 * <p>Safe for use by any thread.
 */
public interface Inference {
    /** Runs each job on the caller's thread, at once, without a scheduler: the seed's "compile to no-ops". */
    Inference DIRECT = job -> {
        try {
            while (true) {
                if (job.execute(Preemption.NEVER) instanceof NpuJobResult.Completed completed) {
                    return CompletableFuture.completedFuture(completed);
                }
            }
        } catch (Exception e) {
            return CompletableFuture.failedFuture(new NpuException.JobFailed(job.workload() + ": " + e, e));
        }
    };

    /**
     * Submits a job and returns at once, unless the implementation says otherwise.
     *
     * @return completes with the outputs once the job has completed, however often it yielded; fails with {@link
     *     NpuException}. Cancelling the future takes a job out that has not started, and asks a running one to stop.
     */
    CompletableFuture<NpuJobResult.Completed> submit(NpuJob job);

    /** Submits a job and waits for it. */
    default NpuJobResult.Completed run(NpuJob job) {
        try {
            return submit(job).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof NpuException failure) {
                throw failure;
            }
            throw e;
        }
    }
}
