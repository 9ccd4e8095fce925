package dev.portal.llm.decoder;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.llm.gguf.GgufFile;
import dev.portal.llm.gguf.TensorType;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Logits against those that {@code src/test/python/decoder_vectors.py} computes by numpy in double precision
 * (decoder/logits.bin is its output).
 *
 * <p>The largest difference allowed is 2e-6 of the largest logit of the vector. Where activations are rounded to 8 bits, a
 * value that lies on the edge between two steps may fall to either side and moves by a whole step of 1/127; that happens
 * to a few of the vectors, which are counted and may differ by 2e-2.
 */
final class DecoderVectorsTest {
    private static final double SAME = 2e-6;
    private static final double ONE_STEP = 2e-2;
    private static final int[] TOKENS = {3, 17, 5, 80, 41, 2, 95, 60, 11, 33, 7, 54};
    private static final int[] SHOWN = {0, 5, 11};

    @TempDir
    private Path folder;

    private int compared;
    private int steps;

    private static Map<String, float[]> vectors() throws IOException {
        Map<String, float[]> vectors = new LinkedHashMap<>();
        try (InputStream file =
                        Objects.requireNonNull(DecoderVectorsTest.class.getResourceAsStream("/decoder/logits.bin"));
                DataInputStream in = new DataInputStream(file)) {
            for (int length = in.read(); length >= 0; length = in.read()) {
                String name = new String(in.readNBytes(length), java.nio.charset.StandardCharsets.US_ASCII);
                float[] values = new float[Integer.reverseBytes(in.readInt())];
                for (int i = 0; i < values.length; i++) {
                    values[i] = Float.intBitsToFloat(Integer.reverseBytes(in.readInt()));
                }
                vectors.put(name, values);
            }
        }
        return vectors;
    }

    @Test
    @Tag("slow")
    void logitsOfEveryFamilyAndTypeAreThoseOfTheIndependentComputation() throws IOException {
        Map<String, float[]> vectors = vectors();
        assertThat(vectors).hasSizeGreaterThan(50);
        for (Map.Entry<String, float[]> vector : vectors.entrySet()) {
            String[] name = vector.getKey().split("/");
            if (name[0].equals("tiny")) {
                continue;
            }
            Path file = RandomModels.write(
                    folder.resolve(name[0] + name[1] + ".gguf"), name[0], TensorType.valueOf(name[1]));
            compare(vector.getKey(), vector.getValue(), file, Kernels.best(), TOKENS);
            if (name[0].equals("llama")) {
                compare(vector.getKey(), vector.getValue(), file, new ScalarKernels(), TOKENS);
            }
        }
        assertThat(steps).as("of %d vectors moved by a step", compared).isLessThan(compared / 8);
    }

    @Test
    void logitsOfAFewAreThoseOfTheIndependentComputation() throws IOException {
        some(folder, List.of("qwen2/Q8_0/q8", "qwen3/Q4_K/q8", "llama3/F32/exact"));
    }

    /** Compares some, with models written to a folder. */
    void some(Path folder, List<String> names) throws IOException {
        Map<String, float[]> vectors = vectors();
        for (String each : names) {
            String[] name = each.split("/");
            Path file = RandomModels.write(folder.resolve(name[0] + ".gguf"), name[0], TensorType.valueOf(name[1]));
            compare(each, Objects.requireNonNull(vectors.get(each)), file, Kernels.best(), TOKENS);
        }
    }

    @Test
    void logitsOfTheTinyAssistantAreThoseOfTheIndependentComputation() throws IOException {
        Path file =
                Path.of(System.getProperty("portal.root", "..")).resolve("models/tiny-assistant/tiny-assistant.gguf");
        Map<String, float[]> vectors = vectors();
        int vocabulary = Objects.requireNonNull(vectors.get("tiny/F32/exact")).length / SHOWN.length;
        int[] tokens = new int[12];
        RandomModels.Draws draws = new RandomModels.Draws("tiny");
        tokens[0] = 1;
        for (int i = 1; i < tokens.length; i++) {
            tokens[i] = (int) Long.remainderUnsigned(draws.next(), vocabulary);
        }
        for (String name : List.of("tiny/F32/exact", "tiny/F32/i8")) {
            for (Kernels kernels : List.of(new ScalarKernels(), Kernels.best())) {
                compare(name, Objects.requireNonNull(vectors.get(name)), file, kernels, tokens);
            }
        }
    }

    private void compare(String name, float[] expected, Path path, Kernels kernels, int[] tokens) throws IOException {
        String rule = name.substring(name.lastIndexOf('/') + 1);
        boolean floats = name.contains("/F32/") || name.contains("/F16/");
        List<Rule> rules = switch (rule) {
            case "exact" -> floats ? List.of(Rule.EXACT, Rule.NATIVE) : List.of(Rule.EXACT);
            case "q8" -> List.of(Rule.NATIVE);
            default -> List.of(Rule.I8);
        };
        double most = 0;
        for (float each : expected) {
            most = Math.max(most, Math.abs(each));
        }
        try (GgufFile file = GgufFile.open(path)) {
            for (Rule each : rules) {
                double worst = worst(expected, each.decoder(file, kernels, 6), tokens) / most;
                assertThat(worst)
                        .as("%s, %s, %s", name, each, kernels.name())
                        .isLessThan(rule.equals("exact") ? SAME : ONE_STEP);
                compared++;
                steps += worst < SAME ? 0 : 1;
            }
        }
    }

    private static double worst(float[] expected, LlamaDecoder decoder, int[] tokens) {
        double worst = 0;
        int vocabulary = expected.length / SHOWN.length;
        for (int shown = 0, from = 0; shown < SHOWN.length; from = SHOWN[shown] + 1, shown++) {
            float[] logits = decoder.read(tokens, from, SHOWN[shown] + 1 - from, true);
            for (int j = 0; j < vocabulary; j++) {
                worst = Math.max(worst, Math.abs(logits[j] - expected[shown * vocabulary + j]));
            }
        }
        return worst;
    }
}
