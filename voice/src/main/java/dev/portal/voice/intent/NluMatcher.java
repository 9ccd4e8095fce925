package dev.portal.voice.intent;

import dev.portal.voice.Feature;
import dev.portal.voice.stage.OnnxStages;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Tells which intent an utterance has, by examples. An intent is as near as the nearest of its examples.
 *
 * <p>Any thread. It owns its model.
 */
public final class NluMatcher implements AutoCloseable {
    /** Below this, sentences of MiniLM rarely mean alike. */
    public static final double DEFAULT_THRESHOLD = 0.6;

    private final SentenceEmbedder embedder;
    private final List<Example> examples;
    private final double threshold;

    private record Example(String intent, String utterance, float[] embedding) {}

    /**
     * Opens the matcher where the feature {@code nlu-minilm} is on.
     *
     * @return empty where it is off; nothing is loaded then
     */
    public static Optional<NluMatcher> openIf(
            Set<Feature> features, OnnxStages stages, Path folder, Map<String, List<String>> examples) {
        return features.contains(Feature.NLU_MINILM)
                ? Optional.of(open(stages, folder, examples, DEFAULT_THRESHOLD))
                : Optional.empty();
    }

    /**
     * Opens the model and places the examples.
     *
     * @param folder holds {@code model.onnx} and {@code tokenizer.json}
     * @param examples a few utterances for each intent, as different as users' own
     * @param threshold the least similarity of a match, -1 to 1
     * @throws dev.portal.voice.stage.StageException when a file is missing or of another kind
     */
    public static NluMatcher open(
            OnnxStages stages, Path folder, Map<String, List<String>> examples, double threshold) {
        if (!(threshold >= -1 && threshold <= 1)) {
            throw new IllegalArgumentException("a threshold of " + threshold + "; it must be from -1 to 1");
        }
        SentenceEmbedder embedder = new SentenceEmbedder(stages, folder);
        try {
            List<Example> placed = new ArrayList<>();
            examples.forEach((intent, utterances) -> {
                for (String utterance : utterances) {
                    placed.add(new Example(intent, utterance, embedder.embed(utterance)));
                }
            });
            return new NluMatcher(embedder, placed, threshold);
        } catch (RuntimeException e) {
            embedder.close();
            throw e;
        }
    }

    private NluMatcher(SentenceEmbedder embedder, List<Example> examples, double threshold) {
        this.embedder = embedder;
        this.examples = List.copyOf(examples);
        this.threshold = threshold;
    }

    /** The intent of an utterance; empty where none is near enough, or nothing was said. */
    public Optional<IntentMatch> match(String utterance) {
        return ranked(utterance).stream().findFirst().filter(best -> best.similarity() >= threshold);
    }

    /** All intents, the nearest first; none for an utterance without words. */
    public List<IntentMatch> ranked(String utterance) {
        if (utterance.isBlank()) {
            return List.of();
        }
        float[] embedding = embedder.embed(utterance);
        Map<String, IntentMatch> best = new LinkedHashMap<>();
        for (Example example : examples) {
            double similarity = SentenceEmbedder.cosine(embedding, example.embedding());
            IntentMatch match = new IntentMatch(example.intent(), example.utterance(), similarity);
            best.merge(example.intent(), match, (a, b) -> b.similarity() > a.similarity() ? b : a);
        }
        return best.values().stream()
                .sorted(Comparator.comparingDouble(IntentMatch::similarity).reversed())
                .toList();
    }

    @Override
    public void close() {
        embedder.close();
    }
}
