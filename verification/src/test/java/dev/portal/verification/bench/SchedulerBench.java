package dev.portal.verification.bench;

import dev.portal.base.Clock;
import dev.portal.base.SystemClock;
import dev.portal.scheduler.PortalNpuScheduler;
import dev.portal.scheduler.SchedulerOptions;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Measures the arbiter and prints the ratios that matter: {@code ./portal bench scheduler}. All figures are of one run on
 * one machine; each is the median of its iterations, so that a neighbour's burst of work does not decide.
 */
public final class SchedulerBench {
    private static final long IDLE_NANOS = 2_000_000_000;

    private record Measured(double nanos, double bytes) {}

    private SchedulerBench() {}

    /** Runs all, or those whose names match the first argument. */
    public static void main(String[] args) throws RunnerException {
        String include = SchedulerBenchmarks.class.getSimpleName() + "." + (args.length > 0 ? args[0] : "*");
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .include(include)
                        .addProfiler(GCProfiler.class)
                        .build())
                .run();
        Map<String, Measured> measured = new TreeMap<>();
        for (RunResult result : results) {
            measured.put(result.getPrimaryResult().getLabel(), median(result));
        }
        System.out.println();
        System.out.println("scheduler, one run, medians");
        measured.forEach((name, m) ->
                System.out.printf(Locale.ROOT, "  %-20s %10.0f ns  %6.0f bytes%n", name, m.nanos, m.bytes));
        difference(measured, "direct", "bareCall", "direct submission over the bare call, aim 200 ns or less");
        System.out.println("against a ThreadPoolExecutor of one thread with a priority queue of 16");
        ratio(measured, "roundTripParked", "roundTripExecutor", "  round trip, parked, aim 1 or less");
        ratio(measured, "roundTripSpinning", "roundTripExecutor", "  round trip, spinning, aim 0.5 or less");
        ratio(measured, "handoverParked", "handoverExecutor", "  handover to the lane's thread, parked, aim 1 or less");
        ratio(measured, "handoverSpinning", "handoverExecutor", "  handover, spinning, aim 0.5 or less");
        ratio(measured, "burstExecutor", "burstParked", "  throughput, parked, aim 2 or more");
        ratio(measured, "burstExecutor", "burstSpinning", "  throughput, spinning, aim 2 or more");
        System.out.printf(
                Locale.ROOT,
                "idle lanes use %.3f %% of a processor parked, %.3f %% spinning%n",
                idlePercent(0),
                idlePercent(SchedulerOptions.SPINNING_NANOS));
    }

    private static Measured median(RunResult result) {
        double[] nanos = result.getBenchmarkResults().stream()
                .flatMap(fork -> fork.getIterationResults().stream())
                .mapToDouble(iteration -> iteration.getPrimaryResult().getScore())
                .sorted()
                .toArray();
        double bytes = Double.NaN;
        for (String name : result.getSecondaryResults().keySet()) {
            if (name.endsWith("gc.alloc.rate.norm")) {
                bytes = result.getSecondaryResults().get(name).getScore();
            }
        }
        return new Measured(nanos[nanos.length / 2], bytes);
    }

    private static void difference(Map<String, Measured> measured, String a, String b, String what) {
        both(measured, a, b).ifPresent(m -> System.out.printf(Locale.ROOT, "%-55s %6.0f ns%n", what, m[0] - m[1]));
    }

    private static void ratio(Map<String, Measured> measured, String a, String b, String what) {
        both(measured, a, b).ifPresent(m -> System.out.printf(Locale.ROOT, "%-55s %6.2f%n", what, m[0] / m[1]));
    }

    private static Optional<double[]> both(Map<String, Measured> measured, String a, String b) {
        Measured first = measured.get(a);
        Measured second = measured.get(b);
        return first == null || second == null
                ? Optional.empty()
                : Optional.of(new double[] {first.nanos, second.nanos});
    }

    /** The processor time of the lanes' threads while nothing is submitted. */
    private static double idlePercent(long spinNanos) {
        Clock clock = new SystemClock();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        PortalNpuScheduler lanes = SchedulerBenchmarks.scheduler(spinNanos);
        waitFor(clock, IDLE_NANOS / 4);
        long before = laneNanos(threads);
        waitFor(clock, IDLE_NANOS);
        long used = laneNanos(threads) - before;
        lanes.close();
        return 100.0 * used / IDLE_NANOS;
    }

    private static void waitFor(Clock clock, long nanos) {
        long until = clock.nanos() + nanos;
        while (clock.nanos() < until) {
            clock.parkUntil(until);
        }
    }

    private static long laneNanos(ThreadMXBean threads) {
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(info -> info != null && info.getThreadName().startsWith("npu-core-"))
                .mapToLong(ThreadInfo::getThreadId)
                .map(threads::getThreadCpuTime)
                .sum();
    }
}
