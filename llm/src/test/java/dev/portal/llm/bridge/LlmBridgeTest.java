package dev.portal.llm.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.llm.Generation;
import dev.portal.llm.LanguageModel.FinishReason;
import dev.portal.llm.LanguageModel.Message;
import dev.portal.llm.LanguageModel.Reply;
import dev.portal.llm.LanguageModel.Request;
import dev.portal.llm.LanguageModel.Role;
import dev.portal.llm.LlmException;
import dev.portal.llm.LlmException.Kind;
import dev.portal.scheduler.Preemption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests over the bridge in virtual time. */
class LlmBridgeTest {
    private static final String WHOLE = "sure, turning on the light.";

    private static Reply ask(Bench bench, String id) {
        return bench.bridge.generate(Bench.ask(id, "turn on the light"), bench::collect);
    }

    @ParameterizedTest
    @ValueSource(strings = {"split=0", "split=1", "crlf=1"})
    void streamsAnAnswerTokenByToken(String pipe) {
        Bench bench = new Bench(pipe).started();
        Reply reply = ask(bench, "turn-1");
        assertThat(bench.tokens).containsExactly("sure", ", turning", " on", " the", " light", ".");
        assertThat(reply.text()).isEqualTo(WHOLE);
        assertThat(reply.finish()).isEqualTo(FinishReason.STOP);
        assertThat(reply.promptTokens()).isEqualTo(4);
        assertThat(reply.completionTokens()).isEqualTo(6);
        assertThat(reply.timings()).isNotNull();
        assertThat(bench.bridge.generating()).isFalse();
    }

    @Test
    void aCharacterOfManyBytesArrivesWholeThroughAPipeOfSingleBytes() {
        Bench bench = new Bench("split=1", "tokens=grüß|e 🙂|€").started();
        assertThat(ask(bench, "turn-1").text()).isEqualTo("grüße 🙂€");
    }

    @Test
    void aChildThatDoesNotStreamStillDeliversItsText() {
        Bench bench = new Bench("silent=1").started();
        assertThat(ask(bench, "turn-1").text()).isEqualTo(WHOLE);
        assertThat(bench.tokens).containsExactly(WHOLE);
    }

    @Test
    void aSecondRequestIsRefusedWhileOneIsAnswered() {
        Bench bench = new Bench().started();
        List<Kind> refusals = new ArrayList<>();
        bench.bridge.generate(Bench.ask("first", "hi"), (sequence, text) -> {
            assertThat(bench.bridge.generating()).isTrue();
            assertThatThrownBy(() -> bench.bridge.generate(Bench.ask("second", "hi"), (n, t) -> {}))
                    .isInstanceOfSatisfying(LlmException.class, e -> refusals.add(e.kind()));
        });
        assertThat(refusals).hasSize(6).containsOnly(Kind.BUSY);
    }

    @Test
    void resetIsRefusedWhileGeneratingAndDoneWhenIdle() {
        Bench bench = new Bench().started();
        bench.bridge.generate(
                Bench.ask("first", "hi"),
                (sequence, text) -> assertThatThrownBy(bench.bridge::reset)
                        .isInstanceOfSatisfying(
                                LlmException.class, e -> assertThat(e.kind()).isEqualTo(Kind.BUSY)));
        bench.bridge.reset();
        assertThat(bench.children.getFirst().received()).contains("reset");
    }

    @Test
    void statusIsAskedOfTheChildAndAnsweredWhileItGenerates() {
        Bench bench = new Bench();
        assertThat(bench.bridge.status().state()).isEqualTo("new");
        bench.started();
        assertThat(bench.bridge.status()).isEqualTo(new LlmStatus("idle", "", 0, 512));
        List<String> states = new ArrayList<>();
        bench.bridge.generate(
                Bench.ask("turn-1", "hi"),
                (sequence, text) -> states.add(bench.bridge.status().state()));
        assertThat(states).contains("generating");
    }

