package dev.portal.verification.bench;

import dev.portal.base.SystemClock;
import dev.portal.scheduler.NpuCore;
import dev.portal.scheduler.NpuDetection;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuJobResult.Completed;
import dev.portal.scheduler.NpuPriority;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.PortalNpuScheduler;
import dev.portal.scheduler.Preemption;
import dev.portal.scheduler.SchedulerListener;
import dev.portal.scheduler.SchedulerOptions;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the arbiter costs, with a job that does next to nothing: alone, through the direct path, and through a lane's
 * queue, next to the executor that one would use otherwise. {@link SchedulerBench} runs them and prints the ratios.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 7, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class SchedulerBenchmarks {
    /** Jobs of one burst; 16 of them are outstanding at any time. */
    static final int BURST = 1024;

    private static final int OUTSTANDING = SchedulerOptions.CORE1_QUEUE_CAPACITY;

    private final NpuJob job = new NpuJob() {
        @Override
        public NpuWorkload workload() {
            return NpuWorkload.STT_ENCODER;
        }

        @Override
        public NpuJobResult execute(Preemption preemption) {
            return NpuJobResult.DONE;
        }
    };

    private final CompletableFuture<?>[] outstanding = new CompletableFuture<?>[OUTSTANDING];
    private final PortalNpuScheduler parked = scheduler(0);
    private final PortalNpuScheduler spinning = scheduler(SchedulerOptions.SPINNING_NANOS);
    private final BoundedPriorityExecutor executor = new BoundedPriorityExecutor(OUTSTANDING);

    /** An arbiter of three cores with threads, on the machine's clock. */
    static PortalNpuScheduler scheduler(long spinNanos) {
        NpuDetection emulated =
                NpuDetection.detect("any", Map.of(NpuDetection.TRANSPORT_VARIABLE, "emulated"), path -> false);
        return PortalNpuScheduler.start(
                emulated,
                SchedulerOptions.defaults().withSpinNanos(spinNanos),
                new SystemClock(),
                SchedulerListener.NONE);
    }

    /** Burst benchmarks start with nothing outstanding. */
    @Setup(Level.Iteration)
    public void forget() {
        Arrays.fill(outstanding, CompletableFuture.completedFuture(NpuJobResult.DONE));
    }

    @TearDown
    public void close() {
        parked.close();
        spinning.close();
        executor.close();
    }

    @Benchmark
    public NpuJobResult bareCall() throws Exception {
        return job.execute(Preemption.NEVER);
    }

    @Benchmark
    public Completed direct() {
        return parked.submitInference(NpuCore.STT, job);
    }

    @Benchmark
    public Completed roundTripParked() {
        return shared(parked, job).join();
    }

    @Benchmark
    public Completed roundTripSpinning() {
        return shared(spinning, job).join();
    }

    @Benchmark
    public Completed roundTripExecutor() {
        return executor.submit(job).join();
    }

    /** As the round trip, but the caller leaves the job to the lane's thread, as one that takes a callback does. */
    @Benchmark
    public Completed handoverParked() throws Exception {
        return shared(parked, job).get(1, TimeUnit.HOURS);
    }

    @Benchmark
    public Completed handoverSpinning() throws Exception {
        return shared(spinning, job).get(1, TimeUnit.HOURS);
    }

    @Benchmark
    public Completed handoverExecutor() throws Exception {
        return executor.submit(job).get(1, TimeUnit.HOURS);
    }

    @Benchmark
    @OperationsPerInvocation(BURST)
    public Object burstParked() {
        return burst(next -> shared(parked, next));
    }

    @Benchmark
    @OperationsPerInvocation(BURST)
    public Object burstSpinning() {
        return burst(next -> shared(spinning, next));
    }

    @Benchmark
    @OperationsPerInvocation(BURST)
    public Object burstExecutor() {
        return burst(executor::submit);
    }

    private static CompletableFuture<Completed> shared(PortalNpuScheduler scheduler, NpuJob job) {
        return scheduler.sharedSubmit(NpuWorkload.STT_ENCODER, NpuPriority.MEDIUM, job);
    }

    /** Submits BURST jobs, always waiting for the oldest first, so that no more than 16 are outstanding. */
    private Object burst(Function<NpuJob, CompletableFuture<Completed>> submit) {
        Object last = NpuJobResult.DONE;
        for (int i = 0; i < BURST; i++) {
            int slot = i % OUTSTANDING;
            last = outstanding[slot].join();
            outstanding[slot] = submit.apply(job);
        }
        return last;
    }
}
