package dev.portal.voice.intent;

import dev.portal.scheduler.Tensor;
import dev.portal.voice.stage.OnnxModel;
import dev.portal.voice.stage.OnnxStages;
import dev.portal.voice.stage.StageException;
import dev.portal.voice.stage.TensorSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Puts sentences into a space where those that mean alike are near: MiniLM on ONNX Runtime, the mean over the tokens, made
 * one long. Any thread.
 */
final class SentenceEmbedder implements AutoCloseable {
    private static final int MAX_TOKENS = 128;

    private final OnnxModel model;
    private final WordPiece tokenizer;

    /** @param folder holds {@code model.onnx} and {@code tokenizer.json} */
    SentenceEmbedder(OnnxStages stages, Path folder) {
        this.tokenizer = WordPiece.read(folder.resolve("tokenizer.json"));
        this.model = stages.model(folder.resolve("model.onnx"));
        List<String> names = model.inputs().stream().map(TensorSpec::name).toList();
        if (!names.contains("input_ids") || !names.contains("attention_mask") || names.size() > 3) {
            model.close();
            throw new StageException(model + " is no sentence model: it should take input_ids, attention_mask and"
                    + " perhaps token_type_ids");
        }
    }

    /** The unit vector of a sentence. */
    float[] embed(String text) {
        long[] tokens = tokenizer.encode(text, MAX_TOKENS);
        long[] ones = new long[tokens.length];
        Arrays.fill(ones, 1);
        List<Tensor> inputs = new ArrayList<>();
        for (TensorSpec input : model.inputs()) {
            long[] values = switch (input.name()) {
                case "input_ids" -> tokens;
                case "attention_mask" -> ones;
                default -> new long[tokens.length];
            };
            inputs.add(Tensor.ofLongs(input.name(), values, 1, tokens.length));
        }
        return mean(model.run(inputs).getFirst());
    }

    private float[] mean(Tensor states) {
        long[] shape = states.shape();
        if (shape.length != 3 || shape[0] != 1) {
            throw new StageException(model.name() + ": expected [1, tokens, width] and got " + states);
        }
        float[] values = states.toFloats();
        float[] mean = new float[(int) shape[2]];
        for (int i = 0; i < values.length; i++) {
            mean[i % mean.length] += values[i];
        }
        double squares = 0;
        for (float value : mean) {
            squares += value * value;
        }
        for (int i = 0; i < mean.length; i++) {
            mean[i] /= (float) Math.sqrt(squares);
        }
        return mean;
    }

    /** The cosine of the angle between two unit vectors: 1 for the same meaning, about 0 for unrelated ones. */
    static double cosine(float[] a, float[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }

    @Override
    public void close() {
        model.close();
    }
}
