package dev.portal.voice.engine;

import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.voice.nativelib.NativeLibraries;
import dev.portal.voice.stage.OnnxStages;
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
import org.junit.jupiter.api.io.TempDir;

/** What tests of the models in the folder {@code models} share: a home with a small dictionary, stages, the voice. */
abstract class ShippedModels {
    static final Path MODELS = Path.of(System.getProperty("portal.root", "..")).resolve("models");

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
    Path home;

    final List<NpuWorkload> ran = new ArrayList<>();
    final Inference inference = job -> {
        ran.add(job.workload());
        return Inference.DIRECT.submit(job);
    };
    final OnnxStages stages = new OnnxStages();

    @BeforeEach
    void dictionary() throws IOException {
        Path folder = Files.createDirectories(home.resolve("models/pocketsphinx-en-us"));
        Files.writeString(folder.resolve("cmudict-en-us.dict"), DICTIONARY);
    }

    @AfterEach
    void close() {
        stages.close();
    }

    final SpeechEngine voice(float speed) {
        return new SpeechEngineChoice(home, NativeLibraries.ofThisMachine(home), stages, "")
                .named(MODELS.resolve("tiny-voice").toString(), speed);
    }

    final float[] speak(SpeechEngine engine, String text) {
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
}
