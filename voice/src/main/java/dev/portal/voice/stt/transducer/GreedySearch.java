package dev.portal.voice.stt.transducer;

import dev.portal.scheduler.Inference;
import dev.portal.scheduler.Tensor;
import dev.portal.voice.stage.ModelStage;
import dev.portal.voice.stage.StageException;
import java.util.Arrays;
import java.util.List;

/**
 * Picks the best token for each frame, at most one: the joiner weighs the frame against what the decoder makes of the
 * last tokens. The decoder runs again after each token that is no blank. One thread at a time.
 */
final class GreedySearch {
    private final ModelStage decoder;
    private final ModelStage joiner;
    private final Inference inference;
    private final Tokens vocabulary;
    private final double blankPenalty;
    private final int contextSize;

    /** Begins with {@code contextSize} blanks, which are no part of the result. */
    private long[] tokens;

    private int count;
    private double logProbability;
    private float[] decoded = new float[0];

    GreedySearch(ModelStage decoder, ModelStage joiner, Inference inference, Tokens vocabulary, double blankPenalty) {
        this.decoder = decoder;
        this.joiner = joiner;
        this.inference = inference;
        this.vocabulary = vocabulary;
        this.blankPenalty = blankPenalty;
        this.contextSize = Metadata.positive(decoder, "context_size");
        int vocabularySize = Metadata.positive(decoder, "vocab_size");
        if (vocabulary.size() != vocabularySize) {
            throw new StageException("tokens.txt has numbers up to " + (vocabulary.size() - 1) + ", and "
                    + decoder.name() + " has a vocabulary of " + vocabularySize + "; they belong to different models");
        }
        if (decoder.inputs().size() != 1
                || decoder.inputs().getFirst().type() != Tensor.Type.INT64
                || joiner.inputs().size() != 2) {
            throw new StageException("expected a decoder of one int64 input and a joiner of two inputs; they take "
                    + decoder.inputs() + " and " + joiner.inputs());
        }
        this.tokens = new long[contextSize + 64];
    }

    /** Starts a new utterance. */
    void start() {
        Arrays.fill(tokens, 0, contextSize, Tokens.BLANK);
        count = 0;
        logProbability = 0;
        decoded = new float[0];
    }

    /** Takes what the encoder made. */
    void accept(Frames frames) {
        if (decoded.length == 0) {
            decoded = decode();
        }
        for (int i = 0; i < frames.count(); i++) {
            float[] logits = join(frames.frame(i));
            logits[Tokens.BLANK] -= (float) blankPenalty;
            int best = best(logits);
            if (!vocabulary.isSilent(best)) {
                append(best);
                logProbability += logProbability(logits, best);
                decoded = decode();
            }
        }
    }

    private void append(int token) {
        if (contextSize + count == tokens.length) {
            tokens = Arrays.copyOf(tokens, 2 * tokens.length);
        }
        tokens[contextSize + count] = token;
        count++;
    }

    private float[] decode() {
        long[] context = Arrays.copyOfRange(tokens, count, count + contextSize);
        Tensor input = Tensor.ofLongs(decoder.inputs().getFirst().name(), context, 1, contextSize);
        return inference.run(decoder.job(List.of(input))).outputs().getFirst().toFloats();
    }

    private float[] join(float[] frame) {
        Tensor encoderOut = Tensor.ofFloats(joiner.inputs().get(0).name(), frame, 1, frame.length);
        Tensor decoderOut = Tensor.ofFloats(joiner.inputs().get(1).name(), decoded, 1, decoded.length);
        float[] logits = inference
                .run(joiner.job(List.of(encoderOut, decoderOut)))
                .outputs()
                .getFirst()
                .toFloats();
        if (logits.length != vocabulary.size()) {
            throw new StageException(
                    joiner.name() + " gives " + logits.length + " values for a vocabulary of " + vocabulary.size());
        }
        return logits;
    }

    private static int best(float[] logits) {
        int best = 0;
        for (int i = 1; i < logits.length; i++) {
            if (logits[i] > logits[best]) {
                best = i;
            }
        }
        return best;
    }

    private static double logProbability(float[] logits, int token) {
        double sum = 0;
        for (float logit : logits) {
            sum += Math.exp(logit - logits[token]);
        }
        return -Math.log(sum);
    }

    String text() {
        return vocabulary.text(tokens, contextSize, contextSize + count);
    }

    /** The geometric mean of the tokens' probabilities; NaN where there is none. */
    double confidence() {
        return count == 0 ? Double.NaN : Math.exp(logProbability / count);
    }
}
