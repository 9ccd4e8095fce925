package dev.portal.voice.tts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import org.junit.jupiter.api.Test;

class FreeTtsEngineTest {
    @Test
    void speaksWithoutANativeLibraryAndTheSameHoweverOftenItYields() throws Exception {
        try (FreeTtsEngine engine = new FreeTtsEngine(1)) {
            Speech whole = new Speech();
            whole.speak(engine, "Hello. The light is on.", Inference.DIRECT);
            assertThat(whole.samples().length / (double) engine.sampleRateHz()).isBetween(1.0, 4.0);
            assertThat(whole.peak()).isBetween(0.05f, 1f);
            assertThat(whole.pieceLengths())
                    .allSatisfy(length -> assertThat(length).isBetween(1, 320));

            Speech pieces = new Speech();
            Utterance utterance = engine.prepare("Hello. The light is on.");
            Inference.DIRECT.run(utterance.encoder().orElseThrow());
            NpuJob decoder = utterance.decoder(pieces);
            int runs = 1;
            while (decoder.execute(() -> true) instanceof NpuJobResult.Yielded) {
                runs++;
            }
            assertThat(runs).isEqualTo(whole.pieceLengths().size());
            assertThat(pieces.samples()).isEqualTo(whole.samples());
        }
    }
}
