package dev.portal.voice.stt.transducer;

import dev.portal.voice.stt.grammar.CommandGrammar;
import org.jspecify.annotations.Nullable;

/**
 * How a transducer is run.
 *
 * @param blankPenalty taken off the blank's logit: above 0 for models that leave out words
 * @param maxWholeSeconds the longest stretch that an encoder for whole utterances gets at once, 1 to 600
 * @param grammar sentences that are likelier than others to be said; null for none
 * @param grammarMargin a sentence of the grammar is taken for what was said when the logarithm of its probability is
 *     less than that of the likeliest text by no more than this for each token; 0 or more
 */
public record TransducerOptions(
        double blankPenalty, int maxWholeSeconds, @Nullable CommandGrammar grammar, double grammarMargin) {
    public static final TransducerOptions DEFAULT = new TransducerOptions(0, 30, null, 0.6);

    public TransducerOptions {
        if (!Double.isFinite(blankPenalty) || maxWholeSeconds < 1 || maxWholeSeconds > 600 || !(grammarMargin >= 0)) {
            throw new IllegalArgumentException("blankPenalty " + blankPenalty + " must be finite, maxWholeSeconds "
                    + maxWholeSeconds + " from 1 to 600, and grammarMargin " + grammarMargin + " 0 or more");
        }
    }

    /** The same, listening for these sentences first. */
    public TransducerOptions withGrammar(CommandGrammar sentences) {
        return new TransducerOptions(blankPenalty, maxWholeSeconds, sentences, grammarMargin);
    }
}
