package dev.portal.app;

import dev.portal.voice.audio.AudioFiles;
import dev.portal.voice.audio.SampleSource;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code portal transcribe FILE}: one line for each thing that was said, as soon as it is over. Sound without speech is no
 * failure: nothing on standard output, a word on standard error.
 */
@Command(
        name = "transcribe",
        description = "Turns a recording, or standard input, into text.",
        mixinStandardHelpOptions = true)
final class TranscribeCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private EngineOptions engines;

    @Parameters(
            index = "0",
            paramLabel = "FILE",
            description = "WAV or .raw (16 kHz, 16 bit, mono); - reads standard input")
    private String file;

    @Option(names = "--raw", description = "the sound has no header: 16 kHz, 16 bit, mono")
    private boolean raw;

    @Option(names = "--json", description = "utterances with times, as JSON")
    private boolean asJson;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        engines.answersToo = true;
        Installed.forListening(engines);
        try (SampleSource source = AudioFiles.open(file, System.in, raw);
                Wiring wiring = new Wiring(Settings.ofThisProcess(), engines, event -> {}, note -> {})) {
            Transcriber transcriber =
                    new Transcriber(wiring.voice().detector(), wiring.voice().recognizer());
            Transcriber.Result result = transcriber.run(source, spoken -> {
                if (!asJson) {
                    out.println(spoken.transcript().text());
                    out.flush();
                }
            });
            result.warnings().forEach(warning -> err.println("portal: " + file + ": " + warning));
            if (asJson) {
                out.println(json(result));
            } else if (result.utterances().isEmpty()) {
                err.println(String.format(Locale.ROOT, "portal: no words in %.1f s of sound", result.seconds()));
            }
            return 0;
        }
    }

    private static String json(Transcriber.Result result) {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode root = mapper.createObjectNode();
        root.put("text", result.text()).put("seconds", result.seconds());
        ArrayNode utterances = root.putArray("utterances");
        for (Transcriber.Spoken spoken : result.utterances()) {
            ObjectNode node = utterances.addObject();
            node.put("start", spoken.startSeconds()).put("end", spoken.endSeconds());
            node.put("text", spoken.transcript().text());
            if (!Double.isNaN(spoken.transcript().confidence())) {
                node.put("confidence", spoken.transcript().confidence());
            }
        }
        ArrayNode warnings = root.putArray("warnings");
        result.warnings().forEach(warnings::add);
        return mapper.writerWithDefaultPrettyPrinter().writeValueAsString(root);
    }
}
