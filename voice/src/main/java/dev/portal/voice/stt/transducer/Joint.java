package dev.portal.voice.stt.transducer;

import dev.portal.scheduler.Inference;
import dev.portal.scheduler.Tensor;
import dev.portal.voice.stage.ModelStage;
import dev.portal.voice.stage.StageException;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Decoder and joiner as what the searches ask of them: how likely each token is at a frame, after these tokens. What was
 * asked in the same utterance, or at the same frame, is not computed again. One thread at a time.
 */
final class Joint {
    private final ModelStage decoder;
    private final ModelStage joiner;
    private final Inference inference;
    private final int vocabularySize;
    private final double blankPenalty;
    private final int contextSize;

    private final Map<List<Integer>, float[]> decoded = new HashMap<>();
    private final IdentityHashMap<float[], float[]> joined = new IdentityHashMap<>();
    private float[] frame = new float[0];

    Joint(ModelStage decoder, ModelStage joiner, Inference inference, Tokens vocabulary, double blankPenalty) {
        this.decoder = decoder;
        this.joiner = joiner;
        this.inference = inference;
        this.blankPenalty = blankPenalty;
        contextSize = Metadata.positive(decoder, "context_size");
        vocabularySize = Metadata.positive(decoder, "vocab_size");
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
    }

    int vocabularySize() {
        return vocabularySize;
    }

    /** Forgets the last utterance. */
    void start() {
        decoded.clear();
        joined.clear();
    }

    /** The next questions are of this frame. */
    void frame(float[] encoded) {
        frame = encoded;
        joined.clear();
    }

    /**
     * The logarithms of the tokens' probabilities at the present frame.
     *
     * @param path the tokens before it
     * @return one a token; not to be changed
     */
    float[] logProbabilities(TokenPath path) {
        float[] prediction = decoded.computeIfAbsent(path.last(contextSize), this::decode);
        return joined.computeIfAbsent(prediction, this::join);
    }

    private float[] decode(List<Integer> context) {
        long[] tokens = context.stream().mapToLong(Integer::longValue).toArray();
        Tensor input = Tensor.ofLongs(decoder.inputs().getFirst().name(), tokens, 1, contextSize);
        return inference.run(decoder.job(List.of(input))).outputs().getFirst().toFloats();
    }

    private float[] join(float[] prediction) {
        Tensor encoderOut = Tensor.ofFloats(joiner.inputs().get(0).name(), frame, 1, frame.length);
        Tensor decoderOut = Tensor.ofFloats(joiner.inputs().get(1).name(), prediction, 1, prediction.length);
        float[] logits = inference
                .run(joiner.job(List.of(encoderOut, decoderOut)))
                .outputs()
                .getFirst()
                .toFloats();
        if (logits.length != vocabularySize) {
            throw new StageException(
                    joiner.name() + " gives " + logits.length + " values for a vocabulary of " + vocabularySize);
        }
        logits[Tokens.BLANK] -= (float) blankPenalty;
        return normalised(logits);
    }

    private static float[] normalised(float[] logits) {
        float most = Float.NEGATIVE_INFINITY;
        for (float logit : logits) {
            most = Math.max(most, logit);
        }
        double sum = 0;
        for (float logit : logits) {
            sum += Math.exp(logit - most);
        }
        float all = most + (float) Math.log(sum);
        for (int i = 0; i < logits.length; i++) {
            logits[i] -= all;
        }
        return logits;
    }
}