    @Test
    void afterACancelNoFurtherTokenArrives() {
        Bench bench = new Bench("late_token=1").started();
        Reply reply = bench.bridge.generate(Bench.ask("turn-1", "hi"), (sequence, text) -> {
            bench.collect(sequence, text);
            if (sequence == 2) {
                bench.bridge.cancel("turn-1", "barge-in");
            }
        });
        assertThat(reply.finish()).isEqualTo(FinishReason.CANCELLED);
        assertThat(bench.tokens).hasSize(3);
        assertThat(reply.text()).isEqualTo("sure, turning on");
        assertThat(bench.events(BridgeEvent.Cancelled.class)).singleElement().satisfies(event -> {
            assertThat(event.reason()).isEqualTo("barge-in");
            assertThat(event.obeyedUs()).isLessThan(1000);
        });
        assertThat(ask(bench.fresh(), "turn-2").text()).isEqualTo(WHOLE);
    }

    @Test
    void cancellingAnotherIdTouchesNothing() {
        Bench bench = new Bench().started();
        Reply reply = bench.bridge.generate(
                Bench.ask("turn-1", "hi"), (sequence, text) -> bench.bridge.cancel("turn-0", "late"));
        assertThat(reply.finish()).isEqualTo(FinishReason.STOP);
        assertThat(reply.text()).isEqualTo(WHOLE);
        assertThat(bench.children.getFirst().received()).doesNotContain("cancel");
    }

    @Test
    void aCancelBeforeTheRequestWasSentEndsItUnsent() {
        Bench bench = new Bench().started();
        Generation generation = bench.bridge.start(Bench.ask("turn-1", "hi"));
        bench.bridge.cancel("turn-1", "changed my mind");
        assertThat(generation
                        .run(bench::collect, Preemption.NEVER)
                        .orElseThrow()
                        .finish())
                .isEqualTo(FinishReason.CANCELLED);
        assertThat(bench.children.getFirst().received()).doesNotContain("generate");
        assertThat(bench.bridge.generating()).isFalse();
    }

    @Test
    void aChildThatIgnoresTheCancelIsKilledAfterTwoSecondsAndReplaced() {
        Bench bench = new Bench("ignore_cancel=1", "hang_at=2").then().started();
        Reply reply = bench.bridge.generate(Bench.ask("turn-1", "hi"), (sequence, text) -> {
            if (sequence == 1) {
                bench.bridge.cancel("turn-1", "barge-in");
            }
        });
        assertThat(reply.finish()).isEqualTo(FinishReason.CANCELLED);
        assertThat(bench.events(BridgeEvent.Cancelled.class))
                .singleElement()
                .satisfies(event -> assertThat(event.obeyedUs()).isEqualTo(2_000_000));
        assertThat(ask(bench, "turn-2").text()).isEqualTo(WHOLE);
        assertThat(bench.children).hasSize(2);
        assertThat(bench.children.getFirst().gone()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "crash_at=2, exited with status 139",
        "garbage_at=2, broke the protocol",
        "oversize_at=2, longer than 1048576 bytes",
        "skip_at=2, token 3 of 'turn-1' came",
        "hang_at=2, made no token",
        "eof_at=2, closed its output",
    })
    void aChildLostWhileGeneratingFailsTheRequestOnceAndIsReplaced(String fault, String why) {
        Bench bench = new Bench(fault).then().started();
        assertThatThrownBy(() -> ask(bench, "turn-1")).isInstanceOfSatisfying(LlmException.class, e -> {
            assertThat(e.kind()).isEqualTo(Kind.BACKEND);
            assertThat(e.kind().code()).isEqualTo(-32005);
            assertThat(e).hasMessageContaining(why).hasMessageContaining("turn-1");
        });
        assertThat(bench.tokens).hasSizeLessThanOrEqualTo(2);
        assertThat(ask(bench.fresh(), "turn-2").text()).isEqualTo(WHOLE);
        // Not replayed: the second child saw one request.
        assertThat(bench.children.get(1).received().stream().filter("generate"::equals))
                .hasSize(1);
    }

