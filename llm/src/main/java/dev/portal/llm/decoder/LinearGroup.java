package dev.portal.llm.decoder;

import dev.portal.scheduler.Preemption;

/**
 * Matrices that take the same activations, such as query, key and value: the activations are prepared once, and a device
 * gets one chain for all.
 *
 * <p>Used by one thread at a time.
 */
public interface LinearGroup {
    /**
     * {@code y[i][t][n] = sum over k of w[i][n][k] * x[t][k]} for each matrix {@code i}.
     *
     * @param x {@code [tokens, inputs]}; not to be changed before the call that returns true
     * @param y for each matrix {@code [tokens, outputs]}, overwritten
     * @param preemption asked while a device works; the processor's part is not interrupted
     * @return whether it is done; if not, the work was stopped because of {@code preemption}, and calling again with the
     *     same arguments goes on with it. Each call gets something done
     */
    boolean apply(float[] x, float[][] y, int tokens, Preemption preemption);

    /** Forgets work that was stopped. */
    void abandon();
}
