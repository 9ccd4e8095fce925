package dev.portal.voice.engine;

import dev.portal.voice.nativelib.Flite;
import dev.portal.voice.nativelib.NativeLibraries;
import dev.portal.voice.nativelib.NativeLibraryException;
import dev.portal.voice.stage.ModelStages;
import dev.portal.voice.tts.EspeakPhonemizer;
import dev.portal.voice.tts.FliteEngine;
import dev.portal.voice.tts.FreeTtsEngine;
import dev.portal.voice.tts.LexiconPhonemizer;
import dev.portal.voice.tts.Phonemizer;
import dev.portal.voice.tts.SpeechEngine;
import dev.portal.voice.tts.VitsEngine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Picks the engine that {@code --tts} names: a voice by name, or a file or folder of a neural voice. */
public final class SpeechEngineChoice {
    private static final List<String> FLITE_VOICES = List.of("slt", "awb", "rms", "kal16");

    private final Path portalHome;
    private final NativeLibraries libraries;
    private final ModelStages stages;
    private final String searchPath;

    /**
     * @param searchPath folders in which programs are looked for, as in the environment variable PATH
     */
    public SpeechEngineChoice(Path portalHome, NativeLibraries libraries, ModelStages stages, String searchPath) {
        this.portalHome = portalHome;
        this.libraries = libraries;
        this.stages = stages;
        this.searchPath = searchPath;
    }

    /** What a fresh machine speaks with: flite's slt, or FreeTTS where flite cannot be loaded. */
    public SpeechEngine standard(float speed) {
        try {
            return new FliteEngine(Flite.load(libraries, "slt"), "slt", speed);
        } catch (NativeLibraryException noFlite) {
            return new FreeTtsEngine(speed);
        }
    }

    /**
     * The engine for {@code choice}.
     *
     * @param choice {@code flite}, {@code flite:awb}, {@code freetts}, a {@code .onnx} file, or a folder of a voice
     * @throws IllegalArgumentException there is no such engine or file
     * @throws NativeLibraryException its library is missing
     */
    public SpeechEngine named(String choice, float speed) {
        if (choice.equals("freetts")) {
            return new FreeTtsEngine(speed);
        }
        if (choice.equals("flite") || choice.startsWith("flite:")) {
            String voice = choice.equals("flite") ? "slt" : choice.substring("flite:".length());
            if (!FLITE_VOICES.contains(voice)) {
                throw new IllegalArgumentException(
                        "flite has no voice '" + voice + "'; it has " + String.join(", ", FLITE_VOICES));
            }
            return new FliteEngine(Flite.load(libraries, voice), voice, speed);
        }
        Path file = Path.of(choice);
        if (Files.exists(file)) {
            return VitsEngine.open(file, stages, this::phonemizer, speed);
        }
        throw new IllegalArgumentException(
                "--tts " + choice + ": neither an engine (flite, flite:VOICE, freetts) nor a file (.onnx with"
                        + " .onnx.json beside it) nor a folder (encoder.onnx, decoder.onnx, config.json)");
    }

    private Phonemizer phonemizer(String phonemeType, String espeakVoice) {
        if (phonemeType.equals("cmudict")) {
            return english(espeakVoice);
        }
        if (!phonemeType.equals("espeak")) {
            throw new IllegalArgumentException("the voice wants phonemes of the type '" + phonemeType
                    + "', and there are espeak and cmudict; see phoneme_type in its JSON file");
        }
        return EspeakPhonemizer.find(searchPath)
                .<Phonemizer>map(program -> new EspeakPhonemizer(program, espeakVoice))
                .orElseGet(() -> english(espeakVoice));
    }

    private Phonemizer english(String espeakVoice) {
        if (!espeakVoice.startsWith("en")) {
            throw new IllegalArgumentException("the voice speaks '" + espeakVoice
                    + "', and without the program espeak-ng on PATH only English can be pronounced; install espeak-ng");
        }
        return LexiconPhonemizer.of(portalHome.resolve("models/pocketsphinx-en-us/cmudict-en-us.dict"));
    }
}
