package dev.portal.voice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.voice.nativelib.NativeLibraries;
import dev.portal.voice.stage.OnnxStages;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.stt.WordErrorRate;
import dev.portal.voice.stt.pocketsphinx.CommandGrammar;
import dev.portal.voice.tts.FreeTtsEngine;
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

/** The small transducer of the folder {@code models}, opened as {@code --stt} does, on speech that needs no download. */
class TinyTransducerTest {
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

    private StreamingRecognizer recognizer() {
        return new RecognizerChoice(
                        home, NativeLibraries.ofThisMachine(home), stages, inference, CommandGrammar.assistant())
                .named(MODELS.resolve("tiny-transducer").toString());
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

    private String heard(float[] samples) {
        try (StreamingRecognizer recognizer = recognizer()) {
            recognizer.start();
            recognizer.accept(samples, 0, samples.length);
            return recognizer.finish().text();
        }
    }

    @Test
    void theTransducerUnderstandsCommandsOfAVoiceThatNeedsNoDownload() {
        WordErrorRate sum = WordErrorRate.NONE;
        for (String said : List.of("turn on the kitchen light", "go forward ten meters", "turn off the light")) {
            try (SpeechEngine freetts = new FreeTtsEngine(1)) {
                assertThat(freetts.sampleRateHz()).isEqualTo(16_000);
                String text = heard(speak(freetts, said));
                sum = sum.plus(WordErrorRate.of(said, text));
            }
        }
        System.out.println("tiny-transducer on FreeTTS: " + sum);
        assertThat(sum.rate()).isLessThanOrEqualTo(0.5);
    }

    @Test
    void theTransducerHearsNoWordsInSilence() {
        assertThat(heard(new float[32_000])).isEmpty();
    }

    @Test
    void theTransducerUnderstandsTheShippedVoiceThroughAllFiveStages() {
        try (SpeechEngine voice = voice(1)) {
            assertThat(heard(speak(voice, "Turn on the kitchen light."))).startsWith("turn on the kitchen light");
        }
        assertThat(ran)
                .contains(
                        NpuWorkload.STT_ENCODER,
                        NpuWorkload.STT_DECODER,
                        NpuWorkload.STT_JOINER,
                        NpuWorkload.TTS_ENCODER,
                        NpuWorkload.TTS_DECODER);
    }
}
