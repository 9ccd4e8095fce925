package dev.portal.llm.decoder;

import dev.portal.llm.gguf.GgufTensor;

/** A matrix in plain double precision, one thread: what the others are compared with. */
final class ReferenceLinear implements Linear {
    private final GgufTensor weights;
    private final float[] row;

    ReferenceLinear(GgufTensor weights) {
        this.weights = weights;
        row = new float[weights.columns()];
    }

    @Override
    public int inputs() {
        return weights.columns();
    }

    @Override
    public int outputs() {
        return weights.rows();
    }

    @Override
    public void apply(float[] x, float[] y, int tokens) {
        int inputs = inputs();
        for (int output = 0; output < outputs(); output++) {
            WeightRows.read(weights, output, row);
            for (int token = 0; token < tokens; token++) {
                double sum = 0;
                for (int i = 0; i < inputs; i++) {
                    sum += (double) row[i] * x[token * inputs + i];
                }
                y[token * outputs() + output] = (float) sum;
            }
        }
    }
}
