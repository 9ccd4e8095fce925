package dev.portal.scheduler;

import dev.portal.base.Agent;
import dev.portal.base.Clock;
import dev.portal.scheduler.NpuMonitor.Status;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Tries the device while its status is FALLBACK: one probe each period, and HEALTHY after three good ones in a row. Never
 * more than one probe at a time, so that a hung device holds one up and no more. One thread.
 */
final class CanaryAgent implements Agent {
    private final NpuScheduler scheduler;
    private final NpuMonitor monitor;
    private final SchedulerOptions.Canary canary;
    private final Clock clock;
    private @Nullable CompletableFuture<NpuJobResult.Completed> probe;
    private long nextNanos;
    private int good;

    CanaryAgent(NpuScheduler scheduler, NpuMonitor monitor, SchedulerOptions.Canary canary, Clock clock) {
        this.scheduler = scheduler;
        this.monitor = monitor;
        this.canary = canary;
        this.clock = clock;
    }

    @Override
    public String name() {
        return "npu-canary";
    }

    @Override
    public int doWork() {
        if (probe != null) {
            if (!probe.isDone()) {
                return 0;
            }
            good = probe.isCompletedExceptionally() ? 0 : good + 1;
            probe = null;
            if (good >= SchedulerOptions.Canary.GOOD_PROBES && monitor.status() == Status.FALLBACK) {
                good = 0;
                monitor.setStatus(Status.HEALTHY);
            }
            return 1;
        }
        if (monitor.status() != Status.FALLBACK) {
            good = 0;
            return 0;
        }
        if (clock.nanos() < nextNanos) {
            return 0;
        }
        nextNanos = clock.nanos() + canary.periodNanos();
        NpuJob job = canary.probe().get();
        probe = scheduler.sharedSubmit(job.workload(), job.priority(), job);
        return 1;
    }
}
