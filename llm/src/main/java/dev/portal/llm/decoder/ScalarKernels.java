package dev.portal.llm.decoder;

import dev.portal.llm.gguf.TensorType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Plain loops: what is to be computed, and what runs where there are no vectors. */
final class ScalarKernels implements Kernels {
    @Override
    public String name() {
        return "scalar";
    }

    @Override
    public void floats(
            TensorType type,
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
            WeightRows.read(type, weights, row * type.rowBytes(columns), columns, room);
            for (int token = 0; token < tokens; token++) {
                y[token * outputs + row] = dot(room, 0, x, token * columns, columns);
            }
        }
    }

    @Override
    public void blocks(
            TensorType type,
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
        int lanes = room.length - ROOM_FOR_SUMS;
        for (int row = from; row < to; row++) {
            WeightRows.unpack(type, weights, row * type.rowBytes(columns), columns, room);
            for (int token = 0; token < tokens; token++) {
                Arrays.fill(room, lanes, lanes + 16, 0);
                for (int block = 0; block < blocks; block++) {
                    block(type, room, block, x, token * blocks + block, lanes);
                    int lane = lanes + 8 + block % 8;
                    float offset = room[blocks * UNPACKED + block];
                    room[lane] += offset * x.scaledSums()[token * blocks + block];
                }
                float sum = fold8(room, lanes);
                y[token * outputs + row] = type == TensorType.Q4_K ? sum + fold8(room, lanes + 8) : sum;
            }
        }
    }

    private static void block(TensorType type, float[] room, int block, Activations x, int which, int lanes) {
        int at = block * UNPACKED;
        int xAt = which * Activations.BLOCK;
        short[] values = x.values();
        float scale = x.scales()[which];
        for (int lane = 0; lane < 8; lane++) {
            int sum = 0;
            for (int k = 0; k < 4; k++) {
                int i = Activations.lane(type, lane, k);
                sum += ((int) room[at + i]) * values[xAt + i];
            }
            room[lanes + lane] = Math.fma(room[at + 32 + lane] * scale, sum, room[lanes + lane]);
        }
    }

    /** A sum of 8 lanes. */
    static float fold8(float[] lanes, int at) {
        float a = lanes[at] + lanes[at + 4];
        float b = lanes[at + 1] + lanes[at + 5];
        float c = lanes[at + 2] + lanes[at + 6];
        float d = lanes[at + 3] + lanes[at + 7];
        return (a + c) + (b + d);
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

    private static float dot(float[] a, int aFrom, float[] b, int bFrom, int count) {
        int whole = count - count % 32;
        float first = quarter(a, aFrom, b, bFrom, whole, 0);
        float second = quarter(a, aFrom, b, bFrom, whole, 1);
        float third = quarter(a, aFrom, b, bFrom, whole, 2);
        float fourth = quarter(a, aFrom, b, bFrom, whole, 3);
        float sum = (first + second) + (third + fourth);
        for (int i = whole; i < count; i++) {
            sum += a[aFrom + i] * b[bFrom + i];
        }
        return sum;
    }

    /** Lanes {@code lane, lane + 4, ...} of 32, added up. */
    private static float quarter(float[] a, int aFrom, float[] b, int bFrom, int whole, int lane) {
        float l0 = 0;
        float l4 = 0;
        float l8 = 0;
        float l12 = 0;
        float l16 = 0;
        float l20 = 0;
        float l24 = 0;
        float l28 = 0;
        for (int i = lane; i < whole; i += 32) {
            int p = aFrom + i;
            int q = bFrom + i;
            l0 = Math.fma(a[p], b[q], l0);
            l4 = Math.fma(a[p + 4], b[q + 4], l4);
            l8 = Math.fma(a[p + 8], b[q + 8], l8);
            l12 = Math.fma(a[p + 12], b[q + 12], l12);
            l16 = Math.fma(a[p + 16], b[q + 16], l16);
            l20 = Math.fma(a[p + 20], b[q + 20], l20);
            l24 = Math.fma(a[p + 24], b[q + 24], l24);
            l28 = Math.fma(a[p + 28], b[q + 28], l28);
        }
        return ((l0 + l16) + (l8 + l24)) + ((l4 + l20) + (l12 + l28));
    }

    @Override
    public float scores(
            float[] query,
            int queryAt,
            float[] keys,
            int keysAt,
            int positions,
            int width,
            float scale,
            float[] scores,
            int at) {
        float most = Float.NEGATIVE_INFINITY;
        for (int p = 0; p < positions; p++) {
            float score = dot(query, queryAt, keys, keysAt + p * width, width) * scale;
            scores[at + p] = score;
            most = Math.max(most, score);
        }
        return most;
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
        for (int p = at; p < at + positions; p++) {
            weights[p] *= factor;
        }
        for (int i = 0; i < width; i++) {
            to[toAt + i] = mixed(weights, at, values, valuesAt + i, positions, width);
        }
    }

    /** One value of {@link #mix}, its weights scaled already. */
    static float mixed(float[] weights, int at, float[] values, int valuesAt, int positions, int width) {
        float first = lanes(weights, at, values, valuesAt, positions, width, 0);
        float second = lanes(weights, at, values, valuesAt, positions, width, 1);
        float third = lanes(weights, at, values, valuesAt, positions, width, 2);
        float fourth = lanes(weights, at, values, valuesAt, positions, width, 3);
        return (first + second) + (third + fourth);
    }

    /** Lanes {@code first, first + 4, ...} of 32 over the positions, added up. */
    private static float lanes(
            float[] weights, int at, float[] values, int valuesAt, int positions, int width, int first) {
        float even = 0;
        float odd = 0;
        for (int lane = first; lane < first + 8; lane += 4) {
            float a = lane(weights, at, values, valuesAt, positions, width, lane);
            float b = lane(weights, at, values, valuesAt, positions, width, lane + 8);
            float c = lane(weights, at, values, valuesAt, positions, width, lane + 16);
            float d = lane(weights, at, values, valuesAt, positions, width, lane + 24);
            float sum = (a + c) + (b + d);
            if (lane == first) {
                even = sum;
            } else {
                odd = sum;
            }
        }
        return even + odd;
    }

    private static float lane(
            float[] weights, int at, float[] values, int valuesAt, int positions, int width, int lane) {
        float sum = 0;
        for (int p = lane; p < positions; p += 32) {
            sum = Math.fma(weights[at + p], values[valuesAt + p * width], sum);
        }
        return sum;
    }

    @Override
    public double exponentials(float[] x, int from, int count, float most) {
        double sum = 0;
        int end = from + count;
        int i = from;
        for (; i + 8 <= end; i += 8) {
            for (int j = i; j < i + 8; j++) {
                x[j] = Exponential.of(x[j] - most);
            }
            sum += fold8(x, i);
        }
        return sum + lastExponentials(x, i, end, most);
    }

    /** Fewer than eight: lanes that are not there are 0. */
    static float lastExponentials(float[] x, int from, int end, float most) {
        for (int i = from; i < end; i++) {
            x[i] = Exponential.of(x[i] - most);
        }
        float a = lane(x, from, end) + lane(x, from + 4, end);
        float b = lane(x, from + 1, end) + lane(x, from + 5, end);
        float c = lane(x, from + 2, end) + lane(x, from + 6, end);
        return (a + c) + (b + lane(x, from + 3, end));
    }

    private static float lane(float[] x, int at, int end) {
        return at < end ? x[at] : 0;
    }

    @Override
    public void gated(float[] gate, float[] up, int count, float[] room) {
        for (int i = 0; i < count; i++) {
            gate[i] = gate[i] / (1 + Exponential.of(-gate[i])) * up[i];
        }
    }
}