    @Test
    void theErrorOfALostChildEndsWithWhatItSaid() {
        Bench bench = new Bench("crash_at=0").started();
        assertThatThrownBy(() -> ask(bench, "turn-1")).hasMessageContaining("Segmentation fault");
    }

    @Test
    void aSlowConsumerNeverHoldsTheChildAndLosesItsRequest() {
        Bench bench = new Bench("repeat=100", "gap_us=100").started();
        Reply reply = bench.bridge.generate(Bench.ask("turn-1", "hi"), (sequence, text) -> {
            if (sequence == 0) {
                bench.pass(Duration.ofSeconds(1));
            }
        });
        assertThat(reply.finish()).isEqualTo(FinishReason.CANCELLED);
        assertThat(bench.events(BridgeEvent.SlowConsumer.class))
                .singleElement()
                .satisfies(event -> assertThat(event.waiting()).isEqualTo(256));
        assertThat(bench.children).hasSize(1);
    }

    @Test
    void aConsumerThatThrowsFreesTheChild() {
        Bench bench = new Bench().started();
        assertThatThrownBy(() -> bench.bridge.generate(Bench.ask("turn-1", "hi"), (sequence, text) -> {
                    throw new IllegalStateException("speaker unplugged");
                }))
                .hasMessage("speaker unplugged");
        assertThat(bench.bridge.generating()).isFalse();
        assertThat(ask(bench, "turn-2").text()).isEqualTo(WHOLE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"no_pause=0", "no_pause=1"})
    void anAnswerInterruptedAtEveryTokenIsTheSameAnswer(String pause) {
        Bench bench = new Bench(pause).started();
        Generation generation = bench.bridge.start(Bench.ask("turn-1", "turn on the light"));
        int yields = 0;
        Optional<Reply> reply = Optional.empty();
        while (reply.isEmpty()) {
            int before = bench.tokens.size();
            reply = generation.run(bench::collect, () -> true);
            if (reply.isEmpty()) {
                yields++;
                assertThat(bench.tokens.size()).as("each run makes a token").isGreaterThan(before);
                bench.pass(Duration.ofMillis(1));
            }
        }
        assertThat(reply.orElseThrow().text()).isEqualTo(WHOLE);
        assertThat(String.join("", bench.tokens)).isEqualTo(WHOLE);
        assertThat(yields).isGreaterThanOrEqualTo(2);
    }

    @Test
    void aPausedChildMakesNoTokens() {
        Bench bench = new Bench().started();
        Generation generation = bench.bridge.start(Bench.ask("turn-1", "hi"));
        assertThat(generation.run(bench::collect, () -> true)).isEmpty();
        assertThat(bench.bridge.status().state()).isEqualTo("paused");
        int made = bench.tokens.size();
        bench.pass(Duration.ofMinutes(5));
        assertThat(bench.bridge.status().pastTokens()).isEqualTo(made);
        assertThat(bench.children).as("a paused child is not stalled").hasSize(1);
        assertThat(generation
                        .run(bench::collect, Preemption.NEVER)
                        .orElseThrow()
                        .text())
                .isEqualTo(WHOLE);
    }

    @Test
    void aPausedRequestCanBeCancelled() {
        Bench bench = new Bench().started();
        Generation generation = bench.bridge.start(Bench.ask("turn-1", "hi"));
        assertThat(generation.run(bench::collect, () -> true)).isEmpty();
        bench.bridge.cancel("turn-1", "barge-in");
        bench.pass(Duration.ofMillis(1));
        assertThat(bench.bridge.generating()).isFalse();
        assertThat(generation
                        .run(bench::collect, Preemption.NEVER)
                        .orElseThrow()
                        .finish())
                .isEqualTo(FinishReason.CANCELLED);
    }

