package dev.portal.app.trace;

import dev.portal.scheduler.JobTrace;
import dev.portal.scheduler.NpuCore;
import dev.portal.scheduler.NpuMonitor;
import dev.portal.scheduler.NpuPriority;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.SchedulerListener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Keeps the traces of the last jobs of a run, and what the arbiter warned of. Several lanes may report to one recorder.
 *
 * <p>Any thread.
 */
public final class RunRecorder implements SchedulerListener {
    private final int capacity;
    private final Deque<JobTrace> jobs = new ArrayDeque<>();
    private final Deque<String> warnings = new ArrayDeque<>();
    private long dropped;

    /** Keeps the last {@code capacity} jobs and as many warnings. */
    public RunRecorder(int capacity) {
        this.capacity = capacity;
    }

    @Override
    public synchronized void jobEnded(JobTrace trace) {
        jobs.addLast(trace);
        if (jobs.size() > capacity) {
            jobs.removeFirst();
            dropped++;
        }
    }

    @Override
    public void refused(NpuCore core, NpuWorkload workload, NpuPriority priority) {
        warn("the queue of " + core + " was full: a " + priority + " job of " + workload + " was refused");
    }

    @Override
    public void promoted(NpuCore core, NpuWorkload workload, long jobId) {
        warn(workload + " job " + jobId + " on " + core + " had waited too long and was made HIGH");
    }

    @Override
    public void overran(NpuCore core, NpuWorkload workload, long jobId, long declaredNanos, long tookNanos) {
        warn(workload + " job " + jobId + " on " + core + " looked at the preempt flag after " + tookNanos / 1000
                + " µs; it declared " + declaredNanos / 1000 + " µs");
    }

    @Override
    public void healthChanged(NpuMonitor.Status from, NpuMonitor.Status to, int consecutiveFailures) {
        warn("the NPU went from " + from + " to " + to + " (" + consecutiveFailures + " failures in a row)");
    }

    @Override
    public void memoryAbove(long totalBytes, long limitBytes) {
        warn("registered models take " + totalBytes / (1024 * 1024) + " MB, above " + limitBytes / (1024 * 1024)
                + " MB");
    }

    private synchronized void warn(String text) {
        warnings.addLast(text);
        if (warnings.size() > capacity) {
            warnings.removeFirst();
        }
    }

    /** The jobs that ended, oldest first. */
    public synchronized List<JobTrace> jobs() {
        return new ArrayList<>(jobs);
    }

    /** What the arbiter warned of, oldest first. */
    public synchronized List<String> warnings() {
        return new ArrayList<>(warnings);
    }

    /** Jobs that ended and are kept no longer. */
    public synchronized long dropped() {
        return dropped;
    }
}
