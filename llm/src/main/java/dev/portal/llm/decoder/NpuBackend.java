package dev.portal.llm.decoder;

import dev.portal.base.Clock;
import dev.portal.kernel.DeviceException;
import dev.portal.llm.LlmException;
import dev.portal.llm.LlmException.Kind;
import dev.portal.llm.gguf.GgufTensor;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.StopStrategy;
import dev.portal.scheduler.Preemption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Matrices in the format I8 on the RK3588's NPU, or split by outputs between it and the processor. Weights are packed
 * once and stay in device memory; a step runs compiled chains, so that nothing is encoded for a token.
 *
 * <p>The sums are exact, so the text is that of {@link CpuBackend#int8()}, whatever the share, the cores, and the places
 * where chains are stopped.
 */
public final class NpuBackend implements Backend {
    private static final int NPU_ROUNDS = 3;
    private static final int CPU_ROUNDS = 100_000;
    private static final long MEASURED_NANOS = 600_000_000;

    private final NpuOptions options;
    private final RknpuDevice device;
    private final CpuScratch scratch;
    private final CpuBackend.Int8Store store;
    private final List<NpuGroup> groups = new ArrayList<>();
    private final NpuWork work = new NpuWork();
    private final Runnable afterwards;
    /** Null where the share is pinned. */
    private final @Nullable Meter meter;
    /** What was measured, by the sizes of the group's matrices. */
    private final Map<List<Long>, Times> measured = new HashMap<>();

    private long measuredBytes;
    private final long[] measuredNanos = new long[2];
    private long plannedMacs;
    private long plannedNpuMacs;

    private NpuBackend(
            RknpuDevice device,
            NpuOptions options,
            @Nullable Meter meter,
            CpuScratch scratch,
            long freeBytes,
            Runnable afterwards) {
        this.device = device;
        this.options = options;
        this.meter = meter;
        this.scratch = scratch;
        this.afterwards = afterwards;
        store = new CpuBackend.Int8Store(freeBytes);
    }

    /**
     * How the NPU is used.
     *
     * @param share of each matrix's outputs that the NPU computes, above 0 to 1; the rest is the processor's meanwhile
     * @param cores 1 to as many as the chip has
     * @param strategy how a chain is stopped when something more urgent waits
     * @param time how the processor's part passes on the device's clock
     * @param listener hears when the parts of each group began and ended
     */
    public record NpuOptions(
            double share, int cores, StopStrategy strategy, ProcessorTime time, SplitListener listener) {
        public NpuOptions {
            if (!(share > 0 && share <= 1) || cores < 1) {
                throw new IllegalArgumentException(
                        "a share of " + share + " on " + cores + " cores; above 0 to 1, and 1 core or more");
            }
        }

        /** Without clock and listener. */
        public NpuOptions(double share, int cores, StopStrategy strategy) {
            this(share, cores, strategy, ProcessorTime.NONE, SplitListener.NONE);
        }

        /** With a clock and a listener. */
        public NpuOptions timed(ProcessorTime with, SplitListener hears) {
            return new NpuOptions(share, cores, strategy, with, hears);
        }
    }

    /**
     * What one group of matrices takes for one token, in ns.
     *
     * @param npuNanos with all outputs on the NPU, above 0
     * @param cpuNanos with all on the processor, above 0
     */
    public record Times(long npuNanos, long cpuNanos) {
        public Times {
            if (npuNanos <= 0 || cpuNanos <= 0) {
                throw new IllegalArgumentException(
                        "times of " + npuNanos + " and " + cpuNanos + " ns; both are above 0");
            }
        }

        /** The share with which NPU and processor end together. */
        public double share() {
            return (double) cpuNanos / (npuNanos + cpuNanos);
        }
    }

    /** Measures both. */
    @FunctionalInterface
    public interface Meter {
        /** Runs each as often as it needs; each run is the same work. */
        Times measure(Runnable onNpu, Runnable onCpu);

        /** For reports: whose clock the NPU's time is of. */
        default String npuLabel() {
            return "board";
        }

        /**
         * The shortest of several runs, the first not counted.
         *
         * @param npuClock the device's
         * @param npuLabel {@code model} for an emulated device
         * @param cpuClock the host's
         */
        static Meter of(Clock npuClock, String npuLabel, Clock cpuClock) {
            return new ClockMeter(npuClock, npuLabel, cpuClock);
        }
    }

    private record ClockMeter(Clock npuClock, String npuLabel, Clock cpuClock) implements Meter {
        @Override
        public Times measure(Runnable onNpu, Runnable onCpu) {
            return new Times(shortest(npuClock, onNpu, NPU_ROUNDS), shortest(cpuClock, onCpu, CPU_ROUNDS));
        }

        private static long shortest(Clock clock, Runnable work, int most) {
            work.run();
            long began = clock.nanos();
            long shortest = Long.MAX_VALUE;
            for (int round = 0; round < 3 || (round < most && clock.nanos() - began < MEASURED_NANOS); round++) {
                long start = clock.nanos();
                work.run();
                shortest = Math.min(shortest, clock.nanos() - start);
            }
            return Math.max(1, shortest);
        }
    }

    /** On a device that stays the caller's. */
    public static Factory on(RknpuDevice device, NpuOptions options) {
        return (scratch, free) -> new NpuBackend(device, options, null, scratch, free, () -> {});
    }

    /** As {@link #on(RknpuDevice, NpuOptions)}, with the share of each group chosen by measurement, not the options'. */
    public static Factory on(RknpuDevice device, NpuOptions options, Meter meter) {
        return (scratch, free) -> new NpuBackend(device, options, meter, scratch, free, () -> {});
    }

    /** On a device that is closed with the back end. */
    public static Factory owning(RknpuDevice device, NpuOptions options) {
        return (scratch, free) -> new NpuBackend(device, options, null, scratch, free, device::close);
    }

    /** As {@link #owning(RknpuDevice, NpuOptions)}, with the share of each group chosen by measurement. */
    public static Factory owning(RknpuDevice device, NpuOptions options, Meter meter) {
        return (scratch, free) -> new NpuBackend(device, options, meter, scratch, free, device::close);
    }

    @Override
    public String name() {
        double share = meter == null || plannedMacs == 0 ? options.share() : (double) plannedNpuMacs / plannedMacs;
        String text = "npu, I8, " + Math.round(100 * share) + " % of the outputs on " + options.cores() + " cores";
        return meter == null || measuredBytes == 0 ? text : text + ", " + chosen(meter);
    }

    /** A byte in a nanosecond is a GB/s. */
    private String chosen(Meter by) {
        return String.format(
                Locale.ROOT,
                "chosen by weights read: NPU %.1f GB/s (%s), CPU %.1f GB/s (host)",
                (double) measuredBytes / measuredNanos[0],
                by.npuLabel(),
                (double) measuredBytes / measuredNanos[1]);
    }

    @Override
    public LinearGroup group(List<GgufTensor> tensors) {
        List<Int8Weights> weights = tensors.stream().map(store::weights).toList();
        NpuGroup group;
        try {
            int outputs = weights.stream().mapToInt(Int8Weights::outputs).sum();
            double share =
                    meter == null ? options.share() : times(meter, weights).share();
            group = made(Split.of(share, options.cores(), outputs), weights, work);
        } catch (DeviceException e) {
            throw new LlmException(
                    Kind.OUT_OF_MEMORY,
                    "tensor '" + tensors.getFirst().name() + "' does not go to the NPU: " + e.getMessage()
                            + "; take a smaller model, or --device cpu",
                    e);
        }
        groups.add(group);
        plannedMacs += macs(weights);
        plannedNpuMacs += group.npuMacs();
        return group;
    }

    private NpuGroup made(Split split, List<Int8Weights> weights, NpuWork counts) {
        List<Int8Linear> matrices =
                weights.stream().map(matrix -> new Int8Linear(matrix, scratch)).toList();
        return new NpuGroup(device, split, options, scratch, weights, matrices, counts, groups.size());
    }

    private static long macs(List<Int8Weights> weights) {
        return weights.stream()
                .mapToLong(matrix -> (long) matrix.outputs() * matrix.columns())
                .sum();
    }

    private Times times(Meter by, List<Int8Weights> weights) {
        List<Long> sizes = new ArrayList<>();
        weights.forEach(matrix -> sizes.add((long) matrix.outputs() << 32 | matrix.columns()));
        Times known = measured.get(sizes);
        if (known != null) {
            return known;
        }
        Times fresh;
        int outputs = weights.stream().mapToInt(Int8Weights::outputs).sum();
        NpuGroup whole = made(new Split(options.cores(), outputs), weights, new NpuWork());
        try {
            float[] x = new float[weights.getFirst().inputs()];
            Arrays.fill(x, 1);
            float[][] y = new float[weights.size()][];
            Arrays.setAll(y, i -> new float[weights.get(i).outputs()]);
            CpuGroup processor = new CpuGroup(weights.stream()
                    .map(matrix -> (Linear) new Int8Linear(matrix, scratch))
                    .toList());
            fresh = by.measure(
                    () -> whole.apply(x, y, 1, Preemption.NEVER), () -> processor.apply(x, y, 1, Preemption.NEVER));
        } finally {
            whole.close();
        }
        measured.put(sizes, fresh);
        measuredBytes += macs(weights);
        measuredNanos[0] += fresh.npuNanos();
        measuredNanos[1] += fresh.cpuNanos();
        return fresh;
    }

    @Override
    public double npuShare() {
        return work.share();
    }

    @Override
    public void close() {
        try {
            groups.forEach(NpuGroup::close);
        } finally {
            store.close();
            afterwards.run();
        }
    }

    /** Multiply-adds so far. */
    static final class NpuWork {
        private long npu;
        private long all;

        void add(long onNpu, long together) {
            npu += onNpu;
            all += together;
        }

        double share() {
            return all == 0 ? 0 : (double) npu / all;
        }
    }
}
