package dev.portal.llm.decoder;

import org.jspecify.annotations.Nullable;

/**
 * How a model is opened and decoded.
 *
 * @param contextTokens positions of the cache; at most what the model was made for is taken
 * @param batchTokens tokens of a prompt that are read at once at most
 * @param segmentNanos the longest time that one step should take: pieces of the prompt are cut to it
 * @param freeBytes memory that the model may take, for weights that are converted and the cache
 * @param minP see {@link Sampling}
 * @param repetition see {@link Sampling}
 * @param grammar that every answer must keep; null for none
 * @param ignoreEnd whether the model's wish to end is passed over: for measurements
 */
public record LocalOptions(
        int contextTokens,
        int batchTokens,
        long segmentNanos,
        long freeBytes,
        double minP,
        double repetition,
        @Nullable Grammar grammar,
        boolean ignoreEnd) {
    /** 512 positions, pieces of 32 tokens or 20 ms, no more than {@code freeBytes}. */
    public static LocalOptions defaults(long freeBytes) {
        return new LocalOptions(512, 32, 20_000_000, freeBytes, 0, 1, null, false);
    }

    /** With another context. */
    public LocalOptions withContext(int tokens) {
        return new LocalOptions(tokens, batchTokens, segmentNanos, freeBytes, minP, repetition, grammar, ignoreEnd);
    }

    /** With the end of answers passed over. */
    public LocalOptions withoutEnd() {
        return new LocalOptions(contextTokens, batchTokens, segmentNanos, freeBytes, minP, repetition, grammar, true);
    }

    /** With larger pieces of the prompt, whatever time they take. */
    public LocalOptions withBatch(int tokens) {
        return new LocalOptions(contextTokens, tokens, Long.MAX_VALUE, freeBytes, minP, repetition, grammar, ignoreEnd);
    }

    /** With other choices. */
    public LocalOptions withSampling(double leastP, double repeated, @Nullable Grammar rules) {
        return new LocalOptions(
                contextTokens, batchTokens, segmentNanos, freeBytes, leastP, repeated, rules, ignoreEnd);
    }
}
