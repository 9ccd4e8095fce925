package dev.portal.app;

import dev.portal.voice.nativelib.Flite;
import dev.portal.voice.nativelib.NativeLibraries;
import dev.portal.voice.stage.OnnxStages;
import dev.portal.voice.tts.FliteEngine;
import dev.portal.voice.tts.SpeechEngine;
import org.jspecify.annotations.Nullable;

/** Opens the voice that {@code --tts} names. */
final class SpeechChoice {
    private SpeechChoice() {}

    static SpeechEngine open(@Nullable String named, Settings settings, OnnxStages stages) {
        return new FliteEngine(Flite.load(NativeLibraries.ofThisMachine(settings.home()), "slt"), "slt", 1);
    }
}
