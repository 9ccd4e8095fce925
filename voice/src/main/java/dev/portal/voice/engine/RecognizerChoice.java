package dev.portal.voice.engine;

import dev.portal.scheduler.Inference;
import dev.portal.voice.nativelib.NativeLibraries;
import dev.portal.voice.nativelib.NativeLibraryException;
import dev.portal.voice.nativelib.PocketSphinx;
import dev.portal.voice.stage.ModelStages;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.stt.grammar.CommandGrammar;
import dev.portal.voice.stt.pocketsphinx.PocketSphinxModel;
import dev.portal.voice.stt.pocketsphinx.PocketSphinxRecognizer;
import dev.portal.voice.stt.transducer.TransducerOptions;
import dev.portal.voice.stt.transducer.TransducerRecognizer;
import java.nio.file.Files;
import java.nio.file.Path;

/** Picks the recognizer that {@code --stt} names: one by name, a grammar file, or a model folder. */
public final class RecognizerChoice {
    private final Path portalHome;
    private final NativeLibraries libraries;
    private final ModelStages stages;
    private final Inference inference;
    private final CommandGrammar grammar;

    /**
     * @param inference takes the jobs of the recognizers
     * @param grammar what is listened for first
     */
    public RecognizerChoice(
            Path portalHome,
            NativeLibraries libraries,
            ModelStages stages,
            Inference inference,
            CommandGrammar grammar) {
        this.portalHome = portalHome;
        this.libraries = libraries;
        this.stages = stages;
        this.inference = inference;
        this.grammar = grammar;
    }

    /**
     * What a fresh machine listens with: pocketsphinx, the grammar first and then any words.
     *
     * @throws NativeLibraryException the library is missing
     * @throws IllegalArgumentException the model is missing
     */
    public StreamingRecognizer standard() {
        return named("pocketsphinx");
    }

    /**
     * The recognizer for {@code choice}.
     *
     * @param choice {@code pocketsphinx}, {@code pocketsphinx:grammar}, {@code pocketsphinx:open}, a grammar file
     *     (.gram, .jsgf), a folder of pocketsphinx's English model, or a folder of a transducer
     * @throws IllegalArgumentException there is no such recognizer, file or folder
     * @throws NativeLibraryException its library is missing
     */
    public StreamingRecognizer named(String choice) {
        return switch (choice) {
            case "pocketsphinx" -> both(model());
            case "pocketsphinx:grammar" ->
                PocketSphinxRecognizer.ofGrammar(PocketSphinx.load(libraries), model(), grammar, inference);
            case "pocketsphinx:open" ->
                PocketSphinxRecognizer.ofOpenVocabulary(PocketSphinx.load(libraries), model(), inference);
            default -> ofPath(choice);
        };
    }

    private StreamingRecognizer ofPath(String choice) {
        Path path = Path.of(choice);
        if (Files.isRegularFile(path) && choice.matches(".*\\.(gram|jsgf)")) {
            return PocketSphinxRecognizer.ofGrammar(
                    PocketSphinx.load(libraries), model(), CommandGrammar.read(path), inference);
        }
        if (Files.isDirectory(path.resolve("en-us"))) {
            return both(PocketSphinxModel.english(path));
        }
        if (Files.isDirectory(path)) {
            return TransducerRecognizer.open(path, stages, inference, TransducerOptions.DEFAULT.withGrammar(grammar));
        }
        throw new IllegalArgumentException("--stt " + choice
                + ": neither a recognizer (pocketsphinx, pocketsphinx:grammar, pocketsphinx:open) nor a grammar file"
                + " (.gram, .jsgf) nor the folder of a model");
    }

    private StreamingRecognizer both(PocketSphinxModel model) {
        return PocketSphinxRecognizer.ofGrammarThenOpenVocabulary(
                PocketSphinx.load(libraries), model, grammar, inference);
    }

    private PocketSphinxModel model() {
        return PocketSphinxModel.english(portalHome.resolve("models/pocketsphinx-en-us"));
    }
}
