package dev.portal.llm.decoder;

import dev.portal.scheduler.Preemption;

/** A group that is left to the processor beside an NPU: too small to be worth a chain. */
final class ProcessorGroup implements LinearGroup {
    private final CpuScratch scratch;
    private final NpuBackend.NpuOptions options;
    private final NpuBackend.NpuWork work;
    private final Rest rest;
    private final int inputs;
    private final long macs;
    private final boolean eightBits;
    private final int number;

    /**
     * @param eightBits whether the rows are of the format I8
     * @param macs of a token
     * @param number of the group, for the listener
     */
    ProcessorGroup(
            CpuScratch scratch,
            NpuBackend.NpuOptions options,
            NpuBackend.NpuWork work,
            Rest rest,
            int inputs,
            long macs,
            boolean eightBits,
            int number) {
        this.scratch = scratch;
        this.options = options;
        this.work = work;
        this.rest = rest;
        this.inputs = inputs;
        this.macs = macs;
        this.eightBits = eightBits;
        this.number = number;
    }

    Rest rest() {
        return rest;
    }

    @Override
    public boolean apply(float[] x, float[][] y, int tokens, Preemption preemption) {
        if (eightBits) {
            scratch.activations().perToken(x, inputs, tokens);
        }
        rest.begin(x, y, tokens);
        rest.finish();
        work.add(0, macs * tokens);
        long start = rest.startNanos();
        options.listener()
                .group(
                        number,
                        tokens,
                        0,
                        rest.rows(),
                        start,
                        start,
                        start,
                        rest.endNanos(),
                        options.time().now());
        return true;
    }

    @Override
    public void abandon() {
        // Nothing is ever stopped.
    }
}
