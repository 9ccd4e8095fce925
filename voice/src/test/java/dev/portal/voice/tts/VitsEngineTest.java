package dev.portal.voice.tts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.voice.stage.OnnxStages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Voices whose every input number becomes four samples of a hundredth of it. */
class VitsEngineTest {
    @TempDir
    private Path folder;

    private final OnnxStages stages = new OnnxStages();

    @AfterEach
    void close() {
        stages.close();
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
        try (VitsEngine engine = VitsEngine.open(TinyVoice.oneFile(folder), stages, TinyVoice.LETTERS, 1)) {
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
        try (VitsEngine one = VitsEngine.open(TinyVoice.oneFile(folder), stages, TinyVoice.LETTERS, 1);
                VitsEngine two = VitsEngine.open(TinyVoice.twoFiles(folder), stages, TinyVoice.LETTERS, 1)) {
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
        try (VitsEngine one = VitsEngine.open(TinyVoice.oneFile(folder), stages, TinyVoice.LETTERS, 1);
                VitsEngine two = VitsEngine.open(TinyVoice.twoFiles(folder), stages, TinyVoice.LETTERS, 1)) {
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
        Path voice = TinyVoice.oneFile(folder);
        Files.delete(folder.resolve("voice.onnx.json"));
        assertThatThrownBy(() -> VitsEngine.open(voice, stages, TinyVoice.LETTERS, 1))
                .hasMessageContaining("voice.onnx.json")
                .hasMessageContaining("Piper");
        assertThatThrownBy(() -> VitsEngine.open(folder.resolve("none.onnx"), stages, TinyVoice.LETTERS, 1))
                .hasMessageContaining("none.onnx");
    }
}
