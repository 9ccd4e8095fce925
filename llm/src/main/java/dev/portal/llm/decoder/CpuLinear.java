package dev.portal.llm.decoder;

import dev.portal.llm.gguf.GgufTensor;
import org.jspecify.annotations.Nullable;

/**
 * A matrix on the processor with the file's own weights, in place. Quantised weights meet activations in 8 bits, a scale
 * for 32 values as in llama.cpp; float weights meet floats.
 */
final class CpuLinear implements Linear, Rest.Part {
    /** About 32 KiB of weights are taken by a thread at once. */
    private static final long GRAIN_BYTES = 32 << 10;

    private final GgufTensor weights;
    private final int inputs;
    private final int outputs;
    private final CpuScratch scratch;
    private final int grain;
    private float @Nullable [] x;
    private float @Nullable [] y;
    private int tokens;

    CpuLinear(GgufTensor weights, CpuScratch scratch) {
        this.weights = weights;
        this.scratch = scratch;
        inputs = weights.columns();
        outputs = weights.rows();
        grain = (int) Math.max(Kernels.ROWS_AT_ONCE, GRAIN_BYTES / weights.rowBytes());
    }

    @Override
    public int inputs() {
        return inputs;
    }

    @Override
    public int outputs() {
        return outputs;
    }

    @Override
    public long rowBytes() {
        return weights.rowBytes();
    }

    @Override
    public void apply(float[] in, float[] out, int count) {
        take(in, out, count);
        scratch.team().run(this, outputs, grain);
    }

    @Override
    public void take(float[] in, float[] out, int count) {
        x = in;
        y = out;
        tokens = count;
        switch (weights.type()) {
            case F32, F16 -> {}
            case Q4_0, Q8_0, Q4_K, Q6_K -> scratch.activations().perBlock(weights.type(), in, inputs, count);
        }
    }

    @Override
    public void compute(int from, int to, int worker) {
        float[] in = x;
        float[] out = y;
        if (in == null || out == null) {
            throw new IllegalStateException("no activations; apply() computes");
        }
        Kernels kernels = scratch.kernels();
        switch (weights.type()) {
            case F32, F16 ->
                kernels.floats(
                        weights.type(),
                        weights.data(),
                        from,
                        to,
                        inputs,
                        in,
                        tokens,
                        out,
                        outputs,
                        scratch.floats(worker));
            case Q4_0, Q8_0, Q4_K, Q6_K ->
                kernels.blocks(
                        weights.type(),
                        weights.data(),
                        from,
                        to,
                        inputs,
                        scratch.activations(),
                        tokens,
                        out,
                        outputs,
                        scratch.floats(worker));
        }
    }
}
