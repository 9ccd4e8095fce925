package dev.portal.llm.decoder;

import dev.portal.llm.decoder.ModelWeights.Layer;
import org.jspecify.annotations.Nullable;

/**
 * Runs tokens through a llama-family model: norm, attention with rotary positions over the cache, gated feed-forward,
 * layer by layer.
 *
 * <p>Memory is taken once, at construction: a step allocates nothing. One thread at a time.
 */
final class LlamaDecoder {
    /** Multiply-adds of attention below which a second thread costs more than it brings. */
    private static final int ALONE = 1 << 16;

    private final ModelShape shape;
    private final ModelWeights weights;
    private final KvCache cache;
    private final Team team;
    private final Kernels kernels;
    private final int batch;
    private final Rotation rotation;
    private final float[] row;
    private final float[] x;
    private final float[] normed;
    private final float[] query;
    private final float[] key;
    private final float[] value;
    private final float[] mixed;
    private final float[] projected;
    private final float[] gate;
    private final float[] up;
    private final float[] last;
    private final float[] logits;
    private final float[] scores;
    private int layerIndex;
    private int first;
    private final Team.Rows attention = this::attend;

    /**
     * A decoder over a cache.
     *
     * @param batch tokens that are read at once at most
     */
    LlamaDecoder(ModelShape shape, ModelWeights weights, KvCache cache, Team team, Kernels kernels, int batch) {
        this.shape = shape;
        this.weights = weights;
        this.cache = cache;
        this.team = team;
        this.kernels = kernels;
        this.batch = batch;
        rotation = new Rotation(shape.rope());
        row = new float[shape.width()];
        x = new float[batch * shape.width()];
        normed = new float[batch * shape.width()];
        query = new float[batch * shape.queryWidth()];
        key = new float[batch * shape.keyWidth()];
        value = new float[batch * shape.keyWidth()];
        mixed = new float[batch * shape.queryWidth()];
        projected = new float[batch * shape.width()];
        gate = new float[batch * shape.hidden()];
        up = new float[batch * shape.hidden()];
        last = new float[shape.width()];
        logits = new float[shape.vocabulary()];
        scores = new float[team.threads() * cache.capacity()];
    }

    KvCache cache() {
        return cache;
    }

    /** Tokens that {@link #read} takes at once. */
    int batch() {
        return batch;
    }

    /**
     * Reads tokens behind those in the cache.
     *
     * @param count 1 to {@link #batch()}, and no more than fit into the cache
     * @param wanted whether the logits of the last one are to be computed
     * @return logits of the last token if wanted, else what they were before; the decoder's own array
     */
    float[] read(int[] tokens, int from, int count, boolean wanted) {
        if (count < 1 || count > batch || count > cache.capacity() - cache.length()) {
            throw new IllegalArgumentException(count + " tokens; 1 to " + batch + " are read at once, and "
                    + (cache.capacity() - cache.length()) + " fit into the cache");
        }
        int width = shape.width();
        first = cache.length();
        for (int i = 0; i < count; i++) {
            WeightRows.read(weights.embeddings(), tokens[from + i], row);
            System.arraycopy(row, 0, x, i * width, width);
        }
        for (int i = 0; i < shape.layers(); i++) {
            layerIndex = i;
            layer(weights.layers().get(i), count);
        }
        cache.grow(count);
        if (wanted) {
            norm(x, (count - 1) * width, weights.outputNorm(), width, last, 0);
            weights.output().apply(last, logits, 1);
        }
        return logits;
    }

    private void layer(Layer layer, int count) {
        norms(layer.attentionNorm(), count);
        layer.query().apply(normed, query, count);
        layer.key().apply(normed, key, count);
        layer.value().apply(normed, value, count);
        int queryWidth = shape.queryWidth();
        int keyWidth = shape.keyWidth();
        for (int i = 0; i < count; i++) {
            add(layer.queryBias(), query, i * queryWidth);
            add(layer.keyBias(), key, i * keyWidth);
            add(layer.valueBias(), value, i * keyWidth);
            rotation.position(first + i);
            turn(query, i * queryWidth, shape.heads(), layer.queryNorm());
            turn(key, i * keyWidth, shape.keyHeads(), layer.keyNorm());
            cache.put(layerIndex, first + i, key, value, i * keyWidth);
        }
        int rows = shape.heads() * count;
        boolean small = (long) rows * (first + count) * shape.headWidth() < ALONE;
        team.run(attention, rows, small ? rows : Math.max(1, shape.heads() / (2 * team.threads())));
        layer.attentionOutput().apply(mixed, projected, count);
        addTo(x, projected, count * shape.width());
        norms(layer.forwardNorm(), count);
        layer.gate().apply(normed, gate, count);
        layer.up().apply(normed, up, count);
        kernels.gated(gate, up, count * shape.hidden());
        layer.down().apply(gate, projected, count);
        addTo(x, projected, count * shape.width());
    }

    private void turn(float[] values, int at, int heads, float @Nullable [] norm) {
        for (int head = 0; head < heads; head++) {
            int headAt = at + head * shape.headWidth();
            if (norm != null) {
                norm(values, headAt, norm, shape.headWidth(), values, headAt);
            }
            rotation.turn(values, headAt);
        }
    }

    /** Attention of heads: row {@code i} is head {@code i % heads} of token {@code i / heads}. */
    private void attend(int from, int to, int worker) {
        int heads = shape.heads();
        int headWidth = shape.headWidth();
        int shared = heads / shape.keyHeads();
        float scale = (float) (1 / Math.sqrt(headWidth));
        float[] keys = cache.keys(layerIndex);
        float[] values = cache.values(layerIndex);
        for (int i = from; i < to; i++) {
            int head = i % heads;
            int positions = first + i / heads + 1;

            int room = worker * cache.capacity();
            int at = i * headWidth;
            int keyRow = cache.row(head / shared, 0);
            float most = Float.NEGATIVE_INFINITY;
            for (int p = 0; p < positions; p++) {
                float score = kernels.dot(query, at, keys, keyRow + p * headWidth, headWidth) * scale;
                scores[room + p] = score;
                most = Math.max(most, score);
            }
            float inverse = 1 / kernels.exponentials(scores, room, positions, most);
            java.util.Arrays.fill(mixed, at, at + headWidth, 0);
            for (int p = 0; p < positions; p++) {
                kernels.addScaled(scores[room + p] * inverse, values, keyRow + p * headWidth, mixed, at, headWidth);
            }
        }
    }

    private void norms(float[] factors, int count) {
        int width = shape.width();
        for (int i = 0; i < count; i++) {
            norm(x, i * width, factors, width, normed, i * width);
        }
    }

    private void norm(float[] in, int at, float[] factors, int width, float[] out, int to) {
        float squares = kernels.dot(in, at, in, at, width);
        float scale = (float) (1 / Math.sqrt(squares / width + shape.epsilon()));
        for (int i = 0; i < width; i++) {
            out[to + i] = in[at + i] * scale * factors[i];
        }
    }

    private static void add(float @Nullable [] bias, float[] values, int at) {
        if (bias != null) {
            for (int i = 0; i < bias.length; i++) {
                values[at + i] += bias[i];
            }
        }
    }

    private static void addTo(float[] sum, float[] values, int count) {
        for (int i = 0; i < count; i++) {
            sum[i] += values[i];
        }
    }
}
