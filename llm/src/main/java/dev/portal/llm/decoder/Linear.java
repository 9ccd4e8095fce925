package dev.portal.llm.decoder;

/**
 * A matrix that activations are multiplied with, wherever it is computed.
 *
 * <p>Used by one thread at a time.
 */
public interface Linear {
    /** Values of a token that go in. */
    int inputs();

    /** Values of a token that come out. */
    int outputs();

    /**
     * {@code y[t][n] = sum over k of w[n][k] * x[t][k]}.
     *
     * @param x {@code [tokens, inputs]}
     * @param y {@code [tokens, outputs]}, overwritten
     */
    void apply(float[] x, float[] y, int tokens);
}