    @Test
    void aRequestWaitsForAChildThatIsStillLoading() {
        Bench bench = new Bench("load_ms=20000");
        bench.bridge.start();
        assertThat(ask(bench, "turn-1").text()).isEqualTo(WHOLE);
        assertThat(bench.clock.nanos()).isGreaterThan(Duration.ofSeconds(20).toNanos());
    }

    @Test
    void withoutAChildARequestIsNotReadyAndSaysWhy() {
        Bench bench = new Bench("die_at_start=1");
        bench.bridge.start();
        bench.pass(Duration.ofMinutes(1));
        assertThatThrownBy(() -> ask(bench, "turn-1")).isInstanceOfSatisfying(LlmException.class, e -> {
            assertThat(e.kind()).isEqualTo(Kind.NOT_READY);
            assertThat(e).hasMessageContaining("5 times in 10 min").hasMessageContaining("cannot load the model");
        });
        assertThat(bench.bridge.generating()).isFalse();
        assertThatThrownBy(bench.bridge::reset)
                .isInstanceOfSatisfying(
                        LlmException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_READY));
    }

    @Test
    void historyThatDoesNotFitIsLeftOutOldestFirstAndReported() {
        Bench bench = new Bench("n_ctx=40").started();
        List<Message> history = new ArrayList<>(List.of(new Message(Role.SYSTEM, "be brief")));
        for (int i = 0; i < 6; i++) {
            history.add(new Message(Role.USER, "one two three " + i));
            history.add(new Message(Role.ASSISTANT, "four five " + i));
        }
        history.add(new Message(Role.USER, "and now"));
        Reply reply = bench.bridge.generate(Request.greedy("turn-1", history, 20), bench::collect);
        // 20 tokens are left for the prompt; the child counts words: 2 + 2 * 7 + 2.
        assertThat(reply.promptTokens()).isLessThanOrEqualTo(20);
        assertThat(reply.dropped())
                .isNotEmpty()
                .isEqualTo(history.subList(1, 1 + reply.dropped().size()));
        assertThat(history.get(1 + reply.dropped().size()).role()).isEqualTo(Role.USER);
        assertThat(bench.events(BridgeEvent.Trimmed.class).stream().flatMap(event -> event.dropped().stream()))
                .containsExactlyElementsOf(reply.dropped());
    }

    @Test
    void aMessageThatCanNeverFitIsRefused() {
        Bench bench = new Bench("n_ctx=40").started();
        Request request = Request.greedy("turn-1", List.of(new Message(Role.USER, "a ".repeat(100))), 20);
        assertThatThrownBy(() -> bench.bridge.generate(request, bench::collect))
                .isInstanceOfSatisfying(
                        LlmException.class, e -> assertThat(e.kind()).isEqualTo(Kind.PROMPT_TOO_LONG));
        Request next = Request.greedy("turn-2", List.of(new Message(Role.USER, "hello")), 20);
        assertThat(bench.bridge.generate(next, bench::collect).text()).isEqualTo(WHOLE);
    }

    @Test
    void aPromptLongerThanALineIsTheCallersMistakeAndHarmsNothing() {
        Bench bench = new Bench().started();
        assertThatThrownBy(() -> bench.bridge.generate(Bench.ask("turn-1", "x".repeat(2 << 20)), bench::collect))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("shorten the prompt");
        assertThat(ask(bench, "turn-2").text()).isEqualTo(WHOLE);
        assertThat(bench.children).hasSize(1);
    }

    @Test
    void closingWhileARequestIsAnsweredFailsIt() {
        Bench bench = new Bench().started();
        assertThatThrownBy(() -> bench.bridge.generate(Bench.ask("turn-1", "hi"), (sequence, text) -> {
                    if (sequence == 1) {
                        bench.bridge.close();
                    }
                }))
                .isInstanceOfSatisfying(
                        LlmException.class, e -> assertThat(e.kind()).isEqualTo(Kind.BACKEND));
        assertThat(bench.children).allMatch(ScriptedProcess::gone);
    }
}
