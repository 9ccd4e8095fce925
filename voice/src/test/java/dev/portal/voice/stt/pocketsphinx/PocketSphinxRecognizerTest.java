package dev.portal.voice.stt.pocketsphinx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.scheduler.Inference;
import dev.portal.voice.PortalHome;
import dev.portal.voice.Recordings;
import dev.portal.voice.nativelib.PocketSphinx;
import org.junit.jupiter.api.Test;

class PocketSphinxRecognizerTest {
    @Test
    void understandsTheRecordedRobotCommand() {
        float[] samples = Recordings.read(PortalHome.require("audio/pocketsphinx-testdata/goforward.raw"));
        PocketSphinxModel model = PocketSphinxModel.english(PortalHome.require("models/pocketsphinx-en-us"));
        PocketSphinx library = PocketSphinx.load(PortalHome.libraries());
        try (PocketSphinxRecognizer recognizer =
                PocketSphinxRecognizer.ofGrammar(library, model, CommandGrammar.assistant(), Inference.DIRECT)) {
            recognizer.start();
            recognizer.accept(samples, 0, samples.length);
            assertThat(recognizer.finish().text()).isEqualTo("go forward ten meters");
        }
    }
}
