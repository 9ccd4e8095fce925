package dev.portal.llm.decoder;

import dev.portal.kernel.DeviceException;
import dev.portal.llm.LlmException;
import dev.portal.llm.LlmException.Kind;
import dev.portal.llm.gguf.GgufTensor;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.StopStrategy;
import java.util.ArrayList;
import java.util.List;

/**
 * Matrices in the format I8 on the RK3588's NPU, or split by outputs between it and the processor. Weights are packed
 * once and stay in device memory; a step runs compiled chains, so that nothing is encoded for a token.
 *
 * <p>The sums are exact, so the text is that of {@link CpuBackend#int8()}, whatever the share, the cores, and the places
 * where chains are stopped.
 */
public final class NpuBackend implements Backend {
    private final NpuOptions options;
    private final RknpuDevice device;
    private final CpuScratch scratch;
    private final CpuBackend.Int8Store store;
    private final List<NpuGroup> groups = new ArrayList<>();
    private final NpuWork work = new NpuWork();
    private final Runnable afterwards;

    private NpuBackend(
            RknpuDevice device, NpuOptions options, CpuScratch scratch, long freeBytes, Runnable afterwards) {
        this.device = device;
        this.options = options;
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
     */
    public record NpuOptions(double share, int cores, StopStrategy strategy) {
        public NpuOptions {
            if (!(share > 0 && share <= 1) || cores < 1) {
                throw new IllegalArgumentException(
                        "a share of " + share + " on " + cores + " cores; above 0 to 1, and 1 core or more");
            }
        }
    }

    /** On a device that stays the caller's. */
    public static Factory on(RknpuDevice device, NpuOptions options) {
        return (scratch, free) -> new NpuBackend(device, options, scratch, free, () -> {});
    }

    /** On a device that is closed with the back end. */
    public static Factory owning(RknpuDevice device, NpuOptions options) {
        return (scratch, free) -> new NpuBackend(device, options, scratch, free, device::close);
    }

    /**
     * The share with which NPU and processor end together.
     *
     * @param npuNanos what the NPU takes for the whole, as measured
     * @param cpuNanos what the processor takes for the whole
     */
    public static double share(long npuNanos, long cpuNanos) {
        if (npuNanos <= 0 || cpuNanos <= 0) {
            throw new IllegalArgumentException("times of " + npuNanos + " and " + cpuNanos + " ns; both are above 0");
        }
        return (double) cpuNanos / (npuNanos + cpuNanos);
    }

    @Override
    public String name() {
        return "npu, I8, " + Math.round(100 * options.share()) + " % of the outputs on " + options.cores() + " cores";
    }

    @Override
    public LinearGroup group(List<GgufTensor> tensors) {
        List<Int8Weights> weights = tensors.stream().map(store::weights).toList();
        NpuGroup group;
        try {
            group = new NpuGroup(device, options, scratch, weights, work);
        } catch (DeviceException e) {
            throw new LlmException(
                    Kind.OUT_OF_MEMORY,
                    "tensor '" + tensors.getFirst().name() + "' does not go to the NPU: " + e.getMessage()
                            + "; take a smaller model, or --device cpu",
                    e);
        }
        groups.add(group);
        return group;
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
