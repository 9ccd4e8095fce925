package dev.portal.llm.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.SystemClock;
import dev.portal.llm.LanguageModel.FinishReason;
import dev.portal.llm.LanguageModel.Reply;
import dev.portal.llm.LlmException;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bridge over real processes, a dozen of them. After each test no child is left. */
@Tag("slow")
class RealChildTest {
    private static final String WHOLE = "sure, turning on the light.";

    private final List<BridgeEvent> events = Collections.synchronizedList(new ArrayList<>());

    private static List<String> java(String main, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path") + File.pathSeparator + System.getProperty("jdk.module.path", ""),
                main));
        command.addAll(arguments);
        return command;
    }

    private LlmBridge open(String... script) {
        ChildCommand command = new ChildCommand(
                java(ScriptedMain.class.getName(), List.of(script)),
                Map.of("LANG", "C.UTF-8"),
                Map.of("note.txt", "lies in the child's folder"),
                "model",
                "scripted");
        LlmBridge bridge = LlmBridge.open(command, BridgeOptions.defaults(), new SystemClock(), events::add);
        assertThat(bridge.awaitReady(Duration.ofSeconds(60)))
                .as("ready; %s", events)
                .isTrue();
        return bridge;
    }

    private List<Long> pids() {
        return List.copyOf(events).stream()
                .filter(BridgeEvent.Started.class::isInstance)
                .map(event -> ((BridgeEvent.Started) event).pid())
                .toList();
    }

    private static boolean alive(long pid) {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
    }

    @AfterEach
    void noChildIsLeft() {
        assertThat(pids()).isNotEmpty().noneMatch(RealChildTest::alive);
    }

    @Test
    void answersARequestAndLeavesNoProcess() {
        try (LlmBridge bridge = open()) {
            List<String> tokens = new ArrayList<>();
            Reply reply = bridge.generate(Bench.ask("turn-1", "hello"), (sequence, text) -> tokens.add(text));
            assertThat(reply.text()).isEqualTo(WHOLE);
            assertThat(tokens).hasSize(6);
            assertThat(pids())
                    .singleElement()
                    .satisfies(pid -> assertThat(alive(pid)).isTrue());
        }
    }

    @ParameterizedTest
    @CsvSource({"crash_at=2, status 139", "garbage_at=2, protocol", "oversize_at=1, longer than", "eof_at=2, output"})
    void aLostChildFailsItsRequestOnceAndALaterOneIsAnsweredByTheNext(String fault, String why) {
        try (LlmBridge bridge = open(fault)) {
            assertThatThrownBy(() -> bridge.generate(Bench.ask("turn-1", "hello"), (n, t) -> {}))
                    .isInstanceOfSatisfying(
                            LlmException.class, e -> assertThat(e.kind()).isEqualTo(LlmException.Kind.BACKEND))
                    .hasMessageContaining(why);
            assertThat(bridge.awaitReady(Duration.ofSeconds(60))).isTrue();
            assertThat(pids()).hasSize(2);
        }
    }

    @Test
    void aCancelComesBackWhileTheChildDecodes() {
        try (LlmBridge bridge = open("repeat=1000")) {
            Reply reply = bridge.generate(Bench.ask("turn-1", "hello"), (sequence, text) -> {
                if (sequence == 3) {
                    bridge.cancel("turn-1", "barge-in");
                }
            });
            assertThat(reply.finish()).isEqualTo(FinishReason.CANCELLED);
            assertThat(reply.text()).isEqualTo("sure, turning on the");
        }
    }

    @Test
    void aFloodOnStandardErrorHoldsNothingUp() {
        try (LlmBridge bridge = open("stderr_flood=20000")) {
            assertThat(bridge.generate(Bench.ask("turn-1", "hello"), (n, t) -> {})
                            .text())
                    .isEqualTo(WHOLE);
        }
        assertThat(List.copyOf(events).stream().filter(BridgeEvent.ErrorLine.class::isInstance))
                .hasSizeLessThan(2000);
    }

    @Test
    void aChildThatObeysNothingIsKilledOnClose() {
        open("ignore_shutdown=1", "ignore_eof=1").close();
    }

    @Test
    void aChildWhoseParentDiesEndsByTheEndOfItsInput() throws Exception {
        ProcessBuilder parent =
                new ProcessBuilder(java(OrphanMain.class.getName(), java(ScriptedMain.class.getName(), List.of())));
        parent.redirectError(ProcessBuilder.Redirect.DISCARD);
        Process process = parent.start();
        long child;
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            child = Long.parseLong(out.readLine());
        }
        assertThat(process.waitFor()).isZero();
        events.add(new BridgeEvent.Started(child, "orphan"));
        ProcessHandle.of(child)
                .ifPresent(handle ->
                        handle.onExit().orTimeout(30, TimeUnit.SECONDS).join());
    }

    @Test
    void theChildsOwnFolderIsGoneWithTheChild() throws Exception {
        ChildCommand command = new ChildCommand(
                java(ScriptedMain.class.getName(), List.of("folder=" + ChildCommand.WORK)),
                Map.of(),
                Map.of("note.txt", "hello"),
                "model",
                "scripted");
        String folder;
        try (LlmBridge bridge = LlmBridge.open(command, BridgeOptions.defaults(), new SystemClock(), events::add)) {
            assertThat(bridge.awaitReady(Duration.ofSeconds(60))).isTrue();
            folder = ProcessHandle.of(pids().getFirst())
                    .flatMap(handle -> handle.info().arguments())
                    .map(arguments -> arguments[arguments.length - 1].substring("folder=".length()))
                    .orElseThrow();
            assertThat(Files.readString(Path.of(folder, "note.txt"))).isEqualTo("hello");
        }
        assertThat(Path.of(folder)).doesNotExist();
    }
}
