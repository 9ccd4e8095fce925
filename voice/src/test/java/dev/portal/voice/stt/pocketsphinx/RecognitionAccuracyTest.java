package dev.portal.voice.stt.pocketsphinx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.scheduler.Inference;
import dev.portal.voice.PortalHome;
import dev.portal.voice.Recordings;
import dev.portal.voice.nativelib.PocketSphinx;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.stt.WordErrorRate;
import dev.portal.voice.stt.grammar.CommandGrammar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Word errors on the human recordings of pocketsphinx-testdata; the rates are printed, and bounded above. */
@Tag("slow")
class RecognitionAccuracyTest {
    private static final String TESTDATA = "audio/pocketsphinx-testdata/";

    private final PocketSphinx library = PocketSphinx.load(PortalHome.libraries());
    private final PocketSphinxModel model = PocketSphinxModel.english(PortalHome.require("models/pocketsphinx-en-us"));

    /** Lines as in {@code <s> ten of clubs  </s> (001)}, the name of a .wav file last. */
    private static WordErrorRate rate(StreamingRecognizer recognizer, String transcription) throws IOException {
        Path file = PortalHome.require(TESTDATA + transcription);
        WordErrorRate sum = WordErrorRate.NONE;
        for (String line : Files.readAllLines(file)) {
            String name = line.substring(line.lastIndexOf('(') + 1, line.lastIndexOf(')'));
            String said = line.replaceAll("</?s>|\\(.*\\)", "");
            sum = sum.plus(rate(recognizer, file.resolveSibling(name + ".wav"), said));
        }
        System.out.println(recognizer.name() + ", " + transcription + ": " + sum);
        return sum;
    }

    private static WordErrorRate rate(StreamingRecognizer recognizer, Path recording, String said) {
        float[] samples = Recordings.read(recording);
        recognizer.start();
        recognizer.accept(samples, 0, samples.length);
        return WordErrorRate.of(said, recognizer.finish().text());
    }

    @Test
    void playingCardsByTheirGrammar() throws IOException {
        CommandGrammar cards = CommandGrammar.read(PortalHome.require(TESTDATA + "cards/cards.gram"));
        try (StreamingRecognizer recognizer =
                PocketSphinxRecognizer.ofGrammar(library, model, cards, Inference.DIRECT)) {
            assertThat(rate(recognizer, "cards/cards.transcription").rate()).isLessThanOrEqualTo(0.05);
        }
    }

    @Test
    void aNovelReadAloudByTheAssistantsRecognizer() throws IOException {
        try (StreamingRecognizer recognizer = PocketSphinxRecognizer.ofGrammarThenOpenVocabulary(
                library, model, CommandGrammar.assistant(), Inference.DIRECT)) {
            assertThat(rate(recognizer, "librivox/transcription").rate()).isLessThanOrEqualTo(0.35);
            Path something = PortalHome.require(TESTDATA + "something.raw");
            assertThat(rate(recognizer, something, "go somewhere and do something")
                            .errors())
                    .isZero();
            Path forward = PortalHome.require(TESTDATA + "goforward.raw");
            assertThat(rate(recognizer, forward, "go forward ten meters").errors())
                    .isZero();
        }
    }
}
