package dev.portal.llm.decoder;

import org.jspecify.annotations.Nullable;

/**
 * How the next token is chosen.
 *
 * @param temperature 0 takes the most likely token always
 * @param topK this many of the most likely are looked at; 0 for all
 * @param topP of these the fewest that together are as likely as this; 1 for all
 * @param minP of these those at least this part as likely as the most likely; 0 for all
 * @param repetition divides the logits of tokens among the last {@code window} (multiplies negative ones); 1 for none
 * @param window tokens that {@code repetition} looks at
 * @param seed of the choice
 * @param grammar that the answer must keep; null for none
 */
public record Sampling(
        double temperature,
        int topK,
        double topP,
        double minP,
        double repetition,
        int window,
        long seed,
        @Nullable Grammar grammar) {
    public Sampling {
        if (!(temperature >= 0)
                || topK < 0
                || !(topP > 0 && topP <= 1)
                || !(minP >= 0 && minP <= 1)
                || !(repetition > 0)
                || window < 0) {
            throw new IllegalArgumentException("temperature " + temperature + ", top-k " + topK + ", top-p " + topP
                    + ", min-p " + minP + ", repetition " + repetition + " over " + window + " tokens: at least 0, 0, "
                    + "above 0 to 1, 0 to 1, above 0, at least 0 are possible");
        }
    }

    /** The most likely token, always. */
    public static Sampling greedy() {
        return new Sampling(0, 0, 1, 0, 1, 64, 0, null);
    }
}
