package dev.portal.scheduler;

import dev.portal.base.Clock;
import dev.portal.base.TraceRing;
import dev.portal.scheduler.NpuJobResult.Completed;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The refuge while there is no NPU: the same queue, preemption, starvation bound and trace over CPU threads. It has no
 * monitor and no registry, and says nothing about the NPU.
 *
 * <p>VAD, which has no home core, shares the lane of speech recognition. Any thread.
 */
public final class CpuLanes implements Inference, AutoCloseable {
    private final LaneSet lanes;

    private CpuLanes(SchedulerOptions options, Clock clock, SchedulerListener listener, boolean threaded) {
        this.lanes = new LaneSet(new LaneContext(
                "cpu-lane-", options, clock, listener, (workload, runningNanos, success) -> {}, false, threaded));
    }

    /** Lanes with threads. {@code lanesPerDevice} is how many of them compute at once. */
    public static CpuLanes start(SchedulerOptions options, Clock clock, SchedulerListener listener) {
        return new CpuLanes(options, clock, listener, true);
    }

    /** Lanes run by {@link #step()} and by waiting; for one thread. */
    public static CpuLanes stepped(SchedulerOptions options, Clock clock, SchedulerListener listener) {
        return new CpuLanes(options, clock, listener, false);
    }

    @Override
    public CompletableFuture<Completed> submit(NpuJob job) {
        return submit(job, job.priority());
    }

    /** The same at a priority other than the job's own. */
    public CompletableFuture<Completed> submit(NpuJob job, NpuPriority priority) {
        try {
            return laneOf(job).admit(job, priority);
        } catch (NpuException refusal) {
            return CompletableFuture.failedFuture(refusal);
        }
    }

    @Override
    public Completed run(NpuJob job) {
        return laneOf(job).submit(job);
    }

    private Lane laneOf(NpuJob job) {
        return lanes.lane(job.workload().homeCore().orElse(NpuCore.STT));
    }

    /** Statistics of each lane, by index. */
    public List<NpuCoreUtilization> utilization() {
        return lanes.utilization();
    }

    /** What was measured of each workload that ran here. */
    public List<WorkloadTelemetry> workloads() {
        return lanes.workloads();
    }

    /** Jobs that wait. */
    public int queueDepth() {
        return lanes.depth();
    }

    /**
     * What the language model's reservation promises, from what was measured; empty where none is set.
     *
     * @param dispatchNanos what the host takes to wake a lane and switch to it
     */
    public Optional<ReservationBound> reservation(long dispatchNanos) {
        return lanes.reservation(dispatchNanos);
    }

    /** The longest time that a job of the language model waited while none was served, in nanoseconds. */
    public long llmLongestPauseNanos() {
        return lanes.llmLongestPauseNanos();
    }

    /** What the flight recorders of the lanes still have, by time. */
    public List<TraceRing.Event<LaneEvent>> events() {
        return lanes.events();
    }

    /** How often {@code event} was recorded since the beginning. */
    public long count(LaneEvent event) {
        return lanes.count(event);
    }

    /** Runs one dispatch on each lane that has one to run; returns how many ran. Without threads only. */
    public int step() {
        return lanes.lanes().stream().mapToInt(Lane::doWork).sum();
    }

    /** As {@link PortalNpuScheduler#close()}. */
    @Override
    public void close() {
        lanes.close();
    }
}
