package dev.portal.verification.bench;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.function.DoubleBinaryOperator;
import java.util.function.Supplier;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * The host side of RK3588 products and the emulated chip's fast path, as ratios to C: {@code ./portal bench rk}.
 *
 * <p>First JMH, with its allocation profiler. Then Java and C of the same work take turns in one
 * run, some twenty milliseconds each; what counts is the processor time of the working thread, so that what else the machine
 * does takes nothing away, and the median of the turns' ratios. All figures are {@code host}.
 */
public final class RkBench {
    private static final int WARM_UP_TURNS = 12;
    private static final int TURNS = 41;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final RkBenchmarks work = new RkBenchmarks();
    private Object sink = work;

    private RkBench() {}

    /** Runs all; {@code --turns} leaves JMH out. */
    public static void main(String[] args) throws RunnerException, IOException, InterruptedException {
        if (!Arrays.asList(args).contains("--turns")) {
            jmh();
        }
        new RkBench().compare();
    }

    private static void jmh() throws RunnerException {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .include(RkBenchmarks.class.getSimpleName() + "\\.")
                        .addProfiler(GCProfiler.class)
                        .build())
                .run();
        print("rk, JMH, host");
        for (RunResult result : results) {
            double bytes = Double.NaN;
            for (String name : result.getSecondaryResults().keySet()) {
                if (name.endsWith("gc.alloc.rate.norm")) {
                    bytes = result.getSecondaryResults().get(name).getScore();
                }
            }
            print(
                    "  %-16s %12.1f ns an operation, %.1f bytes allocated",
                    result.getPrimaryResult().getLabel(),
                    result.getPrimaryResult().getScore(),
                    bytes);
        }
    }

    private void compare() throws IOException, InterruptedException {
        Optional<NativePeer> started = NativePeer.start();
        if (started.isEmpty()) {
            print("no gcc here, so no C to compare with; the package gcc brings it");
            return;
        }
        try (NativePeer peer = started.get()) {
            print(
                    "Java beside C (%s), %d turns each in one run, processor time, medians, host",
                    NativePeer.FLAGS, TURNS);
            row("encode a program", "ns", 1, 30_000, work::encode, peer, "encode %d", (java, c) -> java / c, "0.50");
            long bytes = (long) RkBenchmarks.K * RkBenchmarks.N;
            row("pack B", "GB/s", bytes, 1, work::packB, peer, "copy " + bytes + " %d", (java, c) -> c / java, "");
            row(
                    "emulated 1x512x512 int8",
                    "ns",
                    1,
                    1_000,
                    work::engineRow,
                    peer,
                    "product 512 512 %d",
                    (java, c) -> java / c,
                    "2.00");
            long inC = peer.turn("product 512 512 1").check();
            if (inC != work.engineRow()[511]) {
                throw new IllegalStateException("C computes " + inC + ", Java " + work.engineRow()[511]);
            }
        }
    }

    /** @param aim the ratio that is wanted at most, empty where there is none: then more is better */
    private void row(
            String name,
            String unit,
            long bytes,
            int rounds,
            Supplier<Object> java,
            NativePeer peer,
            String command,
            DoubleBinaryOperator ratio,
            String aim) {
        double[] inJava = new double[TURNS];
        double[] inC = new double[TURNS];
        double[] ratios = new double[TURNS];
        long allocated = 0;
        for (int i = -WARM_UP_TURNS; i < TURNS; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            double javaNanos = turn(java, rounds);
            long now = threads.getCurrentThreadAllocatedBytes();
            double nativeNanos =
                    peer.turn(String.format(Locale.ROOT, command, rounds)).nanos();
            if (i >= 0) {
                allocated += now - before;
                inJava[i] = unit.equals("ns") ? javaNanos : bytes / javaNanos;
                inC[i] = unit.equals("ns") ? nativeNanos : bytes / nativeNanos;
                ratios[i] = ratio.applyAsDouble(javaNanos, nativeNanos);
            }
        }
        print(
                "  %-26s Java %10.2f %s, C %10.2f %s, ratio %.2f (quartiles %.2f to %.2f)%s;"
                        + " %.2f bytes allocated an operation",
                name,
                quantile(inJava, 0.5),
                unit,
                quantile(inC, 0.5),
                unit,
                quantile(ratios, 0.5),
                quantile(ratios, 0.25),
                quantile(ratios, 0.75),
                aim.isEmpty() ? ", of memcpy's speed" : ", aim " + aim + " or less",
                (double) allocated / ((long) TURNS * rounds));
    }

    private double turn(Supplier<Object> java, int rounds) {
        long start = threads.getCurrentThreadCpuTime();
        for (int i = 0; i < rounds; i++) {
            sink = java.get();
        }
        return (double) (threads.getCurrentThreadCpuTime() - start) / rounds;
    }

    private static double quantile(double[] values, double part) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[(int) (part * (sorted.length - 1))];
    }

    private static void print(String format, Object... values) {
        System.out.printf(Locale.ROOT, format + "%n", values);
    }

    @Override
    public String toString() {
        return String.valueOf(sink);
    }
}
