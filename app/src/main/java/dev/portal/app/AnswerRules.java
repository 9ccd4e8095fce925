package dev.portal.app;

import dev.portal.llm.decoder.Grammar;
import org.jspecify.annotations.Nullable;

/**
 * What restrains every answer of a language model that is decoded in this process.
 *
 * @param minP tokens less likely than this part of the likeliest are not taken; 0 for all
 * @param repetition makes tokens that were said less likely; 1 for not
 * @param grammar that answers keep; null for none
 */
record AnswerRules(double minP, double repetition, @Nullable Grammar grammar) {
    static final AnswerRules NONE = new AnswerRules(0, 1, null);
}
