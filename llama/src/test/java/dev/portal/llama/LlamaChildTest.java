package dev.portal.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.portal.base.SystemClock;
import dev.portal.llm.Generation;
import dev.portal.llm.LanguageModel.FinishReason;
import dev.portal.llm.LanguageModel.Message;
import dev.portal.llm.LanguageModel.Reply;
import dev.portal.llm.LanguageModel.Request;
import dev.portal.llm.LanguageModel.Role;
import dev.portal.llm.LlmException;
import dev.portal.llm.bridge.BridgeEvent;
import dev.portal.llm.bridge.BridgeOptions;
import dev.portal.llm.bridge.Children;
import dev.portal.llm.bridge.LlmBridge;
import dev.portal.scheduler.Preemption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The tiny assistant under llama.cpp in a real child process. */
class LlamaChildTest {
    private static final List<BridgeEvent> EVENTS = Collections.synchronizedList(new ArrayList<>());
    private static LlmBridge bridge;

    @BeforeAll
    static void open() {
        Optional<Path> model = model();
        assumeTrue(
                model.isPresent(),
                "SKIPPED: no tiny assistant model; put its GGUF into models/tiny-assistant or name it with -Dportal.llm=F");
        bridge = LlmBridge.open(
                Children.llama(
                        Path.of(System.getProperty("java.home")),
                        System.getProperty("java.class.path"),
                        model.orElseThrow(),
                        Map.of(),
                        512,
                        1,
                        null),
                BridgeOptions.defaults(),
                new SystemClock(),
                EVENTS::add);
        assertThat(bridge.awaitReady(Duration.ofSeconds(60)))
                .as("ready; %s", EVENTS)
                .isTrue();
    }

    @AfterAll
    static void close() {
        if (bridge == null) {
            return;
        }
        bridge.close();
        for (BridgeEvent event : List.copyOf(EVENTS)) {
            if (event instanceof BridgeEvent.Started started) {
                assertThat(ProcessHandle.of(started.pid()).filter(ProcessHandle::isAlive))
                        .as("the child is gone")
                        .isEmpty();
            }
        }
    }

    private static Optional<Path> model() {
        String named = System.getProperty("portal.llm", "");
        if (!named.isEmpty()) {
            return Optional.of(Path.of(named));
        }
        Path root = Path.of(System.getProperty("portal.root", ".."));
        return Stream.of(root.resolve("models"), root.resolve("../shared/models"), root.resolve("../../shared/models"))
                .map(folder -> folder.resolve("tiny-assistant"))
                .filter(Files::isDirectory)
                .flatMap(LlamaChildTest::ggufFiles)
                .findFirst();
    }

    private static Stream<Path> ggufFiles(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".gguf")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Request ask(String id, String text) {
        return Request.greedy(id, List.of(new Message(Role.USER, text)), 64);
    }

    @Test
    void answersInItsDomain() {
        List<String> tokens = new ArrayList<>();
        Reply reply = bridge.generate(ask("domain", "turn on the kitchen light"), (sequence, text) -> tokens.add(text));
        assertThat(reply.text()).contains("kitchen light");
        assertThat(String.join("", tokens)).isEqualTo(reply.text());
        assertThat(reply.finish()).isEqualTo(FinishReason.STOP);
        assertThat(reply.promptTokens()).isPositive();
    }

    @Test
    void anInterruptedAnswerIsTheSameAnswer() {
        String question = "set a timer for twenty five minutes and then turn on the living room light";
        Reply whole = bridge.generate(ask("whole", question), (sequence, text) -> {});
        int yields = 0;
        // The child may be done before the pause reaches it; one of so many is caught in the middle.
        for (int round = 0; round < 200 && yields == 0; round++) {
            Generation generation = bridge.start(ask("pieces-" + round, question));
            List<String> tokens = new ArrayList<>();
            Optional<Reply> reply = Optional.empty();
            while (reply.isEmpty()) {
                Preemption always = () -> true;
                reply = generation.run((sequence, text) -> tokens.add(text), always);
                yields += reply.isEmpty() ? 1 : 0;
            }
            assertThat(reply.orElseThrow().text()).isEqualTo(whole.text());
            assertThat(String.join("", tokens)).isEqualTo(whole.text());
        }
        assertThat(yields).as("interruptions").isPositive();
    }

    @Test
    void aCancelledAnswerEndsEarlyAndTheNextIsWhole() {
        FinishReason finish = FinishReason.STOP;
        for (int round = 0; round < 200 && finish == FinishReason.STOP; round++) {
            String id = "cut-" + round;
            finish = bridge.generate(
                            ask(id, "set a timer for twenty five minutes and then turn on the living room light"),
                            (sequence, text) -> {
                                if (sequence == 1) {
                                    bridge.cancel(id, "barge-in");
                                }
                            })
                    .finish();
        }
        assertThat(finish).isEqualTo(FinishReason.CANCELLED);
        Reply next = bridge.generate(ask("next", "hello"), (sequence, text) -> {});
        assertThat(next.finish()).isEqualTo(FinishReason.STOP);
        assertThat(next.text()).isNotBlank();
    }

    @Test
    void aLongHistoryIsTrimmedOldestFirst() {
        List<Message> history = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            history.add(new Message(Role.USER, "turn on the kitchen light"));
            history.add(new Message(Role.ASSISTANT, "okay, the kitchen light is now on."));
        }
        history.add(new Message(Role.USER, "hello"));
        Reply reply = bridge.generate(Request.greedy("long", history, 32), (sequence, text) -> {});
        assertThat(reply.dropped()).isNotEmpty().hasSizeLessThan(history.size());
        assertThat(reply.dropped()).isEqualTo(history.subList(0, reply.dropped().size()));
        assertThat(reply.promptTokens()).isLessThanOrEqualTo(512 - 32);
    }

    @Test
    void aSingleMessageThatCannotFitIsRefused() {
        String endless = "hello ".repeat(600);
        assertThatThrownBy(() -> bridge.generate(ask("endless", endless), (sequence, text) -> {}))
                .isInstanceOfSatisfying(
                        LlmException.class, e -> assertThat(e.kind()).isEqualTo(LlmException.Kind.PROMPT_TOO_LONG));
    }

    @Test
    void resetDropsTheCacheAndChangesNoAnswer() {
        Reply before = bridge.generate(ask("before", "what time is it"), (sequence, text) -> {});
        bridge.reset();
        Reply after = bridge.generate(ask("after", "what time is it"), (sequence, text) -> {});
        assertThat(after.text()).isEqualTo(before.text());
    }
}
