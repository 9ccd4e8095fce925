package dev.portal.llm.decoder;

import java.lang.foreign.MemorySegment;

/** Plain loops: what is to be computed, and what runs where there are no vectors. */
final class ScalarKernels implements Kernels {
    @Override
    public String name() {
        return "scalar";
    }

    @Override
    public void floats(
            MemorySegment weights,
            int from,
            int to,
            int columns,
            float[] x,
            int tokens,
            float[] y,
            int outputs,
            float[] room) {
        for (int row = from; row < to; row++) {
            long at = 4L * row * columns;
            for (int token = 0; token < tokens; token++) {
                int xAt = token * columns;
                float a = 0;
                float b = 0;
                float c = 0;
                float d = 0;
                int i = 0;
                for (; i + 3 < columns; i += 4) {
                    a += weights.get(WeightRows.FLOAT, at + 4L * i) * x[xAt + i];
                    b += weights.get(WeightRows.FLOAT, at + 4L * i + 4) * x[xAt + i + 1];
                    c += weights.get(WeightRows.FLOAT, at + 4L * i + 8) * x[xAt + i + 2];
                    d += weights.get(WeightRows.FLOAT, at + 4L * i + 12) * x[xAt + i + 3];
                }
                for (; i < columns; i++) {
                    a += weights.get(WeightRows.FLOAT, at + 4L * i) * x[xAt + i];
                }
                y[token * outputs + row] = (a + b) + (c + d);
            }
        }
    }

    @Override
    public void floatRow(float[] weights, int columns, float[] x, int tokens, float[] y, int row, int outputs) {
        for (int token = 0; token < tokens; token++) {
            y[token * outputs + row] = dot(weights, 0, x, token * columns, columns);
        }
    }

    @Override
    public void q8(
            MemorySegment weights,
            int from,
            int to,
            int columns,
            Activations x,
            int tokens,
            float[] y,
            int outputs,
            float[] room) {
        int blocks = columns / Activations.BLOCK;
        short[] values = x.values();
        float[] scales = x.scales();
        for (int row = from; row < to; row++) {
            long at = 34L * row * blocks;
            for (int token = 0; token < tokens; token++) {
                float all = 0;
                for (int block = 0; block < blocks; block++) {
                    long w = at + 34L * block;
                    int xAt = token * columns + block * Activations.BLOCK;
                    int sum = 0;
                    for (int i = 0; i < Activations.BLOCK; i++) {
                        sum += weights.get(WeightRows.BYTE, w + 2 + i) * values[xAt + i];
                    }
                    all += sum * (WeightRows.half(weights, w) * scales[token * blocks + block]);
                }
                y[token * outputs + row] = all;
            }
        }
    }

    @Override
    public void blocks(
            byte[] values,
            float[] scales,
            float[] offsets,
            int columns,
            Activations x,
            int tokens,
            float[] y,
            int row,
            int outputs) {
        int blocks = columns / Activations.BLOCK;
        for (int token = 0; token < tokens; token++) {
            float all = 0;
            for (int block = 0; block < blocks; block++) {
                int w = block * Activations.BLOCK;
                int xAt = token * columns + w;
                int first = 0;
                int second = 0;
                for (int i = 0; i < 16; i++) {
                    first += values[w + i] * x.values()[xAt + i];
                    second += values[w + 16 + i] * x.values()[xAt + 16 + i];
                }
                int which = token * blocks + block;
                float scale = x.scales()[which];
                all += first * (scales[2 * block] * scale);
                all += second * (scales[2 * block + 1] * scale);
                all += x.sums()[which] * (offsets[block] * scale);
            }
            y[token * outputs + row] = all;
        }
    }

    @Override
    public void i8(
            MemorySegment weights,
            float[] rowScales,
            int from,
            int to,
            int columns,
            Activations x,
            int tokens,
            float[] y,
            int outputs,
            float[] room) {
        short[] values = x.values();
        for (int row = from; row < to; row++) {
            long at = (long) row * columns;
            for (int token = 0; token < tokens; token++) {
                int sum = 0;
                int xAt = token * columns;
                for (int i = 0; i < columns; i++) {
                    sum += weights.get(WeightRows.BYTE, at + i) * values[xAt + i];
                }
                y[token * outputs + row] = sum * (rowScales[row] * x.tokenScales()[token]);
            }
        }
    }

    @Override
    public float dot(float[] a, int aFrom, float[] b, int bFrom, int count) {
        float first = 0;
        float second = 0;
        float third = 0;
        float fourth = 0;
        int i = 0;
        for (; i + 3 < count; i += 4) {
            first += a[aFrom + i] * b[bFrom + i];
            second += a[aFrom + i + 1] * b[bFrom + i + 1];
            third += a[aFrom + i + 2] * b[bFrom + i + 2];
            fourth += a[aFrom + i + 3] * b[bFrom + i + 3];
        }
        for (; i < count; i++) {
            first += a[aFrom + i] * b[bFrom + i];
        }
        return (first + second) + (third + fourth);
    }

    @Override
    public void mix(
            float[] weights,
            int at,
            float factor,
            float[] values,
            int valuesAt,
            int positions,
            int width,
            float[] to,
            int toAt) {
        java.util.Arrays.fill(to, toAt, toAt + width, 0);
        for (int p = 0; p < positions; p++) {
            float weight = weights[at + p] * factor;
            for (int i = 0; i < width; i++) {
                to[toAt + i] += weight * values[valuesAt + p * width + i];
            }
        }
    }

    @Override
    public float exponentials(float[] x, int from, int count, float most) {
        float sum = 0;
        for (int i = from; i < from + count; i++) {
            x[i] = (float) Math.exp(x[i] - most);
            sum += x[i];
        }
        return sum;
    }

    @Override
    public void gated(float[] gate, float[] up, int count) {
        for (int i = 0; i < count; i++) {
            gate[i] = (float) (gate[i] / (1 + Math.exp(-gate[i]))) * up[i];
        }
    }
}
