package dev.portal.app;

import dev.portal.app.trace.PerfettoTrace;
import dev.portal.app.trace.TurnSpans;
import dev.portal.llm.bridge.BridgeEvent;
import dev.portal.voice.Voice;
import dev.portal.voice.arbitration.PortalTtsArbitrator;
import dev.portal.voice.audio.AudioFiles;
import dev.portal.voice.audio.Resampler;
import dev.portal.voice.audio.SampleSource;
import dev.portal.voice.audio.Samples;
import dev.portal.voice.intent.IntentMatch;
import dev.portal.voice.turn.TurnEvent.Outcome;
import dev.portal.voice.turn.TurnOptions;
import dev.portal.voice.turn.TurnReport;
import dev.portal.voice.turn.TurnRunner;
import dev.portal.voice.turn.TurnRunner.Pace;
import dev.portal.voice.turn.TurnRunner.Room;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code portal demo}: a recording is heard, understood, answered, and the answer spoken, every inference under the
 * arbiter. Without a file a human recording from Debian's pocketsphinx-testdata is taken.
 *
 * <p>A recording without speech is no failure. A turn that a stage could not finish is: exit code 1.
 */
@Command(
        name = "demo",
        description = "One recording in, a spoken reply out: transcript, reply, latency by stage, the lanes.",
        mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {
    private static final String DEFAULT_RECORDING = "goforward.raw";
    /** The small transducer knows the voices of programs, not of people. */
    private static final String DEFAULT_SENTENCE = "turn on the kitchen light";

    private static final String DEFAULT_INTERRUPTION = "something.raw";
    private static final int INTERRUPTION_AFTER_SAMPLES = TurnOptions.ms(500);

    @Spec
    private CommandSpec spec;

    @Mixin
    private EngineOptions engines;

    @Option(names = "--wav", paramLabel = "FILE", description = "WAV or .raw; - reads standard input as a stream")
    private @Nullable String wav;

    @Option(names = "--raw", description = "the sound has no header: 16 kHz, 16 bit, mono")
    private boolean raw;

    @Option(names = "--realtime", description = "hear and speak at the pace of life; else the file waits for the reply")
    private boolean realtime;

    @Option(names = "--barge-in", description = "a second voice speaks over the first reply")
    private boolean bargeIn;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            defaultValue = "reply.wav",
            description = "the reply (${DEFAULT-VALUE})")
    private Path out;

    @Option(names = "--trace", paramLabel = "FILE", description = "write lanes, queues and turns for Perfetto")
    private @Nullable Path trace;

    @Option(names = "--json", description = "the same as data")
    private boolean asJson;

    private final ConcurrentLinkedQueue<String> warned = new ConcurrentLinkedQueue<>();

    @Override
    public Integer call() throws Exception {
        Settings settings = Settings.ofThisProcess();
        boolean spoken = wav == null && engines.stt == null && engines.device == EngineOptions.Device.EMULATED;
        engines.chooseNeural(settings);
        if (wav != null && !wav.equals(AudioFiles.STDIN) && !Files.exists(Path.of(wav))) {
            throw new Failure(wav + ": no such file");
        }
        Installed.forListening(engines);
        Installed.forSpeaking(engines);
        Installed.forIntents(engines);
        String input = wav != null
                ? wav
                : (spoken ? spokenSentence(settings) : Installed.recording(DEFAULT_RECORDING)).toString();
        engines.splitTraced = trace != null;
        DemoReport report;
        try (SampleSource source = AudioFiles.open(input, System.in, raw);
                Wiring wiring = new Wiring(settings, engines, this::heardFromChild, warned::add)) {
            report = run(input, source, wiring);
        }
        if (asJson) {
            spec.commandLine().getOut().println(report.json());
        } else {
            report.print(spec.commandLine().getOut());
            report.warnings().forEach(w -> spec.commandLine().getErr().println("portal: " + w));
        }
        return report.turns().stream().anyMatch(t -> t.outcome() == Outcome.FAILED) ? 1 : 0;
    }

    /** A sentence that flite says. */
    private static Path spokenSentence(Settings settings) throws IOException {
        EngineOptions flite = new EngineOptions();
        flite.device = EngineOptions.Device.CPU;
        Installed.forSpeaking(flite);
        Path file = Files.createDirectories(settings.home().resolve("cache")).resolve("spoken.wav");
        try (Wiring wiring = new Wiring(settings, flite, event -> {}, note -> {})) {
            var _ = SpeakCommand.say(wiring.voice().speech(), wiring.voice().inference(), DEFAULT_SENTENCE, file);
        }
        return file;
    }

    private DemoReport run(String input, SampleSource source, Wiring wiring) throws IOException {
        Voice voice = wiring.voice();
        TurnSpans spans = new TurnSpans();
        Files.deleteIfExists(out);
        try (ReplyWriter reply = new ReplyWriter(out);
                TurnRunner runner = new TurnRunner(
                        new TurnRunner.Engines(
                                voice.detector(),
                                voice.recognizer(),
                                voice.languageModel(),
                                voice.speech(),
                                voice.inference()),
                        new PortalTtsArbitrator(),
                        TurnOptions.DEFAULTS,
                        reply,
                        wiring.clock(),
                        event -> {
                            voice.turns().observe(event);
                            spans.observe(event);
                        },
                        room())) {
            runner.run(Resampler.resample(source, TurnOptions.SAMPLE_RATE_HZ), realtime ? Pace.REALTIME : Pace.HELD);
            List<String> warnings = new ArrayList<>(source.warnings());
            warnings.addAll(wiring.recorder().warnings());
            warnings.addAll(warned);
            List<TurnReport> turns = voice.turns().reports();
            if (trace != null) {
                PerfettoTrace.write(trace, wiring.recorder().jobs(), spans.spans(), wiring.splitGroups());
            }
            List<String> intents = new ArrayList<>();
            voice.intents()
                    .ifPresent(matcher -> turns.forEach(turn -> intents.add(matcher.match(turn.transcript())
                            .map(IntentMatch::intent)
                            .orElse("none"))));
            return new DemoReport(
                    input,
                    wiring.device(),
                    turns,
                    intents,
                    wiring.recorder().jobs(),
                    spans.spans(),
                    voice.telemetry(),
                    reply.seconds() > 0 ? out.toString() : null,
                    reply.seconds(),
                    wiring.executions(),
                    warnings);
        }
    }

    private Room room() throws IOException {
        if (!bargeIn) {
            return Room.QUIET;
        }
        try (SampleSource second = AudioFiles.open(Installed.recording(DEFAULT_INTERRUPTION))) {
            float[] voice = Resampler.resample(Samples.readAll(second), TurnOptions.SAMPLE_RATE_HZ)
                    .values();
            return new Room(voice, INTERRUPTION_AFTER_SAMPLES, 0, 0);
        }
    }

    private void heardFromChild(BridgeEvent event) {
        switch (event) {
            case BridgeEvent.Lost lost -> warned.add("the language model's process was lost: " + lost.why());
            case BridgeEvent.GaveUp gaveUp -> warned.add("the language model is given up: " + gaveUp.why());
            default -> {}
        }
    }
}
