package dev.portal.voice.stt.transducer;

/**
 * How a transducer is run.
 *
 * @param blankPenalty taken off the blank's logit: above 0 for models that leave out words
 * @param maxWholeSeconds the longest stretch that an encoder for whole utterances gets at once, 1 to 600
 */
public record TransducerOptions(double blankPenalty, int maxWholeSeconds) {
    public static final TransducerOptions DEFAULT = new TransducerOptions(0, 30);

    public TransducerOptions {
        if (!Double.isFinite(blankPenalty) || maxWholeSeconds < 1 || maxWholeSeconds > 600) {
            throw new IllegalArgumentException("blankPenalty " + blankPenalty + " must be finite, and maxWholeSeconds "
                    + maxWholeSeconds + " from 1 to 600");
        }
    }
}
