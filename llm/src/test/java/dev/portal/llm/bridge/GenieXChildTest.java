package dev.portal.llm.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.portal.base.SystemClock;
import dev.portal.llm.Generation;
import dev.portal.llm.LanguageModel.FinishReason;
import dev.portal.llm.LanguageModel.Reply;
import dev.portal.llm.LlmException;
import dev.portal.scheduler.Preemption;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** bridge.py under a real Python, with a stand-in for GenieX in a virtual environment. */
class GenieXChildTest {
    private static final Path PYTHON = Path.of("/usr/bin/python3");

    @TempDir
    Path folder;

    private final List<BridgeEvent> events = Collections.synchronizedList(new ArrayList<>());
    private @Nullable LlmBridge bridge;
    private Map<String, String> settings = Map.of();

    @BeforeEach
    void makeVenv() throws Exception {
        assumeTrue(Files.isExecutable(PYTHON), "SKIPPED: no " + PYTHON + "; install python3 to test bridge.py");
        Path site = folder.resolve("lib/python3.x/site-packages");
        Path source = Path.of(
                GenieXChildTest.class.getResource("/geniex-stand-in/geniex").toURI());
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : files.toList()) {
                Path target =
                        site.resolve("geniex").resolve(source.relativize(file).toString());
                Files.createDirectories(target.getParent());
                Files.copy(file, target);
            }
        }
        Files.writeString(folder.resolve("pyvenv.cfg"), "home = /usr/bin\n");
        settings =
                Map.of("PORTAL_VENV_DIR", folder.toString(), "HOME", folder.toString(), "SECRET", "not for children");
    }

    @AfterEach
    void close() {
        if (bridge != null) {
            bridge.close();
            for (BridgeEvent event : List.copyOf(events)) {
                if (event instanceof BridgeEvent.Started started) {
                    assertThat(ProcessHandle.of(started.pid()).filter(ProcessHandle::isAlive))
                            .as("child left behind")
                            .isEmpty();
                }
            }
        }
    }

    /** A model that makes these tokens; {@code |} parts them, by bytes. */
    private LlmBridge open(byte[][] tokens, String more) {
        String hex = Stream.of(tokens)
                .map(token -> "\"" + HexFormat.of().formatHex(token) + "\"")
                .collect(Collectors.joining(","));
        bridge = LlmBridge.open(
                Children.geniex(settings, "{\"tokens\":[" + hex + "]" + more + "}", 384),
                BridgeOptions.defaults(),
                new SystemClock(),
                events::add);
        assertThat(bridge.awaitReady(Duration.ofSeconds(60)))
                .as("ready; %s", events)
                .isTrue();
        return bridge;
    }

    private static byte[][] words(int count) {
        return Stream.iterate(0, i -> i + 1)
                .limit(count)
                .map(i -> (" word" + i).getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
    }

    private List<String> errorLines() {
        return List.copyOf(events).stream()
                .filter(BridgeEvent.ErrorLine.class::isInstance)
                .map(event -> ((BridgeEvent.ErrorLine) event).line())
                .toList();
    }

    @Test
    void streamsWholeCharactersThoughTokensCutThem() {
        byte[] text = "grüß 🙂!".getBytes(StandardCharsets.UTF_8);
        byte[][] single = new byte[text.length][];
        for (int i = 0; i < text.length; i++) {
            single[i] = new byte[] {text[i]};
        }
        List<String> tokens = new ArrayList<>();
        Reply reply =
                open(single, "").generate(Bench.ask("turn-1", "hi there"), (sequence, piece) -> tokens.add(piece));
        assertThat(reply.text()).isEqualTo("grüß 🙂!");
        assertThat(tokens).containsExactly("g", "r", "ü", "ß", " ", "🙂", "!");
        assertThat(reply.promptTokens()).isEqualTo(3);
        assertThat(reply.finish()).isEqualTo(FinishReason.STOP);
        assertThat(reply.timings()).isNotNull();
    }

    @Test
    void whatTheRuntimePrintsGoesToStandardErrorAndTheEnvironmentIsExactlyTheRules() {
        ChildInfo child = open(words(1), "").child().orElseThrow();
        assertThat(child.contextTokens()).isEqualTo(384);
        assertThat(child.pause()).isTrue();
        // Standard error comes by a thread of its own, which may be behind.
        SystemClock clock = new SystemClock();
        while (errorLines().stream().noneMatch(line -> line.startsWith("n_ctx:")) && clock.nanos() < 10_000_000_000L) {
            clock.parkUntil(clock.nanos() + 1_000_000);
        }
        List<String> lines = errorLines();
        assertThat(lines).contains("geniex: a banner on standard output", "geniex: and one past Python", "n_ctx: 384");
        assertThat(lines).contains("environment: GENIEX_NCTX,GENIEX_N_CTX,GGML_HEXAGON_HOSTBUF,HOME,LANG,PATH");
    }

    @Test
    void aCancelStopsTheDecoderAndTheNextRequestIsAnswered() {
        LlmBridge opened = open(words(20), ",\"gap_s\":0.02");
        List<String> tokens = new ArrayList<>();
        Reply cut = opened.generate(Bench.ask("turn-1", "hi"), (sequence, text) -> {
            tokens.add(text);
            if (sequence == 1) {
                opened.cancel("turn-1", "barge-in");
            }
        });
        assertThat(cut.finish()).isEqualTo(FinishReason.CANCELLED);
        assertThat(tokens).hasSize(2);
        assertThat(opened.generate(Bench.ask("turn-2", "hi"), (n, t) -> {}).text())
                .endsWith("word19");
    }

    @Test
    void anAnswerInterruptedAtEveryTokenIsTheSameAnswer() {
        LlmBridge opened = open(words(8), ",\"gap_s\":0.005");
        Generation generation = opened.start(Bench.ask("turn-1", "hi"));
        List<String> tokens = new ArrayList<>();
        int yields = 0;
        Optional<Reply> reply = Optional.empty();
        Preemption always = () -> true;
        while (reply.isEmpty()) {
            reply = generation.run((sequence, text) -> tokens.add(text), always);
            if (reply.isEmpty()) {
                yields++;
                assertThat(opened.status().state()).isEqualTo("paused");
            }
        }
        assertThat(reply.orElseThrow().text()).isEqualTo(" word0 word1 word2 word3 word4 word5 word6 word7");
        assertThat(String.join("", tokens)).isEqualTo(reply.orElseThrow().text());
        assertThat(yields).isPositive();
    }

    @Test
    void statusAndResetAreAnswered() {
        LlmBridge opened = open(words(5), ",\"gap_s\":0.02");
        assertThat(opened.status().state()).isEqualTo("idle");
        List<String> states = new ArrayList<>();
        opened.generate(
                Bench.ask("turn-1", "hi"),
                (sequence, text) -> states.add(opened.status().state()));
        assertThat(states).contains("generating");
        opened.reset();
    }

    @Test
    void aFailureOfTheRuntimeKeepsItsCode() {
        LlmBridge opened = open(words(1), ",\"error\":-100003");
        assertThatThrownBy(() -> opened.generate(Bench.ask("turn-1", "hi"), (n, t) -> {}))
                .isInstanceOfSatisfying(
                        LlmException.class, e -> assertThat(e.kind()).isEqualTo(LlmException.Kind.OUT_OF_MEMORY))
                .hasMessageContaining("-100003");
    }

    @Test
    void nothingIsSpawnedWithoutAVenvOrWithAnInterpreterOthersCouldExchange() throws IOException {
        assertThatThrownBy(() -> Children.geniex(Map.of(), "m", 512))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PORTAL_VENV_DIR is not set");
        Path empty = Files.createDirectory(folder.resolve("empty"));
        assertThatThrownBy(() -> Children.geniex(Map.of("PORTAL_VENV_DIR", empty.toString()), "m", 512))
                .hasMessageContaining("pyvenv.cfg");
        assertThatThrownBy(() -> Children.geniex(with("PORTAL_PYTHON_BIN", "python3"), "m", 512))
                .hasMessageContaining("not absolute");
        assertThatThrownBy(() -> Children.geniex(with("PORTAL_PYTHON_BIN", "/no/such/python"), "m", 512))
                .hasMessageContaining("does not exist");
        assertThatThrownBy(() -> Children.geniex(with("PORTAL_PYTHON_BIN", folder.toString()), "m", 512))
                .hasMessageContaining("no executable file");
        // The temporary folder is writable by all, so a program in it is never trusted.
        Path mine = Files.createFile(folder.resolve("python3"));
        assertThat(mine.toFile().setExecutable(true)).isTrue();
        Files.setPosixFilePermissions(mine, PosixFilePermissions.fromString("rwxrwxr-x"));
        assertThatThrownBy(() -> Children.geniex(with("PORTAL_PYTHON_BIN", mine.toString()), "m", 512))
                .hasMessageContaining("writable by group or others");
    }

    private Map<String, String> with(String name, String value) {
        Map<String, String> map = new HashMap<>(settings);
        map.put(name, value);
        return map;
    }
}
