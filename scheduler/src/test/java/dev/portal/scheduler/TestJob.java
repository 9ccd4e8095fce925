package dev.portal.scheduler;

import dev.portal.base.Clock;

/** A job of a given number of segments, each of which takes a given virtual time, and which obeys between them. */
class TestJob implements NpuJob {
    private final Clock clock;
    private final NpuWorkload workload;
    private final NpuPriority priority;
    private final long segmentNanos;
    private final int segments;
    int done;
    int dispatches;
    boolean ended;
    long firstStartNanos = -1;
    long endNanos = -1;

    TestJob(Clock clock, NpuWorkload workload, NpuPriority priority, int segments, long segmentNanos) {
        this.clock = clock;
        this.workload = workload;
        this.priority = priority;
        this.segments = segments;
        this.segmentNanos = segmentNanos;
    }

    /** One segment at the workload's own priority. */
    static TestJob once(Clock clock, NpuWorkload workload, long nanos) {
        return new TestJob(clock, workload, workload.conventionalPriority(), 1, nanos);
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

    @Override
    public NpuJobResult execute(Preemption preemption) throws Exception {
        if (ended) {
            throw new AssertionError("run again after its end");
        }
        dispatches++;
        if (firstStartNanos < 0) {
            firstStartNanos = clock.nanos();
        }
        do {
            long end = clock.nanos() + segmentNanos;
            while (clock.nanos() < end) {
                clock.parkUntil(end);
            }
            done++;
        } while (done < segments && !preemption.requested());
        if (done < segments) {
            return NpuJobResult.YIELDED;
        }
        ended = true;
        endNanos = clock.nanos();
        return NpuJobResult.DONE;
    }
}
