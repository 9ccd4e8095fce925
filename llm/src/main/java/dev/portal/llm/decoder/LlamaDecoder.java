package dev.portal.llm.decoder;

import dev.portal.llm.decoder.ModelWeights.Layer;
import dev.portal.scheduler.Preemption;
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

    private static final int PARTS = 4;
    private static final int IDLE = -1;

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
    private final float[][] queryKeyValue;
    private final float[][] gateAndUp;
    private final float[][] intoProjected;
    private final float[][] intoLogits;

    /** Four parts a layer, then the output; {@link #IDLE} between two reads. */
    private int part = IDLE;

    private boolean prepared;
    private int count;
    private boolean wanted;
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
        queryKeyValue = new float[][] {query, key, value};
        gateAndUp = new float[][] {gate, up};
        intoProjected = new float[][] {projected};
        intoLogits = new float[][] {logits};
        scores = new float[team.threads() * (cache.capacity() + Kernels.ROOM_FOR_SUMS)];
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
     * @param tokens 1 to {@link #batch()} of them, and no more than fit into the cache
     * @param with whether the logits of the last one are to be computed
     * @return logits of the last token if wanted, else what they were before; the decoder's own array
     */
    float[] read(int[] tokens, int from, int number, boolean with) {
        begin(tokens, from, number, with);
        while (!advance(Preemption.NEVER)) {
            // Nothing stops it.
        }
        return logits;
    }

    /** Begins to read; {@link #advance} does the work. The tokens are taken at once. */
    void begin(int[] tokens, int from, int number, boolean with) {
        if (part != IDLE) {
            throw new IllegalStateException("the last tokens are not read to their end");
        }
        if (number < 1 || number > batch || number > cache.capacity() - cache.length()) {
            throw new IllegalArgumentException(number + " tokens; 1 to " + batch + " are read at once, and "
                    + (cache.capacity() - cache.length()) + " fit into the cache");
        }
        int width = shape.width();
        for (int i = 0; i < number; i++) {
            WeightRows.read(weights.embeddings(), tokens[from + i], row);
            System.arraycopy(row, 0, x, i * width, width);
        }
        first = cache.length();
        count = number;
        wanted = with;
        part = 0;
        prepared = false;
    }

    /** Whether tokens are being read. */
    boolean reading() {
        return part != IDLE;
    }

    /** Logits of the last token for which they were wanted; the decoder's own array. */
    float[] logits() {
        return logits;
    }

    /**
     * Goes on reading, until it is done or something more urgent waits; at least one part of a layer, or a step of a
     * device's chain.
     *
     * @return whether it is done; the cache has grown then, and not before
     */
    boolean advance(Preemption preemption) {
        int end = PARTS * shape.layers() + (wanted ? 1 : 0);
        while (part < end) {
            if (!part(preemption)) {
                return false;
            }
            part++;
            prepared = false;
            if (part < end && part % PARTS == 0 && preemption.requested()) {
                return false;
            }
        }
        cache.grow(count);
        part = IDLE;
        return true;
    }

    /** Forgets what was begun and not read to its end; the cache is as it was before. */
    void abandon() {
        if (part != IDLE) {
            group().abandon();
            part = IDLE;
        }
    }

    private LinearGroup group() {
        if (part == PARTS * shape.layers()) {
            return weights.output();
        }
        Layer layer = weights.layers().get(part / PARTS);
        return switch (part % PARTS) {
            case 0 -> layer.queryKeyValue();
            case 1 -> layer.attentionOutput();
            case 2 -> layer.gateUp();
            default -> layer.down();
        };
    }

    /** Runs one part; says whether it is done. What comes before its matrices is done once. */
    private boolean part(Preemption preemption) {
        if (part == PARTS * shape.layers()) {
            if (!prepared) {
                norm(x, (count - 1) * shape.width(), weights.outputNorm(), shape.width(), last, 0);
                prepared = true;
            }
            return weights.output().apply(last, intoLogits, 1, preemption);
        }
        layerIndex = part / PARTS;
        Layer layer = weights.layers().get(layerIndex);
        return switch (part % PARTS) {
            case 0 -> {
                if (!prepared) {
                    norms(layer.attentionNorm());
                    prepared = true;
                }
                yield layer.queryKeyValue().apply(normed, queryKeyValue, count, preemption);
            }
            case 1 -> {
                if (!prepared) {
                    attention(layer);
                    prepared = true;
                }
                yield added(layer.attentionOutput().apply(mixed, intoProjected, count, preemption));
            }
            case 2 -> {
                if (!prepared) {
                    norms(layer.forwardNorm());
                    prepared = true;
                }
                yield layer.gateUp().apply(normed, gateAndUp, count, preemption);
            }
            default -> {
                if (!prepared) {
                    kernels.gated(gate, up, count * shape.hidden(), scores);
                    prepared = true;
                }
                yield added(layer.down().apply(gate, intoProjected, count, preemption));
            }
        };
    }

    /** Adds what was projected to the residual stream, once it is there. */
    private boolean added(boolean done) {
        if (done) {
            int size = count * shape.width();
            for (int i = 0; i < size; i++) {
                x[i] += projected[i];
            }
        }
        return done;
    }

    private void attention(Layer layer) {
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
        float scale = 1 / (float) Math.sqrt(headWidth);
        float[] keys = cache.keys(layerIndex);
        float[] values = cache.values(layerIndex);
        for (int i = from; i < to; i++) {
            int head = i % heads;
            int positions = first + i / heads + 1;

            int room = worker * (cache.capacity() + Kernels.ROOM_FOR_SUMS);
            int at = i * headWidth;
            int keyRow = cache.row(head / shared, 0);
            float most = kernels.scores(query, at, keys, keyRow, positions, headWidth, scale, scores, room);
            float inverse = (float) (1 / kernels.exponentials(scores, room, positions, most));
            kernels.mix(scores, room, inverse, values, keyRow, positions, headWidth, mixed, at);
        }
    }

    private void norms(float[] factors) {
        int width = shape.width();
        for (int i = 0; i < count; i++) {
            norm(x, i * width, factors, width, normed, i * width);
        }
    }

    private void norm(float[] in, int at, float[] factors, int width, float[] out, int to) {
        double squares = 0;
        for (int i = at; i < at + width; i++) {
            squares += in[i] * in[i];
        }
        float scale = 1 / (float) Math.sqrt((float) (squares / width) + shape.epsilon());
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
}
