package dev.portal.scheduler;

import dev.portal.base.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What the tests build again and again. */
final class Fixtures {
    static final long MS = 1_000_000;
    static final long SECOND = 1_000 * MS;
    static final NpuDetection MULTI_CORE =
            NpuDetection.detect("aarch64", Map.of(), path -> path.equals("/sys/class/npu"));
    static final NpuDetection SINGLE_CORE = NpuDetection.detect(
            "aarch64", Map.of("PORTAL_NPU_CORE_COUNT", "1"), path -> path.equals("/dev/fastrpc-adsp"));
    static final NpuDetection ABSENT = NpuDetection.detect("amd64", Map.of(), path -> true);

    private Fixtures() {}

    /** Keeps the traces, and whatever else happens as lines. */
    static final class Recorder implements SchedulerListener {
        final List<JobTrace> traces = new ArrayList<>();
        final List<String> lines = new ArrayList<>();

        @Override
        public void jobEnded(JobTrace trace) {
            traces.add(trace);
        }

        @Override
        public void refused(NpuCore core, NpuWorkload workload, NpuPriority priority) {
            lines.add("refused " + core + " " + workload + " " + priority);
        }

        @Override
        public void promoted(NpuCore core, NpuWorkload workload, long jobId) {
            lines.add("promoted " + core + " " + workload + " " + jobId);
        }

        @Override
        public void overran(NpuCore core, NpuWorkload workload, long jobId, long declaredNanos, long tookNanos) {
            lines.add("overran " + core + " " + workload + " " + jobId + " " + declaredNanos + " " + tookNanos);
        }

        @Override
        public void healthChanged(NpuMonitor.Status from, NpuMonitor.Status to, int consecutiveFailures) {
            lines.add("health " + from + " " + to + " " + consecutiveFailures);
        }

        @Override
        public void memoryAbove(long totalBytes, long limitBytes) {
            lines.add("memory " + totalBytes + " " + limitBytes);
        }

        JobTrace only() {
            if (traces.size() != 1) {
                throw new AssertionError("one trace expected: " + traces);
            }
            return traces.getFirst();
        }

        JobTrace of(NpuWorkload workload) {
            return traces.stream()
                    .filter(trace -> trace.workload() == workload)
                    .reduce((a, b) -> {
                        throw new AssertionError("several traces of " + workload);
                    })
                    .orElseThrow();
        }
    }

    static PortalNpuScheduler stepped(VirtualClock clock, NpuDetection detection) {
        return PortalNpuScheduler.stepped(detection, SchedulerOptions.of(detection), clock, SchedulerListener.NONE);
    }

    /** Steps until nothing waits; arrivals due at the same moment come before a dispatch. */
    static void runAll(PortalNpuScheduler scheduler) {
        while (scheduler.step() > 0) {}
    }

    /** Runs jobs and arrivals until {@code untilNanos}; arrivals due at the same moment come before a dispatch. */
    static void runUntil(PortalNpuScheduler scheduler, VirtualClock clock, long untilNanos) {
        while (clock.nanos() < untilNanos) {
            clock.advanceTo(clock.nanos());
            if (scheduler.step() == 0) {
                clock.parkUntil(untilNanos);
            }
        }
    }
}
