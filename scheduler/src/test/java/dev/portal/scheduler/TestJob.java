package dev.portal.scheduler;

import dev.portal.base.VirtualClock;
import java.util.ArrayList;
import java.util.List;

/** A job of a given number of segments, each of a given virtual time, which obeys between them. */
class TestJob implements NpuJob {
    /** One call of execute. */
    record Run(long startNanos, long endNanos) {}

    private final VirtualClock clock;
    private final NpuWorkload workload;
    private final NpuPriority priority;
    private final long segmentNanos;
    private final int segments;
    final List<Run> runs = new ArrayList<>();
    int done;
    boolean ended;

    TestJob(VirtualClock clock, NpuWorkload workload, NpuPriority priority, int segments, long segmentNanos) {
        this.clock = clock;
        this.workload = workload;
        this.priority = priority;
        this.segments = segments;
        this.segmentNanos = segmentNanos;
    }

    /** One segment at the workload's own priority. */
    static TestJob once(VirtualClock clock, NpuWorkload workload, long nanos) {
        return new TestJob(clock, workload, workload.conventionalPriority(), 1, nanos);
    }

    int dispatches() {
        return runs.size();
    }

    long firstStartNanos() {
        return runs.getFirst().startNanos();
    }

    long endNanos() {
        return runs.getLast().endNanos();
    }

    int segmentCount() {
        return segments;
    }

    long costNanos() {
        return segments * segmentNanos;
    }

    @Override
    public NpuWorkload workload() {
        return workload;
    }

    @Override
    public NpuPriority priority() {
        return priority;
    }

    @Override
    public long segmentNanos() {
        return segmentNanos;
    }

    /** What happens in one segment; the clock passes by default. */
    void segment(Preemption preemption) throws Exception {
        clock.advance(segmentNanos);
    }

    @Override
    public NpuJobResult execute(Preemption preemption) throws Exception {
        if (ended) {
            throw new AssertionError(workload + " is run again after its end");
        }
        long start = clock.nanos();
        try {
            do {
                segment(preemption);
                done++;
            } while (done < segments && !preemption.requested());
        } finally {
            runs.add(new Run(start, clock.nanos()));
        }
        ended = done == segments;
        return ended ? NpuJobResult.DONE : NpuJobResult.YIELDED;
    }
}
