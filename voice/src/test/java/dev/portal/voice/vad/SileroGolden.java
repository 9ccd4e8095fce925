package dev.portal.voice.vad;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Assumptions;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The golden vectors of Silero, and the models themselves where they are installed. */
final class SileroGolden {
    private SileroGolden() {}

    static JsonNode json() {
        return JsonMapper.shared().readTree(resource("silero-vad.json"));
    }

    /** Four seconds at 16 kHz. */
    static float[] signal() {
        byte[] bytes = resource("silero-vad-signal.s16le");
        float[] samples = new float[bytes.length / 2];
        for (int i = 0; i < samples.length; i++) {
            samples[i] = (short) ((bytes[2 * i] & 0xff) | (bytes[2 * i + 1] << 8)) / 32768f;
        }
        return samples;
    }

    static double[] doubles(JsonNode array) {
        return array.valueStream().mapToDouble(JsonNode::asDouble).toArray();
    }

    private static byte[] resource(String name) {
        try (InputStream in = Objects.requireNonNull(SileroGolden.class.getResourceAsStream(name), name)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A model file; the test is skipped, aloud, where there is none. */
    static Path model(String version) {
        Path file = Path.of(System.getProperty("portal.home"), "models", "silero-vad-" + version, "silero_vad.onnx");
        Assumptions.assumeTrue(
                Files.isRegularFile(file), () -> "SKIPPED: no " + file + "; './portal models fetch' brings it");
        return file;
    }
}
