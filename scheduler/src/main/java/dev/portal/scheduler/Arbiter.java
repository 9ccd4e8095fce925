package dev.portal.scheduler;

import dev.portal.scheduler.NpuJobResult.Completed;
import dev.portal.scheduler.NpuMonitor.Status;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * Where engines send their jobs: to the NPU, and to the CPU lanes where there is none, while it is out of use, for engines
 * that compute on the processor, and for VAD, which never runs on it.
 *
 * <p>A job that the NPU refuses as not available was not touched, so the same object goes to the CPU. One that failed on
 * the NPU is not repeated: its engine knows whether that makes sense. Any thread.
 */
public final class Arbiter implements Inference {
    private final PortalNpuScheduler scheduler;
    private final CpuLanes cpu;
    private final Predicate<NpuWorkload> computesOnNpu;

    /** All but VAD goes to the NPU. Owns neither. */
    public Arbiter(PortalNpuScheduler scheduler, CpuLanes cpu) {
        this(scheduler, cpu, workload -> true);
    }

    /**
     * Where some engines compute on the processor, and the NPU's lanes have nothing to arbitrate for them.
     *
     * @param computesOnNpu whether the engine of a workload does; asked for each job
     */
    public Arbiter(PortalNpuScheduler scheduler, CpuLanes cpu, Predicate<NpuWorkload> computesOnNpu) {
        this.scheduler = scheduler;
        this.cpu = cpu;
        this.computesOnNpu = computesOnNpu;
    }

    /** Whether a job of {@code workload} would go to the NPU now. */
    public boolean usesNpu(NpuWorkload workload) {
        return scheduler.isAvailable()
                && scheduler.monitor().status() != Status.FALLBACK
                && workload.homeCore().isPresent()
                && computesOnNpu.test(workload);
    }

    @Override
    public CompletableFuture<Completed> submit(NpuJob job) {
        return usesNpu(job.workload()) ? scheduler.sharedSubmit(job.workload(), job.priority(), job) : cpu.submit(job);
    }

    /** On the caller's thread when the lane is idle. */
    @Override
    public Completed run(NpuJob job) {
        return usesNpu(job.workload())
                ? scheduler.submitInference(job.workload().homeCore().orElseThrow(), job)
                : cpu.run(job);
    }
}
