package dev.portal.voice.vad;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.portal.base.VirtualClock;
import dev.portal.voice.stage.OnnxBytes;
import dev.portal.voice.stage.OnnxStages;
import dev.portal.voice.stage.StageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SileroVadTest {
    private final OnnxStages stages = new OnnxStages();
    private final VirtualClock clock = new VirtualClock();

    @AfterEach
    void nothingLeaks() {
        assertThat(stages.openModels()).isZero();
        stages.close();
    }

    @ParameterizedTest
    @CsvSource({"v6, 512, v6.2_512_ctx64", "v4, 512, v4.0_512", "v4, 1536, v4.0_1536"})
    void probabilitiesAreThoseOfThePublishedModel(String version, int window, String golden) {
        double[] expected =
                SileroGolden.doubles(SileroGolden.json().get("model_probs").get(golden));
        double[] actual;
        try (SileroVad vad = open(version, 16000, window)) {
            actual = probabilities(vad, SileroGolden.signal(), expected.length);
        }
        assertThat(actual).usingComparatorWithPrecision(1e-4).containsExactly(expected);
    }

    @Test
    void segmentsOfTheSignalAreThoseOfThePublishedModel() {
        var golden = SileroGolden.json().get("model_segments_v6.2");
        float[] signal = SileroGolden.signal();
        double[] probabilities;
        try (SileroVad vad = open("v6", 16000, 512)) {
            probabilities = probabilities(vad, signal, signal.length / 512);
        }
        var segments = new OfflineSegmenter(OfflineSettings.DEFAULT, 16000, 512).segments(probabilities, signal.length);
        assertThat(segments).isEqualTo(SegmenterGoldenTest.segments(golden.get("offline_default")));
        assertThat(SegmenterGoldenTest.stream(probabilities))
                .isEqualTo(SegmenterGoldenTest.events(golden.get("stream_default")));
    }

    @ParameterizedTest
    @CsvSource({"v4, 16000, 512", "v5, 16000, 512", "v6, 16000, 512", "v4, 8000, 256", "v5, 8000, 256", "v6, 8000, 256"
    })
    void speechIsToldFromSilenceAndAResetStartsANewStream(String version, int rate, int window) {
        float[] signal = SileroGolden.signal();
        if (rate == 8000) {
            float[] half = new float[signal.length / 2];
            for (int i = 0; i < half.length; i++) {
                half[i] = (signal[2 * i] + signal[2 * i + 1]) / 2;
            }
            assertThatAStreamRepeats(version, rate, window, half);
        } else {
            assertThatAStreamRepeats(version, rate, window, signal);
        }
    }

    private void assertThatAStreamRepeats(String version, int rate, int window, float[] signal) {
        try (SileroVad vad = open(version, rate, window)) {
            double[] first = probabilities(vad, signal, signal.length / window);
            assertThat(Arrays.stream(first).max().orElseThrow()).isGreaterThan(0.6);
            assertThat(first[2]).isLessThan(0.1);
            double[] goesOn = probabilities(vad, signal, 3);
            assertThat(goesOn).isNotEqualTo(Arrays.copyOf(first, 3));
            vad.reset();
            assertThat(probabilities(vad, signal, signal.length / window)).isEqualTo(first);
        }
    }

    @Test
    void theObserverIsToldOfEachInferenceInMicroseconds() {
        List<String> told = new ArrayList<>();
        try (SileroVad vad = SileroVad.open(
                stages, SileroGolden.model("v6"), 16000, 512, clock, (us, ok) -> told.add(us + " " + ok))) {
            probabilities(vad, SileroGolden.signal(), 3);
        }
        assertThat(told).containsExactly("0 true", "0 true", "0 true");
    }

    @Test
    void aWindowThatTheModelDoesNotTakeIsRefused() {
        Path v6 = SileroGolden.model("v6");
        Path v4 = SileroGolden.model("v4");
        assertThatThrownBy(() -> SileroVad.open(stages, v6, 16000, 1024, clock, InferenceObserver.NONE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("takes windows of 512 samples, not 1024");
        assertThatThrownBy(() -> SileroVad.open(stages, v4, 8000, 512 + 1, clock, InferenceObserver.NONE))
                .hasMessageContaining("256, 512 or 768");
        assertThatThrownBy(() -> SileroVad.open(stages, v6, 44100, clock)).hasMessageContaining("resample");
    }

    @Test
    void aFileThatIsNoModelIsRefusedByName(@TempDir Path folder) throws Exception {
        Path text = Files.writeString(folder.resolve("vad.onnx"), "not a model");
        assertThatThrownBy(() -> SileroVad.open(stages, text, 16000, clock))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("vad.onnx");
        assertThatThrownBy(() -> SileroVad.open(stages, folder.resolve("none.onnx"), 16000, clock))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("./portal models fetch");
    }

    @Test
    void aModelOfSomethingElseOrOfOneRateIsRefused(@TempDir Path folder) throws Exception {
        OnnxBytes other = new OnnxBytes()
                .input("input", OnnxBytes.FLOAT, 1, -1)
                .output("output", OnnxBytes.FLOAT, 1, -1)
                .node("Identity", List.of("input"), List.of("output"));
        Path file = Files.write(folder.resolve("other.onnx"), other.bytes());
        assertThatThrownBy(() -> SileroVad.open(stages, file, 16000, clock))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("is not a Silero detector");
        OnnxBytes oneRate = other.input("state", OnnxBytes.FLOAT, 2, 1, 128)
                .output("stateN", OnnxBytes.FLOAT, 2, 1, 128)
                .node("Identity", List.of("state"), List.of("stateN"));
        Files.write(file, oneRate.bytes());
        assertThatThrownBy(() -> SileroVad.open(stages, file, 8000, clock))
                .hasMessageContaining("it is made for 16000 Hz alone");
    }

    private SileroVad open(String version, int rate, int window) {
        return SileroVad.open(stages, SileroGolden.model(version), rate, window, clock, InferenceObserver.NONE);
    }

    private static double[] probabilities(SileroVad vad, float[] signal, int windows) {
        int window = vad.windowSamples();
        double[] probabilities = new double[windows];
        for (int i = 0; i < windows; i++) {
            probabilities[i] = vad.probability(signal, i * window);
            assertThat(probabilities[i]).isCloseTo(0.5, within(0.5));
        }
        return probabilities;
    }
}
