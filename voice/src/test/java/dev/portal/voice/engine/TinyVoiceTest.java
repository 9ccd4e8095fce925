package dev.portal.voice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.scheduler.NpuWorkload;
import dev.portal.voice.PortalHome;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.stt.grammar.CommandGrammar;
import dev.portal.voice.tts.SpeechEngine;
import org.junit.jupiter.api.Test;

/** The small voice of the folder {@code models}, opened as {@code --tts} does. */
class TinyVoiceTest extends ShippedModels {
    @Test
    void theVoiceSpeaksAtASpeechLikeLevelAndPace() {
        try (SpeechEngine voice = voice(1);
                SpeechEngine faster = voice(1.5f)) {
            float[] samples = speak(voice, "Turn on the kitchen light.");
            assertThat(samples.length / 16_000.0).isBetween(1.0, 2.5);
            double power = 0;
            float peak = 0;
            for (float sample : samples) {
                power += sample * sample / samples.length;
                peak = Math.max(peak, Math.abs(sample));
            }
            assertThat(Math.sqrt(power)).as("root mean square").isBetween(0.02, 0.3);
            assertThat(peak).isBetween(0.1f, 1.2f);
            assertThat(speak(faster, "Turn on the kitchen light.").length / (double) samples.length)
                    .isBetween(0.6, 0.75);
            assertThat(ran).contains(NpuWorkload.TTS_ENCODER, NpuWorkload.TTS_DECODER);
        }
    }

    @Test
    void theVoiceSaysTheSameAgainHoweverOftenItIsAsked() {
        try (SpeechEngine voice = voice(1)) {
            float[] samples = speak(voice, "Go forward ten meters.");
            assertThat(speak(voice, "Go forward ten meters.")).isEqualTo(samples);
        }
    }

    @Test
    void pocketsphinxUnderstandsTheVoice() {
        try (StreamingRecognizer recognizer = new RecognizerChoice(
                                PortalHome.path(),
                                PortalHome.libraries(),
                                stages,
                                inference,
                                CommandGrammar.assistant())
                        .named("pocketsphinx:grammar");
                SpeechEngine voice = voice(1)) {
            float[] samples = speak(voice, "Turn on the kitchen light.");
            recognizer.start();
            recognizer.accept(samples, 0, samples.length);
            assertThat(recognizer.finish().text()).isEqualTo("turn on the kitchen light");
        }
    }
}
