package dev.portal.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.portal.base.RandomStream;
import dev.portal.voice.audio.AudioFiles;
import dev.portal.voice.audio.Resampler;
import dev.portal.voice.audio.SampleSource;
import dev.portal.voice.audio.Samples;
import dev.portal.voice.audio.WavWriter;
import dev.portal.voice.stt.transducer.TinyTransducer;
import dev.portal.voice.tts.TinyVoice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The command line as a person uses it, with the real engines: recordings in, words and sound out. */
@Tag("slow")
final class EndToEndTest {
    private static final int RATE_HZ = 16_000;

    @TempDir
    private Path folder;

    private final Path recordings = Path.of(System.getProperty("portal.home", ""), "audio", "pocketsphinx-testdata");

    @BeforeEach
    void everythingIsThere() {
        assumeTrue(
                Files.isDirectory(Repository.root().resolve("app/target/lib")),
                "SKIPPED: app is not packaged; run ./portal test");
        assumeTrue(
                Files.exists(recordings.resolve("goforward.raw")),
                "SKIPPED: no recordings in " + recordings + "; run ./portal models fetch");
    }

    @AfterEach
    void noChildIsLeft() {
        String classPath = Repository.root().resolve("llama/target/child").toString();
        assertThat(ProcessHandle.allProcesses()
                        .filter(p -> p.info().commandLine().orElse("").contains(classPath)))
                .as("processes of the language model")
                .isEmpty();
    }

    private Shell.Result portal(String... arguments) {
        List<String> command =
                new ArrayList<>(List.of(Repository.root().resolve("portal").toString()));
        command.addAll(List.of(arguments));
        return Shell.run(
                folder, Map.of("PORTAL_BUILD", "never", "PORTAL_HOME", System.getProperty("portal.home", "")), command);
    }

    private JsonNode json(String... arguments) {
        Shell.Result result = portal(arguments);
        assertThat(result.exitCode()).as(result.toString()).isZero();
        return new ObjectMapper().readTree(result.out());
    }

    private static Samples read(Path file) throws IOException {
        try (SampleSource source = AudioFiles.open(file)) {
            return Resampler.resample(Samples.readAll(source), RATE_HZ);
        }
    }

    private Samples say(String text) throws IOException {
        Path file = folder.resolve("said.wav");
        Shell.Result said = portal("speak", text, "--out", file.toString());
        assertThat(said.exitCode()).as(said.toString()).isZero();
        return read(file);
    }

    private Path write(String name, float[]... parts) throws IOException {
        Path file = folder.resolve(name);
        try (WavWriter wav = WavWriter.create(file, RATE_HZ)) {
            for (float[] part : parts) {
                wav.write(part, 0, part.length);
            }
        }
        return file;
    }

    @Test
    void theDefaultRecordingIsUnderstoodAndItsReplyCanBeUnderstoodAgain() {
        JsonNode report = json("demo", "--json", "--out", "reply.wav", "--trace", "run.json");
        assertThat(report.get("turns")).hasSize(1);
        JsonNode turn = report.get("turns").get(0);
        assertThat(turn.get("transcript").asString()).isEqualTo("go forward ten meters");
        assertThat(turn.get("reply").asString()).isEqualTo("moving forward ten meters.");
        assertThat(turn.get("outcome").asString()).isEqualTo("ANSWERED");
        assertThat(turn.get("stages").valueStream().map(s -> s.get("name").asString()))
                .contains("vad_end", "stt_final", "llm_first_token", "tts_first_audio", "total");
        assertThat(report.get("lanes")
                        .valueStream()
                        .filter(l -> l.get("completed").asInt() > 0))
                .as("all three lanes worked")
                .hasSize(3);
        Shell.Result heard = portal("transcribe", "reply.wav");
        assertThat(heard.out().strip()).isEqualTo("moving forward ten meters");
        JsonNode trace = new ObjectMapper().readTree(folder.resolve("run.json").toFile());
        assertThat(trace.get("traceEvents").size()).isGreaterThan(20);
    }

    @Test
    void threeSentencesInOneFileAreAnsweredInOrder() throws IOException {
        float[] pause = new float[2 * RATE_HZ];
        Path file = write(
                "three.wav",
                read(recordings.resolve("goforward.raw")).values(),
                pause,
                say("turn on the kitchen light").values(),
                pause,
                say("set a timer for twenty minutes").values(),
                pause);
        JsonNode turns = json("demo", "--json", "--wav", file.toString()).get("turns");
        assertThat(turns.valueStream().map(t -> t.get("transcript").asString()))
                .containsExactly(
                        "go forward ten meters", "turn on the kitchen light", "set a timer for twenty minutes");
        assertThat(turns.valueStream().map(t -> t.get("outcome").asString())).containsOnly("ANSWERED");
        assertThat(turns.get(1).get("reply").asString()).contains("kitchen light");
        assertThat(turns.get(2).get("reply").asString()).contains("twenty minutes");
    }

    @Test
    void soundWithoutSpeechIsNoFailure() throws IOException {
        RandomStream random = new RandomStream(7);
        float[] noise = new float[3 * RATE_HZ];
        for (int i = 0; i < noise.length; i++) {
            noise[i] = 0.05f * (float) random.nextGaussian();
        }
        for (float[] sound : List.of(noise, new float[3 * RATE_HZ])) {
            Path file = write("quiet.wav", sound);
            assertThat(json("demo", "--json", "--wav", file.toString()).get("turns"))
                    .isEmpty();
            Shell.Result words = portal("transcribe", file.toString());
            assertThat(words.exitCode()).isZero();
            assertThat(words.out()).isEmpty();
            assertThat(words.err()).contains("no words in 3.0 s of sound");
        }
        assertThat(folder.resolve("reply.wav")).doesNotExist();
    }

