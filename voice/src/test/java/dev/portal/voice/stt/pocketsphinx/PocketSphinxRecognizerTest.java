package dev.portal.voice.stt.pocketsphinx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.voice.PortalHome;
import dev.portal.voice.Recordings;
import dev.portal.voice.nativelib.Flite;
import dev.portal.voice.nativelib.PocketSphinx;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.stt.Transcript;
import dev.portal.voice.stt.grammar.CommandGrammar;
import dev.portal.voice.tts.FliteEngine;
import dev.portal.voice.tts.Utterance;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PocketSphinxRecognizerTest {
    private static final String TESTDATA = "audio/pocketsphinx-testdata/";

    private static PocketSphinxModel model() {
        return PocketSphinxModel.english(PortalHome.require("models/pocketsphinx-en-us"));
    }

    private static PocketSphinxRecognizer assistant(Inference inference) {
        return PocketSphinxRecognizer.ofGrammar(
                PocketSphinx.load(PortalHome.libraries()), model(), CommandGrammar.assistant(), inference);
    }

    private static Transcript hear(StreamingRecognizer recognizer, float[] samples) {
        recognizer.start();
        for (int i = 0; i < samples.length; i += 512) {
            recognizer.accept(samples, i, Math.min(512, samples.length - i));
        }
        return recognizer.finish();
    }

    private static float[] say(String text) {
        float[] samples = new float[16_000 * 10];
        int[] length = {8_000};
        try (FliteEngine engine = new FliteEngine(Flite.load(PortalHome.libraries(), "slt"), "slt", 1)) {
            Utterance utterance = engine.prepare(text);
            Inference.DIRECT.run(utterance.encoder().orElseThrow());
            Inference.DIRECT.run(utterance.decoder((piece, offset, count) -> {
                System.arraycopy(piece, offset, samples, length[0], count);
                length[0] += count;
                return true;
            }));
        }
        return java.util.Arrays.copyOf(samples, length[0] + 8_000);
    }

    @Test
    void understandsTheRecordedCommandWhateverItHeardBefore() {
        float[] forward = Recordings.read(PortalHome.require(TESTDATA + "goforward.raw"));
        float[] something = Recordings.read(PortalHome.require(TESTDATA + "something.raw"));
        try (PocketSphinxRecognizer recognizer = assistant(Inference.DIRECT)) {
            Transcript first = hear(recognizer, forward);
            assertThat(first.text()).isEqualTo("go forward ten meters");
            assertThat(first.confidence()).isBetween(0.9, 1.0);
            hear(recognizer, something);
            assertThat(hear(recognizer, forward).text()).isEqualTo(first.text());
        }
    }

    @Test
    void aGrammarAloneRefusesWordsThatItDoesNotHave() {
        float[] something = Recordings.read(PortalHome.require(TESTDATA + "something.raw"));
        try (PocketSphinxRecognizer recognizer = assistant(Inference.DIRECT)) {
            assertThat(hear(recognizer, something)).isEqualTo(Transcript.NOTHING);
        }
    }

    @Test
    void understandsWhatFliteSays() {
        try (PocketSphinxRecognizer recognizer = assistant(Inference.DIRECT)) {
            assertThat(hear(recognizer, say("Turn on the kitchen light.")).text())
                    .isEqualTo("turn on the kitchen light");
            assertThat(hear(recognizer, say("Set a timer for two minutes.")).text())
                    .isEqualTo("set a timer for two minutes");
        }
    }

    @Test
    void theTextGrowsWhileTheUserSpeaks() {
        float[] forward = Recordings.read(PortalHome.require(TESTDATA + "goforward.raw"));
        try (PocketSphinxRecognizer recognizer = assistant(Inference.DIRECT)) {
            recognizer.start();
            assertThat(recognizer.partial()).isEmpty();
            recognizer.accept(forward, 0, forward.length * 2 / 3);
            assertThat(recognizer.partial()).startsWith("go forward");
            recognizer.start();
            assertThat(recognizer.partial()).isEmpty();
        }
    }

    @Test
    void silenceIsNothing() {
        try (PocketSphinxRecognizer recognizer = assistant(Inference.DIRECT)) {
            assertThat(hear(recognizer, new float[16_000]).text()).isEmpty();
            assertThat(hear(recognizer, new float[0]).text()).isEmpty();
        }
    }

    @Test
    void decodingYieldsBetweenChunksAndUnderstandsTheSame() {
        float[] forward = Recordings.read(PortalHome.require(TESTDATA + "goforward.raw"));
        Set<NpuWorkload> seen = EnumSet.noneOf(NpuWorkload.class);
        int[] yields = {0};
        Inference preempting = job -> {
            seen.add(job.workload());
            try {
                NpuJobResult result = job.execute(() -> true);
                while (result instanceof NpuJobResult.Yielded) {
                    yields[0]++;
                    result = job.execute(() -> true);
                }
                return CompletableFuture.completedFuture((NpuJobResult.Completed) result);
            } catch (Exception e) {
                return CompletableFuture.failedFuture(e);
            }
        };
        try (PocketSphinxRecognizer recognizer = assistant(preempting)) {
            assertThat(hear(recognizer, forward).text()).isEqualTo("go forward ten meters");
        }
        assertThat(seen).containsExactlyInAnyOrder(NpuWorkload.STT_ENCODER, NpuWorkload.STT_DECODER);
        assertThat(yields[0]).isGreaterThan(20);
    }

    @Test
    void aClosedRecognizerSaysSo() {
        PocketSphinxRecognizer recognizer = assistant(Inference.DIRECT);
        recognizer.close();
        recognizer.close();
        assertThatThrownBy(recognizer::start).hasRootCauseMessage("the decoder is closed");
    }

    @Test
    void aGrammarThatIsWrongIsRefusedWithTheLibrarysReason() {
        PocketSphinx library = PocketSphinx.load(PortalHome.libraries());
        CommandGrammar unknownWord = new CommandGrammar("test", "#JSGF V1.0; grammar t; public <t> = qzxqzx;");
        assertThatThrownBy(() -> PocketSphinxRecognizer.ofGrammar(library, model(), unknownWord, Inference.DIRECT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("qzxqzx");
    }

    @Test
    void aFolderWithoutAModelIsNamedWithTheRemedy() {
        assertThatThrownBy(() -> PocketSphinxModel.english(Path.of("/nowhere")))
                .hasMessageContaining("/nowhere")
                .hasMessageContaining("./portal models fetch");
    }
}
