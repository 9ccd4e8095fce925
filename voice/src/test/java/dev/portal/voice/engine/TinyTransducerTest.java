package dev.portal.voice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.scheduler.NpuWorkload;
import dev.portal.voice.nativelib.NativeLibraries;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.stt.WordErrorRate;
import dev.portal.voice.stt.grammar.CommandGrammar;
import dev.portal.voice.tts.FreeTtsEngine;
import dev.portal.voice.tts.SpeechEngine;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The small transducer of the folder {@code models}, opened as {@code --stt} does, on speech that needs no download. */
class TinyTransducerTest extends ShippedModels {
    private StreamingRecognizer recognizer() {
        return new RecognizerChoice(
                        home, NativeLibraries.ofThisMachine(home), stages, inference, CommandGrammar.assistant())
                .named(MODELS.resolve("tiny-transducer").toString());
    }

    private String heard(float[] samples) {
        try (StreamingRecognizer recognizer = recognizer()) {
            recognizer.start();
            recognizer.accept(samples, 0, samples.length);
            return recognizer.finish().text();
        }
    }

    @Test
    void theTransducerUnderstandsCommandsOfAVoiceThatNeedsNoDownload() {
        WordErrorRate sum = WordErrorRate.NONE;
        for (String said : List.of("turn on the kitchen light", "go forward ten meters", "turn off the light")) {
            try (SpeechEngine freetts = new FreeTtsEngine(1)) {
                assertThat(freetts.sampleRateHz()).isEqualTo(16_000);
                String text = heard(speak(freetts, said));
                sum = sum.plus(WordErrorRate.of(said, text));
            }
        }
        System.out.println("tiny-transducer on FreeTTS: " + sum);
        assertThat(sum.rate()).isLessThanOrEqualTo(0.5);
    }

    @Test
    void theTransducerHearsNoWordsInSilence() {
        assertThat(heard(new float[32_000])).isEmpty();
    }

    @Test
    void theTransducerUnderstandsTheShippedVoiceThroughAllFiveStages() {
        try (SpeechEngine voice = voice(1)) {
            assertThat(heard(speak(voice, "Turn on the kitchen light."))).startsWith("turn on the kitchen light");
        }
        assertThat(ran)
                .contains(
                        NpuWorkload.STT_ENCODER,
                        NpuWorkload.STT_DECODER,
                        NpuWorkload.STT_JOINER,
                        NpuWorkload.TTS_ENCODER,
                        NpuWorkload.TTS_DECODER);
    }
}