    @Test
    void aFileCutShortIsHeardAsFarAsItGoesAndSaysSo() throws IOException {
        Path whole =
                write("whole.wav", read(recordings.resolve("goforward.raw")).values());
        byte[] bytes = Files.readAllBytes(whole);
        Path cut = Files.write(folder.resolve("cut.wav"), Arrays.copyOf(bytes, bytes.length - 2001));
        JsonNode report = json("demo", "--json", "--wav", cut.toString());
        assertThat(report.get("turns").get(0).get("transcript").asString()).isEqualTo("go forward ten meters");
        assertThat(report.get("warnings").get(0).asString()).contains("2001");
    }

    @Test
    void whatIsNoSoundIsRefusedInOneLine() throws IOException {
        Path empty = Files.write(folder.resolve("empty.wav"), new byte[0]);
        Path text = Files.writeString(folder.resolve("notes.wav"), "this is a text, not a sound\n".repeat(20));
        for (String file : List.of(empty.toString(), text.toString(), "missing.wav")) {
            for (List<String> command : List.of(List.of("demo", "--wav", file), List.of("transcribe", file))) {
                Shell.Result result = portal(command.toArray(String[]::new));
                assertThat(result.exitCode()).as(result.toString()).isEqualTo(1);
                assertThat(result.out()).isEmpty();
                assertThat(result.err().lines())
                        .as(result.err())
                        .singleElement()
                        .satisfies(line -> assertThat(line).startsWith("portal: "));
            }
        }
    }

    @Test
    void aSecondVoiceCutsTheReplyAndIsAnswered() {
        JsonNode turns = json("demo", "--json", "--barge-in").get("turns");
        assertThat(turns.valueStream().map(t -> t.get("outcome").asString()))
                .containsExactly("INTERRUPTED", "ANSWERED");
        JsonNode cut = turns.get(0).get("interruptions").get(0);
        assertThat(cut.get("soft_ms").asDouble()).isEqualTo(64);
        assertThat(cut.get("hard_ms").asDouble()).isBetween(192.0, 600.0);
        assertThat(turns.get(1).get("transcript").asString()).isEqualTo("go somewhere and do something");
    }

    @Test
    void theLanguageModelAloneAnswersOnStandardOutput() {
        Shell.Result result = portal("chat", "--greedy", "--prompt", "turn off the garage lamp");
        assertThat(result.exitCode()).as(result.toString()).isZero();
        assertThat(result.out()).contains("turning off the garage lamp").hasLineCount(1);
        assertThat(result.err()).contains("tokens").contains("(host)");
    }

    /** One turn on either device: the same transcript, reply and bytes of sound. */
    private JsonNode sameOnTheDspAsOnTheCpu(Path stt, Path tts) throws IOException {
        List<JsonNode> reports = new ArrayList<>();
        for (String device : List.of("cpu", "emulated")) {
            reports.add(json(
                    "demo",
                    "--json",
                    "--device",
                    device,
                    "--stt",
                    stt.toString(),
                    "--tts",
                    tts.toString(),
                    "--out",
                    device + ".wav"));
        }
        JsonNode cpu = reports.getFirst().get("turns").get(0);
        JsonNode dsp = reports.getLast().get("turns").get(0);
        assertThat(dsp.get("transcript")).isEqualTo(cpu.get("transcript"));
        assertThat(dsp.get("reply")).isEqualTo(cpu.get("reply"));
        assertThat(Files.readAllBytes(folder.resolve("emulated.wav")))
                .hasSizeGreaterThan(44)
                .isEqualTo(Files.readAllBytes(folder.resolve("cpu.wav")));
        assertThat(reports.getFirst().get("qnn_executions")).isEmpty();
        JsonNode executions = reports.getLast().get("qnn_executions");
        assertThat(executions.propertyNames().stream().map(name -> name.substring(0, name.indexOf(' '))))
                .containsExactlyInAnyOrder("STT_ENCODER", "STT_DECODER", "STT_JOINER", "TTS_ENCODER", "TTS_DECODER");
        executions.forEach(runs -> assertThat(runs.asLong()).isPositive());
        return dsp;
    }

    @Test
    void theDemoOnTheEmulatedDspRunsAllFiveStagesWithTheWordsAndTheSoundOfTheCpu() throws IOException {
        Path stt = TinyTransducer.streaming(folder.resolve("stt"));
        Path tts = TinyVoice.twoFiles(folder);
        Path config = tts.resolve("config.json");
        Files.writeString(
                config, Files.readString(config).replace("\"sample_rate\": 1000", "\"sample_rate\": " + RATE_HZ));
        sameOnTheDspAsOnTheCpu(stt, tts);
    }

    @Test
    void theShippedNeuralModelsGiveTheSameOnTheEmulatedDsp() throws IOException {
        Path shipped = Repository.root().resolve("models/tiny-transducer");
        Path stt =
                Files.exists(shipped.resolve("tokens.txt")) ? shipped : TinyTransducer.streaming(folder.resolve("stt"));
        sameOnTheDspAsOnTheCpu(stt, Repository.root().resolve("models/tiny-voice"));
    }
}
