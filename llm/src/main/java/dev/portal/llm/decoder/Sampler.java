package dev.portal.llm.decoder;

import dev.portal.base.RandomStream;
import dev.portal.llm.tokenizer.Tokenizer;
import org.jspecify.annotations.Nullable;

/**
 * Chooses tokens by their logits: repetition, grammar, top-k, top-p, min-p, temperature, then a draw, in this order.
 * One answer, one thread. Choosing allocates nothing, a grammar apart.
 */
final class Sampler {
    private final Sampling sampling;
    private final Tokenizer tokenizer;
    private final RandomStream random;
    private final @Nullable GrammarMatcher matcher;
    /** The last tokens, in a ring. */
    private final int[] recent;

    private int seen;
    /** A heap of token ids, the likeliest first, then the candidates. */
    private final int[] order;

    private final float[] weights;

    Sampler(Sampling sampling, Tokenizer tokenizer, int vocabulary) {
        this.sampling = sampling;
        this.tokenizer = tokenizer;
        random = new RandomStream(sampling.seed()).derive("sampler");
        Grammar grammar = sampling.grammar();
        matcher = grammar == null ? null : grammar.matcher();
        recent = new int[sampling.repetition() == 1 ? 0 : sampling.window()];
        boolean greedy = sampling.temperature() == 0;
        order = new int[greedy ? 0 : vocabulary];
        weights = new float[greedy ? 0 : vocabulary];
    }

    /** A token that counts for the repetitions, but was not chosen here: one of the prompt. */
    void saw(int token) {
        if (recent.length > 0) {
            recent[seen++ % recent.length] = token;
        }
    }

    /**
     * The next token.
     *
     * @param logits one a token; changed
     * @return the token; -1 when the grammar allows none and the answer must end
     */
    int next(float[] logits) {
        repeat(logits);
        if (matcher != null) {
            forbid(logits, matcher);
        }
        int token = sampling.temperature() == 0 ? likeliest(logits) : drawn(logits);
        if (token < 0 || logits[token] == Float.NEGATIVE_INFINITY) {
            return -1;
        }
        saw(token);
        if (matcher != null && !tokenizer.vocabulary().ends(token)) {
            matcher.accept(tokenizer.bytes(token));
        }
        return token;
    }

    private void repeat(float[] logits) {
        float penalty = (float) sampling.repetition();
        int count = Math.min(seen, recent.length);
        for (int i = 0; i < count; i++) {
            int token = recent[i];
            boolean again = false;
            for (int j = 0; j < i && !again; j++) {
                again = recent[j] == token;
            }
            if (!again) {
                logits[token] = logits[token] > 0 ? logits[token] / penalty : logits[token] * penalty;
            }
        }
    }

    private void forbid(float[] logits, GrammarMatcher rules) {
        for (int token = 0; token < logits.length; token++) {
            boolean allowed =
                    tokenizer.vocabulary().ends(token) ? rules.complete() : rules.allows(tokenizer.bytes(token));
            if (!allowed) {
                logits[token] = Float.NEGATIVE_INFINITY;
            }
        }
    }

    /** The first of the largest. */
    static int likeliest(float[] logits) {
        int best = 0;
        for (int i = 1; i < logits.length; i++) {
            if (logits[i] > logits[best]) {
                best = i;
            }
        }
        return best;
    }

    private int drawn(float[] logits) {
        int size = logits.length;
        for (int i = 0; i < size; i++) {
            order[i] = i;
        }
        for (int i = size / 2 - 1; i >= 0; i--) {
            sink(logits, i, size);
        }
        float most = logits[order[0]];
        if (most == Float.NEGATIVE_INFINITY) {
            return -1;
        }
        double all = 0;
        int limit = sampling.topK() == 0 ? size : Math.min(size, sampling.topK());
        if (limit == size) {
            for (float logit : logits) {
                all += Math.exp(logit - most);
            }
        }
        int kept = taken(logits, most, limit, all);
        // Taken ones stand at the end of the array, the likeliest last.
        double sum = 0;
        for (int i = 0; i < kept; i++) {
            double weight = Math.exp((logits[order[size - 1 - i]] - most) / sampling.temperature());
            weights[i] = (float) weight;
            sum += weights[i];
        }
        double draw = random.nextDouble() * sum;
        for (int i = 0; i < kept - 1; i++) {
            draw -= weights[i];
            if (draw < 0) {
                return order[size - 1 - i];
            }
        }
        return order[size - kept];
    }

    /** Takes the likeliest off the heap as long as the limits let more in; says how many. */
    private int taken(float[] logits, float most, int limit, double all) {
        int size = logits.length;
        double total = all;
        if (limit < size) {
            // The share of each is that among the top k: take those first, then count.
            for (int i = 0; i < limit; i++) {
                pop(logits, size - i);
                total += Math.exp(logits[order[size - 1 - i]] - most);
            }
        }
        double share = 0;
        int kept = 0;
        while (kept < limit) {
            if (limit == size) {
                pop(logits, size - kept);
            }
            double chance = Math.exp(logits[order[size - 1 - kept]] - most);
            if (kept > 0 && (chance < sampling.minP() || chance == 0)) {
                break;
            }
            kept++;
            share += chance / total;
            if (share >= sampling.topP()) {
                break;
            }
        }
        return kept;
    }

    /** Moves the likeliest of a heap of {@code size} behind it. */
    private void pop(float[] logits, int size) {
        int top = order[0];
        order[0] = order[size - 1];
        order[size - 1] = top;
        sink(logits, 0, size - 1);
    }

    private void sink(float[] logits, int from, int size) {
        int at = from;
        while (true) {
            int child = 2 * at + 1;
            if (child >= size) {
                return;
            }
            if (child + 1 < size && before(logits, order[child + 1], order[child])) {
                child++;
            }
            if (!before(logits, order[child], order[at])) {
                return;
            }
            int moved = order[at];
            order[at] = order[child];
            order[child] = moved;
            at = child;
        }
    }

    private static boolean before(float[] logits, int a, int b) {
        return logits[a] > logits[b] || (logits[a] == logits[b] && a < b);
    }
}
