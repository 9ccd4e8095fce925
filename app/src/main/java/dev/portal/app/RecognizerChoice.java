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

    static StreamingRecognizer open(@Nullable String named, Settings settings, OnnxStages stages, Inference inference) {
        PocketSphinx library = PocketSphinx.load(NativeLibraries.ofThisMachine(settings.home()));
        Path folder = settings.home().resolve("models/pocketsphinx-en-us");
        return PocketSphinxRecognizer.ofGrammar(
                library, PocketSphinxModel.english(folder), CommandGrammar.assistant(), inference);
    }
}
