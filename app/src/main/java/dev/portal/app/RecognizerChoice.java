package dev.portal.app;

import dev.portal.scheduler.Inference;
import dev.portal.voice.nativelib.NativeLibraries;
import dev.portal.voice.nativelib.PocketSphinx;
import dev.portal.voice.stage.OnnxStages;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.stt.pocketsphinx.CommandGrammar;
import dev.portal.voice.stt.pocketsphinx.PocketSphinxModel;
import dev.portal.voice.stt.pocketsphinx.PocketSphinxRecognizer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Opens the recognizer that {@code --stt} names. */
final class RecognizerChoice {
    private RecognizerChoice() {}

    /** {@code answers} adds what the assistant itself says, for recordings of its voice. */
    static StreamingRecognizer open(
            @Nullable String named, boolean answers, Settings settings, OnnxStages stages, Inference inference) {
        PocketSphinx library = PocketSphinx.load(NativeLibraries.ofThisMachine(settings.home()));
        Path folder = settings.home().resolve("models/pocketsphinx-en-us");
        CommandGrammar grammar = answers ? CommandGrammar.assistantAndAnswers() : CommandGrammar.assistant();
        return PocketSphinxRecognizer.ofGrammarThenOpenVocabulary(
                library, PocketSphinxModel.english(folder), grammar, inference);
    }
}
