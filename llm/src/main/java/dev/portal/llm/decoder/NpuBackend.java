package dev.portal.llm.decoder;

import dev.portal.base.Clock;
import dev.portal.kernel.DeviceException;
import dev.portal.llm.LlmException;
import dev.portal.llm.gguf.GgufTensor;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.StopStrategy;
import dev.portal.scheduler.Preemption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Matrices in the format I8 on the RK3588's NPU, or split by outputs between it and the processor. Weights are packed
 * once and stay in device memory; a step runs compiled chains, so that nothing is encoded for a token.
 *
 * <p>Without a pinned share each group is divided by measured rates: the NPU's by the device's clock for small chains on
 * one core and on more, the processor's by the host's. {@link #settle()} compares them with what tokens took and divides
 * anew.
 *
 * <p>In I8 the sums are exact, so the text is that of {@link CpuBackend#int8()}, whatever the division and the places
 * where chains are stopped. With the processor's part in 4 bits the text depends on the division.
 */
public final class NpuBackend implements Backend {
    private static final int NPU_ROUNDS = 3;
    /** Weights of the larger of the two chains that are measured. */
    private static final long CHAIN_BYTES = 2 << 20;

    private static final long CPU_BYTES = 8 << 20;
    /** A gain that is worth packing weights again. */
    private static final double GAIN = 0.05;

    private static final int MOST_SETTLINGS = 4;
    /** Far below what plain loops read with one thread once they are compiled (docs/llm.md), far above what they do before. */
    private static final double LEAST_BYTES_PER_NANO = 0.2;

    /** A rate that is further from the plan than this is told. */
    private static final double FAR = 1.5;

    private final NpuOptions options;
    private final RknpuDevice device;
    private final CpuScratch scratch;
    private final CpuBackend.Int8Store store;
    private final FourBitStore fourBits;
    private final List<SplitGroup> groups = new ArrayList<>();
    private final NpuWork work = new NpuWork();
    private final Runnable afterwards;
    /** Null where the share is pinned. */
    private final @Nullable Meter meter;
    /** Groups of one shape, by the sizes and kinds of their matrices. */
    private final Map<List<Object>, Kind> kinds = new LinkedHashMap<>();

    /** Below 0 until the first tokens, which are not what tokens take, are over. */
    private int settlings = -1;

    private boolean steady = true;

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
        fourBits = new FourBitStore(options.fourBits(), store);
    }

    /** Groups of one shape and what was measured of them. */
    private static final class Kind {
        private final List<SplitGroup> groups = new ArrayList<>();
        private SplitRates rates;
        private Split split;

        /** Divided in two halves while the processor's rate is unknown: the first tokens show it then. */
        Kind(SplitRates rates, boolean steady) {
            this.rates = rates;
            split = steady ? rates.best() : Split.of(0.5, rates.byCores().size(), rates.outputs());
        }
    }

    /**
     * How the NPU is used.
     *
     * @param share of each group's outputs that the NPU computes, above 0 to 1; the rest is the processor's meanwhile.
     *     Without meaning where it is measured
     * @param cores 1 to as many as the chip has; at most so many where they are measured
     * @param strategy how a chain is stopped when something more urgent waits
     * @param fourBits whether the processor's part is in 4 bits: the text is then another one than in I8, and another one
     *     with each division
     * @param time how the processor's part passes on the device's clock
     * @param listener hears when the parts of each group began and ended
     * @param usable asked before each group; while it says no, the processor does all of it, from the same weights
     */
    public record NpuOptions(
            double share,
            int cores,
            StopStrategy strategy,
            boolean fourBits,
            ProcessorTime time,
            SplitListener listener,
            BooleanSupplier usable) {
        public NpuOptions {
            if (!(share > 0 && share <= 1) || cores < 1) {
                throw new IllegalArgumentException(
                        "a share of " + share + " on " + cores + " cores; above 0 to 1, and 1 core or more");
            }
        }

        /** All in I8, without clock and listener. */
        public NpuOptions(double share, int cores, StopStrategy strategy) {
            this(share, cores, strategy, false, ProcessorTime.NONE, SplitListener.NONE, () -> true);
        }

        /** With a clock and a listener. */
        public NpuOptions timed(ProcessorTime with, SplitListener hears) {
            return new NpuOptions(share, cores, strategy, fourBits, with, hears, usable);
        }

        /** With an NPU that is left alone while it is out of use. */
        public NpuOptions usedWhile(BooleanSupplier condition) {
            return new NpuOptions(share, cores, strategy, fourBits, time, listener, condition);
        }

        /** With the processor's part in 4 bits or in I8. */
        public NpuOptions withFourBits(boolean on) {
            return new NpuOptions(share, cores, strategy, on, time, listener, usable);
        }
    }

    /** Measures both sides. */
    public interface Meter {
        /**
         * What a run on the NPU takes, in ns, above 0; runs it as often as that needs.
         *
         * @param cores that it uses
         * @param bytes of weights that it reads
         */
        long npuNanos(Runnable run, int cores, long bytes);

        /**
         * What a run on the processor takes.
         *
         * @param bytes of weights that it reads
         */
        Steady cpuNanos(Runnable run, long bytes);

        /** For reports: whose clock the NPU's time is of. */
        default String npuLabel() {
            return "board";
        }

        /**
         * The shortest of several runs; those of the processor go on until they get no shorter, within bounds.
         *
         * @param npuClock the device's
         * @param npuLabel {@code model} for an emulated device
         * @param cpuClock the host's
         */
        static Meter of(Clock npuClock, String npuLabel, Clock cpuClock) {
            return new ClockMeter(npuClock, npuLabel, cpuClock);
        }

        /**
         * A processor of a given speed, so that a run is reproducible.
         *
         * @param bytesPerNano weights that all threads of the team read together, above 0
         */
        static Meter atRate(Clock npuClock, String npuLabel, double bytesPerNano) {
            Meter npu = of(npuClock, npuLabel, npuClock);
            return new Meter() {
                @Override
                public long npuNanos(Runnable run, int cores, long bytes) {
                    return npu.npuNanos(run, cores, bytes);
                }

                @Override
                public Steady cpuNanos(Runnable run, long bytes) {
                    return new Steady(Math.max(1, Math.round(bytes / bytesPerNano)), true);
                }

                @Override
                public String npuLabel() {
                    return npuLabel;
                }
            };
        }
    }

    /**
     * A measured time.
     *
     * @param nanos above 0
     * @param steady whether it had stopped getting shorter when the time for measuring was over
     */
    public record Steady(long nanos, boolean steady) {
        public Steady {
            if (nanos <= 0) {
                throw new IllegalArgumentException("a time of " + nanos + " ns; it is above 0");
            }
        }
    }

    /**
     * The processor's loops are slow until they are compiled, and equally slow for as long as a busy machine leaves the
     * compiler waiting. So a time is steady only at a rate that compiled loops have.
     */
    private static final class ClockMeter implements Meter {
        private static final int CPU_ROUNDS = 20_000;
        private static final long FIRST_NANOS = 4_000_000_000L;
        private static final long NEXT_NANOS = 120_000_000;
        private static final long WINDOW_NANOS = 20_000_000;
        private static final int STEADY_WINDOWS = 4;
        private static final double SHORTER = 0.97;

        private final Clock npuClock;
        private final String npuLabel;
        private final Clock cpuClock;
        private boolean compiled;

        ClockMeter(Clock npuClock, String npuLabel, Clock cpuClock) {
            this.npuClock = npuClock;
            this.npuLabel = npuLabel;
            this.cpuClock = cpuClock;
        }

        @Override
        public String npuLabel() {
            return npuLabel;
        }

        @Override
        public long npuNanos(Runnable run, int cores, long bytes) {
            run.run();
            long shortest = Long.MAX_VALUE;
            for (int round = 0; round < NPU_ROUNDS; round++) {
                shortest = Math.min(shortest, timed(npuClock, run));
            }
            return Math.max(1, shortest);
        }

        @Override
        public Steady cpuNanos(Runnable run, long bytes) {
            long began = cpuClock.nanos();
            long bound = compiled ? NEXT_NANOS : FIRST_NANOS;
            compiled = true;
            long shortest = Long.MAX_VALUE;
            long window = Long.MAX_VALUE;
            long windowBegan = began;
            int unchanged = 0;
            for (int round = 0; round < CPU_ROUNDS && unchanged < STEADY_WINDOWS; round++) {
                window = Math.min(window, timed(cpuClock, run));
                long now = cpuClock.nanos();
                if (now - windowBegan >= WINDOW_NANOS) {
                    boolean compiledLoops = bytes >= LEAST_BYTES_PER_NANO * window;
                    unchanged = window < shortest * SHORTER || !compiledLoops ? 0 : unchanged + 1;
                    shortest = Math.min(shortest, window);
                    window = Long.MAX_VALUE;
                    windowBegan = now;
                }
                if (now - began >= bound) {
                    break;
                }
            }
            return new Steady(Math.max(1, Math.min(shortest, window)), unchanged >= STEADY_WINDOWS);
        }

        private static long timed(Clock clock, Runnable run) {
            long start = clock.nanos();
            run.run();
            return clock.nanos() - start;
        }
    }

    /** On a device that stays the caller's. */
    public static Factory on(RknpuDevice device, NpuOptions options) {
        return (scratch, free) -> new NpuBackend(device, options, null, scratch, free, () -> {});
    }

    /** As {@link #on(RknpuDevice, NpuOptions)}, with each group divided by measurement, not by the options' share. */
    public static Factory on(RknpuDevice device, NpuOptions options, Meter meter) {
        return (scratch, free) -> new NpuBackend(device, options, meter, scratch, free, () -> {});
    }

    /** On a device that is closed with the back end. */
    public static Factory owning(RknpuDevice device, NpuOptions options) {
        return (scratch, free) -> new NpuBackend(device, options, null, scratch, free, device::close);
    }

    /** As {@link #owning(RknpuDevice, NpuOptions)}, with each group divided by measurement. */
    public static Factory owning(RknpuDevice device, NpuOptions options, Meter meter) {
        return (scratch, free) -> new NpuBackend(device, options, meter, scratch, free, device::close);
    }

    @Override
    public String name() {
        String format = options.fourBits() ? "I8 and 4 bits" : "I8";
        if (meter == null || kinds.isEmpty()) {
            return "npu, " + format + ", " + Math.round(100 * options.share()) + " % of the outputs on "
                    + options.cores() + " cores";
        }
        return "npu, " + format + ", " + Math.round(100 * plannedShare()) + " % of the outputs; " + divided()
                + ", chosen by weights read: " + rates(meter) + since();
    }

    private double plannedShare() {
        double ours = 0;
        double all = 0;
        for (SplitGroup group : groups) {
            ours += (double) group.split().outputs() * group.parts().npuRowBytes();
            all += group.parts().macs();
        }
        return ours / all;
    }

    /** How many groups run where: {@code 24 of 97 groups on 3 cores, 73 on the CPU alone}. */
    private String divided() {
        List<String> parts = new ArrayList<>();
        for (int cores = options.cores(); cores >= 0; cores--) {
            int there = cores;
            long count = groups.stream()
                    .filter(group -> group.split().cores() == there)
                    .count();
            if (count > 0) {
                String of = parts.isEmpty() ? " of " + groups.size() + " groups on " : " on ";
                parts.add(count + of + (there == 0 ? "the CPU alone" : there + (there == 1 ? " core" : " cores")));
            }
        }
        return String.join(", ", parts);
    }

    /** A byte in a nanosecond is a GB/s. */
    private String rates(Meter by) {
        double bytes = 0;
        double npu = 0;
        double cpuBytes = 0;
        double cpu = 0;
        for (Kind kind : kinds.values()) {
            SplitRates rates = kind.rates;
            bytes += rates.outputs() * rates.npuRowBytes() * kind.groups.size();
            npu += rates.npuNanos(new Split(options.cores(), rates.outputs())) * kind.groups.size();
            cpuBytes += rates.outputs() * rates.cpuRowBytes() * kind.groups.size();
            cpu += rates.cpuNanos(Split.NONE) * kind.groups.size();
        }
        return String.format(
                Locale.ROOT,
                "NPU %.1f GB/s (%s), CPU %.1f GB/s (host%s)",
                bytes / npu,
                by.npuLabel(),
                cpuBytes / cpu,
                steady ? "" : ", not steady");
    }

    /** What the processor has read since, where that is far from the plan. */
    private String since() {
        double planned = 0;
        double took = 0;
        double bytes = 0;
        for (Kind kind : kinds.values()) {
            for (SplitGroup group : kind.groups) {
                planned += group.seenBytes() * kind.rates.cpuNanosPerByte();
                took += (double) group.seenNanos() / scratch.team().threads();
                bytes += group.seenBytes();
            }
        }
        boolean far = took > planned * FAR || planned > took * FAR;
        return took > 0 && far ? String.format(Locale.ROOT, "; the CPU read %.1f GB/s since", bytes / took) : "";
    }

    @Override
    public LinearGroup group(List<GgufTensor> tensors) {
        List<Int8Weights> weights = tensors.stream().map(store::weights).toList();
        SplitParts parts = new SplitParts(device, options, scratch, tensors, weights, fourBits, work, groups.size());
        return refused(tensors, () -> {
            if (meter == null) {
                return made(Split.of(options.share(), options.cores(), parts.outputs()), parts);
            }
            Kind kind = kind(meter, parts);
            SplitGroup group = made(kind.split, parts);
            kind.groups.add(group);
            return group;
        });
    }

    private SplitGroup made(Split split, SplitParts parts) {
        SplitGroup group = new SplitGroup(parts, split, meter != null && !options.fourBits());
        groups.add(group);
        return group;
    }

    private static <T> T refused(List<GgufTensor> tensors, Supplier<T> made) {
        try {
            return made.get();
        } catch (DeviceException e) {
            throw new LlmException(
                    LlmException.Kind.OUT_OF_MEMORY,
                    "tensor '" + tensors.getFirst().name() + "' does not go to the NPU: " + e.getMessage()
                            + "; take a smaller model, or --device cpu",
                    e);
        }
    }

    private Kind kind(Meter by, SplitParts parts) {
        List<Object> key = new ArrayList<>();
        for (GgufTensor tensor : parts.tensors()) {
            key.add(tensor.sizes());
            key.add(fourBits.takes(tensor) ? tensor.type() : "I8");
        }
        Kind known = kinds.get(key);
        if (known == null) {
            known = measured(by, parts);
            kinds.put(key, known);
        }
        return known;
    }

    /** The processor with some of the rows, then the NPU with a small chain and a larger one on each number of cores. */
    private Kind measured(Meter by, SplitParts given) {
        List<Int8Weights> weights = given.weights();
        // What is measured is nobody's token.
        SplitParts parts = new SplitParts(
                device, options, scratch, given.tensors(), weights, fourBits, new NpuWork(), given.number());
        float[] x = new float[weights.getFirst().inputs()];
        Arrays.fill(x, 1);
        float[][] y = new float[weights.size()][];
        Arrays.setAll(y, i -> new float[weights.get(i).outputs()]);
        int outputs = parts.outputs();
        int columns = parts.npuRowBytes();
        Rest rest = parts.sample(Math.clamp(CPU_BYTES / columns, 1, outputs));
        scratch.activations().perToken(x, x.length, 1);
        Steady cpu = by.cpuNanos(
                () -> {
                    rest.begin(x, y, 1);
                    rest.finish();
                },
                rest.bytes());
        steady &= cpu.steady();
        List<SplitRates.Line> lines = new ArrayList<>();
        for (int cores = 1; cores <= options.cores(); cores++) {
            int tile = Split.COLUMN_GROUP * cores;
            int small = Math.min(outputs, tile);
            int large = Math.clamp(CHAIN_BYTES / columns / tile * tile, small, outputs);
            long[] bytes = {(long) small * columns, (long) large * columns};
            long[] times = new long[2];
            long handing = 0;
            for (int i = 0; i < 2; i++) {
                try (NpuGroup chain = parts.chain(new Split(cores, i == 0 ? small : large))) {
                    times[i] = by.npuNanos(
                            () -> {
                                var _ = chain.apply(x, y, 1, Preemption.NEVER);
                            },
                            cores,
                            bytes[i]);
                    handing = chain.handedInNanos();
                }
            }
            lines.add(SplitRates.Line.through(bytes[0], times[0], bytes[1], times[1], handing));
        }
        double nanosPerByte = (double) cpu.nanos() / rest.bytes();
        int threads = scratch.team().threads();
        SplitRates rates = new SplitRates(
                outputs, NpuGroup.depths(columns), columns, parts.cpuRowBytes(), threads, lines, nanosPerByte);
        return new Kind(rates, cpu.steady());
    }

    /** Without room on the device for the new division beside the old one, what was planned stays. */
    private boolean divide(Kind kind, Split best) {
        try {
            kind.groups.forEach(group -> group.divide(best));
            kind.split = best;
            return true;
        } catch (DeviceException e) {
            settlings = MOST_SETTLINGS;
            return false;
        }
    }

    /** A tile stays the processor's until its rate is known: without any, no token would ever show it. */
    private Split observable(Split best, int outputs) {
        return steady || best.outputs() < outputs || outputs <= Split.COLUMN_GROUP
                ? best
                : new Split(best.cores(), outputs - Split.COLUMN_GROUP);
    }

    @Override
    public boolean settle() {
        if (meter == null) {
            return false;
        }
        boolean first = settlings < 0;
        boolean seen = false;
        boolean changed = false;
        for (Kind kind : kinds.values()) {
            long bytes = 0;
            long nanos = 0;
            for (SplitGroup group : kind.groups) {
                bytes += group.seenBytes();
                nanos += group.seenNanos();
                group.forget();
            }
            if (!first && bytes > 0 && nanos > 0) {
                seen = true;
                kind.rates = kind.rates.withCpu((double) nanos / scratch.team().threads() / bytes);
                Split best = observable(kind.rates.best(), kind.rates.outputs());
                if (settlings < MOST_SETTLINGS && kind.rates.nanos(kind.split) * (1 - GAIN) > kind.rates.nanos(best)) {
                    changed |= divide(kind, best);
                }
            }
        }
        settlings += first || changed ? 1 : 0;
        steady |= seen && !changed;
        return first || changed;
    }

    @Override
    public double npuShare() {
        return work.share();
    }

    @Override
    public void close() {
        try {
            groups.forEach(SplitGroup::close);
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
