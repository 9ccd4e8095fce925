/**
 * What an utterance is for: the nearest of a few example sentences, by the meaning of a sentence as MiniLM puts it.
 *
 * <p>Behind the feature {@code nlu-minilm}. The model runs on the CPU, in about a millisecond a sentence, on the caller's
 * thread; it is no workload of the arbiter.
 */
@NullMarked
package dev.portal.voice.intent;

import org.jspecify.annotations.NullMarked;
