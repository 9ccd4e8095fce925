package dev.portal.voice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.scheduler.Inference;
import dev.portal.voice.PortalHome;
import dev.portal.voice.nativelib.NativeLibraries;
import dev.portal.voice.stage.ModelStages;
import dev.portal.voice.stage.StageException;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.stt.grammar.CommandGrammar;
import dev.portal.voice.tts.SpeechEngine;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineChoiceTest {
    private static final ModelStages NO_MODELS = (file, workload) -> {
        throw new StageException("no model in this test: " + file);
    };

    private static SpeechEngineChoice speech(Path home) {
        return new SpeechEngineChoice(home, NativeLibraries.ofThisMachine(home), NO_MODELS, "");
    }

    private static RecognizerChoice recognizers(Path home) {
        return new RecognizerChoice(
                home, NativeLibraries.ofThisMachine(home), NO_MODELS, Inference.DIRECT, CommandGrammar.assistant());
    }

    @Test
    void aFreshMachineSpeaksWithFliteAndListensWithPocketsphinx() {
        PortalHome.libraries();
        PortalHome.require("models/pocketsphinx-en-us");
        try (SpeechEngine engine = speech(PortalHome.path()).standard(1);
                StreamingRecognizer recognizer = recognizers(PortalHome.path()).standard()) {
            assertThat(engine.name()).isEqualTo("flite slt");
            assertThat(recognizer.name()).isEqualTo("pocketsphinx en-us, grammar assistant, open vocabulary");
        }
    }

    @Test
    void aNameThatIsNothingIsAnsweredWithWhatThereIs(@TempDir Path home) {
        assertThatThrownBy(() -> speech(home).named("alexa", 1))
                .hasMessageContaining("--tts alexa")
                .hasMessageContaining("freetts");
        assertThatThrownBy(() -> speech(home).named("flite:nobody", 1)).hasMessageContaining("slt, awb, rms, kal16");
        assertThatThrownBy(() -> recognizers(home).named("alexa"))
                .hasMessageContaining("--stt alexa")
                .hasMessageContaining("pocketsphinx:open");
    }

    @Test
    void aMissingModelIsAnsweredWithTheCommandThatBringsIt(@TempDir Path home) {
        PortalHome.libraries();
        assertThatThrownBy(() -> new RecognizerChoice(
                                home, PortalHome.libraries(), NO_MODELS, Inference.DIRECT, CommandGrammar.assistant())
                        .standard())
                .hasMessageContaining("./portal models fetch");
    }

    @Test
    void aFolderOfATransducerIsOpenedAsOne(@TempDir Path home) throws Exception {
        Files.createDirectory(home.resolve("zipformer"));
        assertThatThrownBy(
                        () -> recognizers(home).named(home.resolve("zipformer").toString()))
                .isInstanceOf(StageException.class);
    }

    @Test
    void aVoiceOfUnknownPhonemesIsAnsweredWithTheKnown(@TempDir Path home) throws Exception {
        Files.writeString(home.resolve("config.json"), """
                {"phoneme_type": "runes", "phoneme_id_map": {"_": [0], "^": [1], "$": [2]}}
                """);
        assertThatThrownBy(() -> speech(home).named(home.toString(), 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'runes'")
                .hasMessageContaining("espeak and cmudict");
    }

    @Test
    void aVoiceOfTheDictionaryNeedsTheDictionaryEvenWhereEspeakIs(@TempDir Path home) throws Exception {
        Files.writeString(home.resolve("config.json"), """
                {"phoneme_type": "cmudict", "phoneme_id_map": {"_": [0], "^": [1], "$": [2]}}
                """);
        Files.createFile(home.resolve("espeak-ng")).toFile().setExecutable(true);
        SpeechEngineChoice choice =
                new SpeechEngineChoice(home, NativeLibraries.ofThisMachine(home), NO_MODELS, home.toString());
        assertThatThrownBy(() -> choice.named(home.toString(), 1))
                .hasMessageContaining("cmudict-en-us.dict")
                .hasMessageContaining("./portal models fetch");
    }
}
