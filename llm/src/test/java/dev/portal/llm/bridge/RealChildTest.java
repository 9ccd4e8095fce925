package dev.portal.llm.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.SystemClock;
import dev.portal.llm.LanguageModel.Reply;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The bridge over real processes. */
class RealChildTest {
    private final List<BridgeEvent> events = Collections.synchronizedList(new ArrayList<>());

    private LlmBridge open(String... settings) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path") + File.pathSeparator + System.getProperty("jdk.module.path", ""),
                ScriptedMain.class.getName()));
        command.addAll(List.of(settings));
        return LlmBridge.open(
                new ChildCommand(command, Map.of("LANG", "C.UTF-8"), "model", "scripted"),
                BridgeOptions.defaults(),
                new SystemClock(),
                events::add);
    }

    @Test
    void answersARequestAndLeavesNoProcess() {
        long pid;
        try (LlmBridge bridge = open()) {
            assertThat(bridge.awaitReady(Duration.ofSeconds(60)))
                    .as("ready; %s", events)
                    .isTrue();
            List<String> tokens = new ArrayList<>();
            Reply reply = bridge.generate(Bench.ask("turn-1", "hello"), (sequence, text) -> tokens.add(text));
            assertThat(reply.text()).isEqualTo("sure, turning on the light.");
            assertThat(tokens).hasSize(6);
            pid = ((BridgeEvent.Started) events.getFirst()).pid();
            assertThat(ProcessHandle.of(pid)).isPresent();
        }
        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
    }
}
