package dev.portal.voice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.voice.PortalHome;
import dev.portal.voice.nativelib.NativeLibraries;
import dev.portal.voice.stage.OnnxStages;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.stt.pocketsphinx.CommandGrammar;
import dev.portal.voice.tts.SpeechEngine;
import dev.portal.voice.tts.Utterance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The small voice of the folder {@code models}, opened as {@code --tts} does. */
class TinyVoiceTest {
    private static final Path MODELS =
            Path.of(System.getProperty("portal.root", "..")).resolve("models");

    /** What the sentences of this test need of the dictionary that {@code ./portal models fetch} brings. */
    private static final String DICTIONARY = """
            go G OW
            set S EH T
            the DH AH
            in IH N
            light L AY T
            turn T ER N
            on AA N
            off AO F
            kitchen K IH CH AH N
            forward F AO R W ER D
            ten T EH N
            meters M IY T ER Z
            okay OW K EY
            turning T ER N IH NG
            """;

    @TempDir
    private Path home;

    private final List<NpuWorkload> ran = new ArrayList<>();
    private final Inference inference = job -> {
        ran.add(job.workload());
        return Inference.DIRECT.submit(job);
    };
    private final OnnxStages stages = new OnnxStages();

    @BeforeEach
    void dictionary() throws IOException {
        Path folder = Files.createDirectories(home.resolve("models/pocketsphinx-en-us"));
        Files.writeString(folder.resolve("cmudict-en-us.dict"), DICTIONARY);
    }

    @AfterEach
    void close() {
        stages.close();
    }

    private SpeechEngine voice(float speed) {
        return new SpeechEngineChoice(home, NativeLibraries.ofThisMachine(home), stages, "")
                .named(MODELS.resolve("tiny-voice").toString(), speed);
    }

    private float[] speak(SpeechEngine engine, String text) {
        List<float[]> pieces = new ArrayList<>();
        Utterance utterance = engine.prepare(text);
        utterance.encoder().ifPresent(inference::run);
        inference.run(utterance.decoder((samples, offset, length) -> {
            pieces.add(Arrays.copyOfRange(samples, offset, offset + length));
            return true;
        }));
        float[] all = new float[pieces.stream().mapToInt(piece -> piece.length).sum()];
        int at = 0;
        for (float[] piece : pieces) {
            System.arraycopy(piece, 0, all, at, piece.length);
            at += piece.length;
        }
        return all;
    }

    @Test
    void theVoiceSpeaksAtASpeechLikeLevelAndPace() {
        try (SpeechEngine voice = voice(1);
                SpeechEngine faster = voice(1.5f)) {
            float[] samples = speak(voice, "Turn on the kitchen light.");
            assertThat(samples.length / 16_000.0).isBetween(1.0, 2.5);
            double power = 0;
            float peak = 0;
            for (float sample : samples) {
                power += sample * sample / samples.length;
                peak = Math.max(peak, Math.abs(sample));
            }
            assertThat(Math.sqrt(power)).as("root mean square").isBetween(0.02, 0.3);
            assertThat(peak).isBetween(0.1f, 1.2f);
            assertThat(speak(faster, "Turn on the kitchen light.").length / (double) samples.length)
                    .isBetween(0.6, 0.75);
            assertThat(ran).contains(NpuWorkload.TTS_ENCODER, NpuWorkload.TTS_DECODER);
        }
    }

    @Test
    void theVoiceSaysTheSameAgainHoweverOftenItIsAsked() {
        try (SpeechEngine voice = voice(1)) {
            float[] samples = speak(voice, "Go forward ten meters.");
            assertThat(speak(voice, "Go forward ten meters.")).isEqualTo(samples);
        }
    }

    @Test
    void pocketsphinxUnderstandsTheVoice() {
        try (StreamingRecognizer recognizer = new RecognizerChoice(
                                PortalHome.path(),
                                PortalHome.libraries(),
                                stages,
                                inference,
                                CommandGrammar.assistant())
                        .named("pocketsphinx:grammar");
                SpeechEngine voice = voice(1)) {
            float[] samples = speak(voice, "Turn on the kitchen light.");
            recognizer.start();
            recognizer.accept(samples, 0, samples.length);
            assertThat(recognizer.finish().text()).isEqualTo("turn on the kitchen light");
        }
    }
}
