package dev.portal.voice.tts;

import static dev.portal.voice.stage.OnnxBytes.FLOAT;
import static dev.portal.voice.stage.OnnxBytes.INT64;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.voice.stage.OnnxBytes;
import dev.portal.voice.stage.OnnxStages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Voices whose every input number becomes four samples of a hundredth of it. */
class VitsEngineTest {
    private static final String CONFIG = """
        {"audio": {"sample_rate": 1000}, "espeak": {"voice": "en-us"}, "num_speakers": 1,
         "inference": {"noise_scale": 0.5, "length_scale": 1.0, "noise_w": 0.5},
         "phoneme_id_map": {"_": [0], "^": [1], "$": [2], "h": [5], "i": [7], ".": [9]}}
        """;

    private static final VitsEngine.PhonemizerFactory LETTERS =
            (type, voice) -> sentence -> Phonemizer.symbols(sentence.toLowerCase(Locale.ROOT));

    @TempDir
    private Path folder;

    private final OnnxStages stages = new OnnxStages();

    @AfterEach
    void close() {
        stages.close();
    }

    private static OnnxBytes text(OnnxBytes model) {
        return model.input("input", INT64, 1, -1)
                .input("input_lengths", INT64, 1)
                .input("scales", FLOAT, 3);
    }

    private static OnnxBytes frames(OnnxBytes model, String output) {
        return model.longs("axis1", 1)
                .node("Cast", List.of("input"), List.of("numbers"), "to=1")
                .node("Unsqueeze", List.of("numbers", "axis1"), List.of(output));
    }

    private static OnnxBytes samples(OnnxBytes model, String frames) {
        return model.longs("last", 3)
                .longs("four", 1, 1, 1, 4)
                .longs("flat", 1, 1, -1)
                .floats("hundredth", new float[] {0.01f}, 1)
                .node("Mul", List.of(frames, "hundredth"), List.of("scaled"))
                .node("Unsqueeze", List.of("scaled", "last"), List.of("column"))
                .node("Tile", List.of("column", "four"), List.of("tiled"))
                .node("Reshape", List.of("tiled", "flat"), List.of("output"))
                .output("output", FLOAT, 1, 1, -1);
    }

    private Path oneFile() throws IOException {
        Path voice = folder.resolve("voice.onnx");
        Files.write(voice, samples(frames(text(new OnnxBytes()), "z"), "z").bytes());
        Files.writeString(folder.resolve("voice.onnx.json"), CONFIG);
        return voice;
    }

    private Path twoFiles() throws IOException {
        Path voice = Files.createDirectory(folder.resolve("voice"));
        OnnxBytes encoder = frames(text(new OnnxBytes()), "z")
                .floats("zero", new float[] {0}, 1)
                .floats("one", new float[] {1}, 1)
                .node("Mul", List.of("z", "zero"), List.of("zeros"))
                .node("Add", List.of("zeros", "one"), List.of("y_mask"))
                .output("z", FLOAT, 1, 1, -1)
                .output("y_mask", FLOAT, 1, 1, -1);
        OnnxBytes decoder = new OnnxBytes()
                .input("z", FLOAT, 1, 1, -1)
                .input("y_mask", FLOAT, 1, 1, -1)
                .node("Mul", List.of("z", "y_mask"), List.of("masked"));
        Files.write(voice.resolve("encoder.onnx"), encoder.bytes());
        Files.write(voice.resolve("decoder.onnx"), samples(decoder, "masked").bytes());
        Files.writeString(voice.resolve("config.json"), CONFIG);
        return voice;
    }

    private static float[] expected(int... ids) {
        float[] samples = new float[ids.length * 4];
        for (int i = 0; i < samples.length; i++) {
            samples[i] = ids[i / 4] * 0.01f;
        }
        return samples;
    }

    @Test
    void phonemesReachTheModelWithBeginPadsAndEnd() throws Exception {
        try (VitsEngine engine = VitsEngine.open(oneFile(), stages, LETTERS, 1)) {
            Speech speech = new Speech();
            speech.speak(engine, "Hxi.", Inference.DIRECT);
            assertThat(speech.samples()).isEqualTo(expected(1, 0, 5, 0, 7, 0, 9, 0, 2));
            assertThat(engine.sampleRateHz()).isEqualTo(1000);
            assertThat(speech.pieceLengths()).containsExactly(20, 16);
        }
    }

    @Test
    void oneFileIsOneJobAndTwoFilesAreTwo() throws Exception {
        List<NpuWorkload> seen = new ArrayList<>();
        Inference counting = job -> {
            seen.add(job.workload());
            return Inference.DIRECT.submit(job);
        };
        try (VitsEngine one = VitsEngine.open(oneFile(), stages, LETTERS, 1);
                VitsEngine two = VitsEngine.open(twoFiles(), stages, LETTERS, 1)) {
            new Speech().speak(one, "hi.", counting);
            new Speech().speak(two, "hi.", counting);
        }
        assertThat(seen).containsExactly(NpuWorkload.TTS_DECODER, NpuWorkload.TTS_ENCODER, NpuWorkload.TTS_DECODER);
    }

    @Test
    void bothLayoutsSoundTheSameHoweverOftenTheyYield() throws Exception {
        String text = "hi ".repeat(40) + "hi. Hi.";
        Speech whole = new Speech();
        Speech pieces = new Speech();
        try (VitsEngine one = VitsEngine.open(oneFile(), stages, LETTERS, 1);
                VitsEngine two = VitsEngine.open(twoFiles(), stages, LETTERS, 1)) {
            whole.speak(one, text, Inference.DIRECT);
            Utterance utterance = two.prepare(text);
            int encodings = runPreempted(utterance.encoder().orElseThrow());
            int decodings = runPreempted(utterance.decoder(pieces));
            assertThat(encodings).isEqualTo(2);
            assertThat(decodings).isGreaterThan(pieces.pieceLengths().size());
        }
        assertThat(whole.samples()).hasSizeGreaterThan(600);
        assertThat(pieces.samples()).isEqualTo(whole.samples());
    }

    private static int runPreempted(NpuJob job) throws Exception {
        int runs = 1;
        while (job.execute(() -> true) instanceof NpuJobResult.Yielded) {
            runs++;
        }
        return runs;
    }

    @Test
    void aVoiceWithoutItsJsonFileSaysWhatItNeeds() throws Exception {
        Path voice = oneFile();
        Files.delete(folder.resolve("voice.onnx.json"));
        assertThatThrownBy(() -> VitsEngine.open(voice, stages, LETTERS, 1))
                .hasMessageContaining("voice.onnx.json")
                .hasMessageContaining("Piper");
        assertThatThrownBy(() -> VitsEngine.open(folder.resolve("none.onnx"), stages, LETTERS, 1))
                .hasMessageContaining("none.onnx");
    }
}
