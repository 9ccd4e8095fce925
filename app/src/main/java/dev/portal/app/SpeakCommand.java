package dev.portal.app;

import dev.portal.scheduler.Inference;
import dev.portal.voice.audio.WavWriter;
import dev.portal.voice.tts.SpeechEngine;
import dev.portal.voice.tts.Utterance;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.ObjectMapper;

/** {@code portal speak TEXT}: writes the text as sound. */
@Command(name = "speak", description = "Says a text into a WAV file.", mixinStandardHelpOptions = true)
final class SpeakCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private EngineOptions engines;

    @Parameters(index = "0", paramLabel = "TEXT", description = "what to say; - reads standard input")
    private String text;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            defaultValue = "speech.wav",
            description = "the WAV file (${DEFAULT-VALUE})")
    private Path file;

    @Option(names = "--json", description = "what was written, as JSON")
    private boolean asJson;

    @Override
    public Integer call() throws Exception {
        String words = "-".equals(text) ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8) : text;
        if (words.isBlank()) {
            throw new Failure("there is nothing to say: the text is empty");
        }
        Installed.forSpeaking(engines);
        try (Wiring wiring = new Wiring(Settings.ofThisProcess(), engines, event -> {}, note -> {})) {
            SpeechEngine speech = wiring.voice().speech();
            double seconds = say(speech, wiring.voice().inference(), words, file);
            if (asJson) {
                ObjectMapper mapper = new ObjectMapper();
                spec.commandLine()
                        .getOut()
                        .println(mapper.writeValueAsString(mapper.createObjectNode()
                                .put("file", file.toString())
                                .put("seconds", seconds)
                                .put("voice", speech.name())));
            } else {
                spec.commandLine()
                        .getErr()
                        .println(String.format(Locale.ROOT, "%s: %.1f s, %s", file, seconds, speech.name()));
            }
            return 0;
        }
    }

    /** Writes {@code text} as WAV and returns how long it is. */
    static double say(SpeechEngine speech, Inference inference, String text, Path file) throws IOException {
        long[] samples = new long[1];
        try (WavWriter wav = WavWriter.create(file, speech.sampleRateHz())) {
            Utterance utterance = speech.prepare(text);
            utterance.encoder().ifPresent(inference::run);
            var _ = inference.run(utterance.decoder((piece, offset, length) -> {
                try {
                    wav.write(piece, offset, length);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                samples[0] += length;
                return true;
            }));
        }
        return (double) samples[0] / speech.sampleRateHz();
    }
}
