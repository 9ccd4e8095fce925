package dev.portal.llm.decoder;

import dev.portal.scheduler.Preemption;
import java.util.List;

/** Matrices on the processor. Never interrupted: a layer's takes a fraction of a token. */
final class CpuGroup implements LinearGroup {
    private final List<Linear> matrices;

    CpuGroup(List<Linear> matrices) {
        this.matrices = List.copyOf(matrices);
    }

    @Override
    public boolean apply(float[] x, float[][] y, int tokens, Preemption preemption) {
        for (int i = 0; i < matrices.size(); i++) {
            matrices.get(i).apply(x, y[i], tokens);
        }
        return true;
    }

    @Override
    public void abandon() {
        // Nothing is ever stopped.
    }
}
