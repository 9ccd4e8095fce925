package dev.portal.llm.decoder;

import org.jspecify.annotations.Nullable;

/** A matrix on the processor in the format I8: exact sums, so the same bits as on any device. */
final class Int8Linear implements Linear, Rest.Part {
    private static final int GRAIN_BYTES = 32 << 10;

    private final Int8Weights weights;
    private final CpuScratch scratch;
    private final int grain;
    private float @Nullable [] y;
    private int tokens;

    Int8Linear(Int8Weights weights, CpuScratch scratch) {
        this.weights = weights;
        this.scratch = scratch;
        grain = Math.max(Kernels.ROWS_AT_ONCE, GRAIN_BYTES / weights.columns());
    }

    @Override
    public int inputs() {
        return weights.inputs();
    }

    @Override
    public int outputs() {
        return weights.outputs();
    }

    @Override
    public long rowBytes() {
        return weights.columns();
    }

    @Override
    public void apply(float[] in, float[] out, int count) {
        scratch.activations().perToken(in, weights.inputs(), count);
        take(in, out, count);
        scratch.team().run(this, weights.outputs(), grain);
    }

    /** The activations are in the scratch already. */
    @Override
    public void take(float[] in, float[] out, int count) {
        y = out;
        tokens = count;
    }

    @Override
    public void compute(int from, int to, int worker) {
        float[] out = y;
        if (out == null) {
            throw new IllegalStateException("no activations; apply() computes");
        }
        scratch.kernels()
                .i8(
                        weights.values(),
                        weights.scales(),
                        from,
                        to,
                        weights.columns(),
                        scratch.activations(),
                        tokens,
                        out,
                        weights.outputs(),
                        scratch.floats(worker));
    }
}
