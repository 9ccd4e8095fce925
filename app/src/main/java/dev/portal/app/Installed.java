package dev.portal.app;

import dev.portal.app.models.FetchException;
import dev.portal.app.models.Fetcher;
import dev.portal.app.models.Machine;
import dev.portal.app.models.ModelStore;
import dev.portal.voice.Feature;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Brings what the default engines need when it is missing; once it is there, no network is used. */
final class Installed {
    private Installed() {}

    /** What the detector and the recognizer need, as far as {@code engines} leaves them at their defaults. */
    static void forListening(EngineOptions engines) {
        List<String> ids = new ArrayList<>();
        if (engines.vad == null) {
            ids.add("silero-vad-v6");
        }
        if (engines.stt == null || engines.stt.startsWith("pocketsphinx")) {
            ids.addAll(List.of("pocketsphinx-libs", "pocketsphinx-en-us"));
        }
        bring(ids);
    }

    /** What the voice needs. */
    static void forSpeaking(EngineOptions engines) {
        if (engines.tts == null) {
            bring(List.of("flite-libs"));
        }
    }

    /** What the intent matcher needs, where a feature asks for it. */
    static void forIntents(EngineOptions engines) {
        if (engines.features(System.getenv(), Set.of()).contains(Feature.NLU_MINILM)) {
            bring(List.of("minilm"));
        }
    }

    /** A recording of the test speech. */
    static Path recording(String name) {
        Path file = Settings.ofThisProcess()
                .home()
                .resolve("audio/pocketsphinx-testdata")
                .resolve(name);
        if (!Files.exists(file)) {
            bring(List.of("speech-samples"));
        }
        return file;
    }

    private static void bring(List<String> ids) {
        ModelStore store = ModelStore.of(Machine.current());
        if (store.missing(ids).isEmpty()) {
            return;
        }
        try {
            var _ = Fetcher.of(store).fetch(ids);
        } catch (FetchException e) {
            String text = String.valueOf(e.getMessage());
            throw e.unavailable() ? Failure.notAvailable(text) : new Failure(text);
        }
    }
}
