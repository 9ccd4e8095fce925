package dev.portal.scheduler;

import dev.portal.base.AgentRunner;
import dev.portal.base.Clock;
import dev.portal.base.TraceRing;
import dev.portal.scheduler.NpuJobResult.Completed;
import dev.portal.scheduler.NpuMonitor.Status;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The arbiter of the NPU: reservations, lanes, monitor and registry put together. It decides nothing itself.
 *
 * <p>{@link #start} gives each lane a thread. {@link #stepped} gives none: {@link #step()} runs what there is to run on
 * the caller's thread, and a wait for a job steps the lanes until it is done. With a virtual clock a run replays exactly.
 */
public final class PortalNpuScheduler implements NpuScheduler, AutoCloseable {
    private final boolean available;
    private final String whyUnavailable;
    private final CoreReservations reservations;
    private final ModelRegistry registry;
    private final NpuMonitor monitor;
    private final LaneSet lanes;
    private final Admission admission;
    private final @Nullable CanaryAgent canary;
    private final @Nullable AgentRunner canaryRunner;

    private PortalNpuScheduler(
            NpuDetection detection,
            SchedulerOptions options,
            Clock clock,
            SchedulerListener listener,
            boolean threaded) {
        this.available = detection.available();
        this.whyUnavailable = detection.why();

        this.reservations = new CoreReservations(options.cores() == 1);
        this.registry = new ModelRegistry(clock, options.memoryWarningBytes(), Files::size, listener::memoryAbove);
        this.monitor =
                new NpuMonitor(clock, options, available ? Status.HEALTHY : Status.FALLBACK, listener::healthChanged);
        this.lanes =
                new LaneSet(new LaneContext("npu-core-", options, clock, listener, this::recordResult, true, threaded));
        this.admission = new Admission(options.starvationNanos(), options.reservation());
        SchedulerOptions.Canary way = options.canary();
        this.canary = way == null || !available ? null : new CanaryAgent(this, monitor, way, clock);
        this.canaryRunner = canary == null || way == null || !threaded
                ? null
                : new AgentRunner(
                                canary,
                                clock,
                                0,
                                way.periodNanos(),
                                (thread, defect) -> thread.getThreadGroup().uncaughtException(thread, defect))
                        .start();
    }

    /** An arbiter whose lanes have threads, named by core. */
    public static PortalNpuScheduler start(
            NpuDetection detection, SchedulerOptions options, Clock clock, SchedulerListener listener) {
        return new PortalNpuScheduler(detection, options, clock, listener, true);
    }

    /** An arbiter whose lanes are run by {@link #step()} and by waiting; for one thread. */
    public static PortalNpuScheduler stepped(
            NpuDetection detection, SchedulerOptions options, Clock clock, SchedulerListener listener) {
        return new PortalNpuScheduler(detection, options, clock, listener, false);
    }

    private void recordResult(NpuWorkload workload, long runningNanos, boolean success) {
        if (success) {
            monitor.recordSuccess();
        } else {
            monitor.recordFailure();
        }
        registry.record(workload, runningNanos / 1000, success);
    }

    @Override
    public boolean isAvailable() {
        return available;
    }

    @Override
    public NpuCoreReservation allocateCore(NpuCore core, NpuWorkload workload, NpuPriority priority) {
        return reservations.allocate(core, workload, priority);
    }

    @Override
    public void releaseCore(NpuCoreReservation reservation) {}

    @Override
    public Completed submitInference(NpuCore core, NpuJob job) {
        if (!available) {
            throw new NpuException.NotAvailable(whyUnavailable);
        }
        homeOf(job.workload());
        return lanes.lane(core).submit(job);
    }

    @Override
    public CompletableFuture<Completed> sharedSubmit(NpuWorkload workload, NpuPriority priority, NpuJob job) {
        try {
            if (!available) {
                throw new NpuException.NotAvailable(whyUnavailable);
            }
            return lanes.lane(homeOf(workload)).admit(job, priority);
        } catch (NpuException refusal) {
            return CompletableFuture.failedFuture(refusal);
        }
    }

    private static NpuCore homeOf(NpuWorkload workload) {
        return workload.homeCore()
                .orElseThrow(() -> new NpuException.CoreAllocationFailed(CoreReservations.VAD_REFUSAL));
    }

    @Override
    public List<NpuCoreUtilization> utilization() {
        return lanes.utilization();
    }

    @Override
    public int queueDepth() {
        return lanes.depth();
    }

    @Override
    public void registerModel(NpuCore core, NpuWorkload workload, String modelPath) {
        registry.register(core, workload, modelPath);
    }

    @Override
    public void unregisterModel(NpuCore core, NpuWorkload workload) {
        registry.unregister(core, workload);
    }

    @Override
    public void recordInferenceFor(NpuWorkload workload, long inferenceUs, boolean success) {
        registry.record(workload, inferenceUs, success);
    }

    @Override
    public List<RegisteredModel> registeredModels() {
        return registry.models();
    }

    /**
     * Where workloads with a deadline are admitted, or refused with who would miss it. The table takes all of them as
     * sharing one run token, the case of one DSP; with a token a core the answer is on the safe side.
     */
    public Admission admission() {
        return admission;
    }

    /** Takes what was measured into the admitted workloads; says whose promise is broken by it, one line each. */
    public List<String> reviewAdmission() {
        return lanes.workloads().stream()
                .filter(w -> w.segmentMaxNanos() > 0)
                .flatMap(w -> admission.measured(w.workload(), w.segmentMaxNanos()).stream())
                .toList();
    }

    /** The device's health. */
    public NpuMonitor monitor() {
        return monitor;
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

    /** All of it at once. */
    public SchedulerTelemetry telemetry() {
        return new SchedulerTelemetry(
                available,
                monitor.status(),
                monitor.consecutiveFailures(),
                queueDepth(),
                utilization(),
                lanes.workloads());
    }

    /** Runs one dispatch on each lane that has one to run, and the canary; returns how many ran. Without threads only. */
    public int step() {
        int done = canary == null ? 0 : canary.doWork();
        for (Lane lane : lanes.lanes()) {
            done += lane.doWork();
        }
        return done;
    }

    /**
     * Takes no more jobs. Each job that waits fails with {@link NpuException.Closed}; each that runs is asked to stop and
     * waited for, five seconds at most.
     */
    @Override
    public void close() {
        if (canaryRunner != null) {
            canaryRunner.close();
        }
        lanes.close();
    }
}
