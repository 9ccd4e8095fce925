package dev.portal.voice.tts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.scheduler.Inference;
import dev.portal.voice.PortalHome;
import dev.portal.voice.nativelib.Flite;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class FliteEngineTest {
    @Test
    void aSentenceBecomesSpeechInSmallPieces() {
        try (FliteEngine engine = new FliteEngine(Flite.load(PortalHome.libraries(), "slt"), "slt", 1)) {
            List<float[]> pieces = new ArrayList<>();
            Utterance utterance = engine.prepare("Turn on the kitchen light.");
            Inference.DIRECT.run(utterance.encoder().orElseThrow());
            Inference.DIRECT.run(utterance.decoder(
                    (samples, offset, length) -> pieces.add(Arrays.copyOfRange(samples, offset, offset + length))));
            int samples = pieces.stream().mapToInt(piece -> piece.length).sum();
            assertThat(samples / (double) engine.sampleRateHz()).isBetween(1.0, 3.0);
            assertThat(pieces).allSatisfy(piece -> assertThat(piece.length).isLessThanOrEqualTo(800));
            assertThat(pieces).anySatisfy(piece -> {
                for (float sample : piece) {
                    if (Math.abs(sample) > 0.1f) {
                        return;
                    }
                }
                throw new AssertionError("silence");
            });
        }
    }
}
