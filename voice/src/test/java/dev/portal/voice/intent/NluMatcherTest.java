package dev.portal.voice.intent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.portal.voice.Feature;
import dev.portal.voice.stage.OnnxBytes;
import dev.portal.voice.stage.OnnxStages;
import dev.portal.voice.stage.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NluMatcherTest {
    private static final Map<String, List<String>> EXAMPLES = Map.of(
            "light.on", List.of("turn on the light", "switch the lamp on", "make it bright in here"),
            "light.off", List.of("turn off the light", "switch the lamp off"),
            "timer.set", List.of("set a timer for five minutes", "remind me in ten minutes"),
            "weather", List.of("what is the weather like", "will it rain tomorrow"));

    private final OnnxStages stages = new OnnxStages();

    @AfterEach
    void nothingLeaks() {
        assertThat(stages.openModels()).isZero();
        stages.close();
    }

    private static Path model() {
        Path folder = Path.of(System.getProperty("portal.home"), "models", "minilm");
        Assumptions.assumeTrue(
                Files.isRegularFile(folder.resolve("model.onnx")),
                () -> "SKIPPED: no model in " + folder + "; './portal models fetch' brings it");
        return folder;
    }

    @Test
    void similaritiesAreThoseThatThePublishersOfTheModelPrint() {
        // sbert.net, quickstart of all-MiniLM-L6-v2: 0.6660, 0.1046, 0.1411. Ours is the model quantised to 8 bits.
        try (SentenceEmbedder embedder = new SentenceEmbedder(stages, model())) {
            float[] lovely = embedder.embed("The weather is lovely today.");
            float[] sunny = embedder.embed("It's so sunny outside!");
            float[] stadium = embedder.embed("He drove to the stadium.");
            assertThat(SentenceEmbedder.cosine(lovely, lovely)).isCloseTo(1, within(1e-5));
            assertThat(SentenceEmbedder.cosine(lovely, sunny)).isCloseTo(0.6660, within(0.03));
            assertThat(SentenceEmbedder.cosine(lovely, stadium)).isCloseTo(0.1046, within(0.03));
            assertThat(SentenceEmbedder.cosine(sunny, stadium)).isCloseTo(0.1411, within(0.03));
        }
    }

    @Test
    void utterancesFindTheirIntentAndStrangersNone() {
        try (NluMatcher matcher = NluMatcher.open(stages, model(), EXAMPLES, NluMatcher.DEFAULT_THRESHOLD)) {
            assertThat(intent(matcher, "please switch on the lights")).isEqualTo("light.on");
            assertThat(intent(matcher, "can you turn the lamp off")).isEqualTo("light.off");
            assertThat(intent(matcher, "start a timer of three minutes")).isEqualTo("timer.set");
            assertThat(intent(matcher, "is it going to rain tomorrow")).isEqualTo("weather");
            assertThat(intent(matcher, "the stock market fell on monday")).isEqualTo("none");
            assertThat(intent(matcher, "  ")).isEqualTo("none");
            assertThat(matcher.ranked("turn on the light"))
                    .hasSize(4)
                    .first()
                    .satisfies(best -> assertThat(best.similarity()).isCloseTo(1, within(1e-5)))
                    .extracting(IntentMatch::example)
                    .isEqualTo("turn on the light");
        }
    }

    private static String intent(NluMatcher matcher, String utterance) {
        return matcher.match(utterance).map(IntentMatch::intent).orElse("none");
    }

    @Test
    void withoutTheFeatureNothingIsLoaded() {
        Path nowhere = Path.of("nowhere");
        assertThat(NluMatcher.openIf(Set.of(), stages, nowhere, EXAMPLES)).isEmpty();
        assertThatThrownBy(() -> NluMatcher.openIf(EnumSet.of(Feature.NLU_MINILM), stages, nowhere, EXAMPLES))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("./portal models fetch");
    }

    @Test
    void aModelThatIsNoSentenceModelIsRefused(@TempDir Path folder) throws IOException {
        Files.writeString(
                folder.resolve("tokenizer.json"),
                "{\"normalizer\":{\"lowercase\":true},\"model\":{\"type\":\"WordPiece\","
                        + "\"vocab\":{\"[UNK]\":0,\"[CLS]\":1,\"[SEP]\":2}}}");
        OnnxBytes identity = new OnnxBytes()
                .input("x", OnnxBytes.FLOAT, 1)
                .output("y", OnnxBytes.FLOAT, 1)
                .node("Identity", List.of("x"), List.of("y"));
        Files.write(folder.resolve("model.onnx"), identity.bytes());
        assertThatThrownBy(() -> NluMatcher.open(stages, folder, EXAMPLES, 0.5))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("is no sentence model");
        assertThatThrownBy(() -> NluMatcher.open(stages, folder, EXAMPLES, 1.5))
                .hasMessageContaining("threshold of 1.5");
    }
}
