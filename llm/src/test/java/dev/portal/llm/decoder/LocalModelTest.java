package dev.portal.llm.decoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.SystemClock;
import dev.portal.base.VirtualClock;
import dev.portal.llm.Generation;
import dev.portal.llm.LanguageModel.FinishReason;
import dev.portal.llm.LanguageModel.Message;
import dev.portal.llm.LanguageModel.Reply;
import dev.portal.llm.LanguageModel.Request;
import dev.portal.llm.LanguageModel.Role;
import dev.portal.llm.LlmException;
import dev.portal.llm.LlmException.Kind;
import dev.portal.llm.LlmTenant;
import dev.portal.llm.gguf.GgufException;
import dev.portal.llm.gguf.GgufTensor;
import dev.portal.llm.gguf.TensorType;
import dev.portal.scheduler.Inference;
import dev.portal.scheduler.Preemption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LocalModelTest {
    private static final long PLENTY = 1L << 30;

    @TempDir
    private Path folder;

    private static Path tiny() {
        return Path.of(System.getProperty("portal.root", "..")).resolve("models/tiny-assistant/tiny-assistant.gguf");
    }

    private static LocalModel open(Path file, LocalOptions options, Backend.Factory backend) throws IOException {
        SystemClock clock = new SystemClock();
        return LocalModel.open(file, options, clock, Team.alone(clock), Kernels.best(), backend);
    }

    private static LocalModel open(LocalOptions options) throws IOException {
        return open(tiny(), options, CpuBackend.nativeWeights());
    }

    private static Request ask(String id, String text) {
        return Request.greedy(id, List.of(new Message(Role.USER, text)), 64);
    }

    @Test
    void theTinyAssistantAnswersInItsDomain() throws IOException {
        for (Backend.Factory backend : List.of(CpuBackend.nativeWeights(), CpuBackend.int8())) {
            try (LocalModel model = open(tiny(), LocalOptions.defaults(PLENTY), backend)) {
                List<String> tokens = new ArrayList<>();
                Reply reply = model.generate(ask("a", "turn on the kitchen light"), (sequence, text) -> {
                    assertThat(sequence).isEqualTo(tokens.size());
                    tokens.add(text);
                });
                assertThat(reply.text()).contains("kitchen light");
                assertThat(String.join("", tokens)).isEqualTo(reply.text());
                assertThat(reply.finish()).isEqualTo(FinishReason.STOP);
                assertThat(reply.promptTokens()).isPositive();
                assertThat(model.generating()).isFalse();
            }
        }
    }

    @Test
    void anAnswerInterruptedAfterEveryStepIsTheSameAnswer() throws IOException {
        String question = "set a timer for twenty five minutes and then turn on the living room light";
        try (LocalModel model = open(LocalOptions.defaults(PLENTY))) {
            Reply whole = model.generate(ask("whole", question), (sequence, text) -> {});
            model.reset();
            Generation generation = model.start(ask("pieces", question));
            List<String> tokens = new ArrayList<>();
            Optional<Reply> reply = Optional.empty();
            int runs = 0;
            while (reply.isEmpty()) {
                reply = generation.run((sequence, text) -> tokens.add(text), () -> true);
                runs++;
            }
            assertThat(reply.orElseThrow().text()).isEqualTo(whole.text());
            assertThat(String.join("", tokens)).isEqualTo(whole.text());
            assertThat(runs).isGreaterThan(10);
        }
    }

    @Test
    void aConversationThatGoesOnIsReadFromWhereItChangesAndAnswersTheSame() throws IOException {
        List<Message> talk = new ArrayList<>(List.of(new Message(Role.USER, "hello")));
        try (LocalModel model = open(LocalOptions.defaults(PLENTY));
                LocalModel fresh = open(LocalOptions.defaults(PLENTY))) {
            for (int turn = 0; turn < 3; turn++) {
                Request request = Request.greedy("turn-" + turn, List.copyOf(talk), 32);
                Reply reply = model.generate(request, (sequence, text) -> {});
                fresh.reset();
                assertThat(fresh.generate(request, (sequence, text) -> {}).text())
                        .isEqualTo(reply.text());
                talk.add(new Message(Role.ASSISTANT, reply.text()));
                talk.add(new Message(Role.USER, "turn on the kitchen light"));
            }
        }
    }

    @Test
    void cancellingEndsTheAnswerWhereverItIs() throws IOException {
        try (LocalModel model = open(LocalOptions.defaults(PLENTY).withBatch(4))) {
            // From its own token.
            Reply cut = model.generate(ask("token", "what time is it"), (sequence, text) -> {
                if (sequence == 1) {
                    model.cancel("token", "barge-in");
                }
            });
            assertThat(cut.finish()).isEqualTo(FinishReason.CANCELLED);
            // Between two pieces of the prompt, and before the first.
            Generation reading = model.start(ask("reading", "set a timer for twenty five minutes"));
            assertThat(reading.run((sequence, text) -> {}, () -> true)).isEmpty();
            model.cancel("reading", "barge-in");
            assertThat(model.generating()).isFalse();
            assertThat(reading.run((sequence, text) -> {}, Preemption.NEVER)
                            .orElseThrow()
                            .finish())
                    .isEqualTo(FinishReason.CANCELLED);
            Generation unbegun = model.start(ask("unbegun", "hello"));
            unbegun.cancel("never mind");
            assertThat(model.generating()).isFalse();
            model.cancel("nobody", "no effect");
            // Nothing of it is left.
            Reply next = model.generate(ask("next", "what time is it"), (sequence, text) -> {});
            model.reset();
            assertThat(next.text())
                    .isEqualTo(model.generate(ask("again", "what time is it"), (sequence, text) -> {})
                            .text());
        }
    }

    @Test
    void aSecondRequestIsBusyAndAConsumersErrorIsItsOwn() throws IOException {
        try (LocalModel model = open(LocalOptions.defaults(PLENTY))) {
            Generation first = model.start(ask("first", "hello"));
            assertKind(Kind.BUSY, () -> model.start(ask("second", "hello")));
            assertKind(Kind.BUSY, model::reset);
            first.cancel("done");
            assertThatThrownBy(() -> model.generate(ask("third", "hello"), (sequence, text) -> {
                        throw new IllegalStateException("mine");
                    }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("mine");
            assertThat(model.generating()).isFalse();
        }
    }

    private static void assertKind(Kind kind, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        LlmException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }

    @Test
    void aFullContextEndsTheAnswerAndATooLongPromptIsRefused() throws IOException {
        try (LocalModel model =
                open(LocalOptions.defaults(PLENTY).withContext(24).withoutEnd())) {
            Reply reply = model.generate(ask("full", "hello"), (sequence, text) -> {});
            assertThat(reply.finish()).isEqualTo(FinishReason.LENGTH);
            assertThat(reply.promptTokens() + reply.completionTokens()).isEqualTo(25);
            assertKind(Kind.PROMPT_TOO_LONG, () -> model.start(ask("long", "hello ".repeat(40))));
            assertThat(model.generating()).isFalse();
        }
    }

    @Test
    void aLongHistoryLosesItsOldestMessages() throws IOException {
        List<Message> history = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            history.add(new Message(Role.USER, "turn on the kitchen light"));
            history.add(new Message(Role.ASSISTANT, "okay, the kitchen light is now on."));
        }
        history.add(new Message(Role.USER, "hello"));
        try (LocalModel model = open(LocalOptions.defaults(PLENTY))) {
            Reply reply = model.generate(Request.greedy("long", history, 32), (sequence, text) -> {});
            assertThat(reply.dropped()).isNotEmpty().hasSizeLessThan(history.size());
            assertThat(reply.dropped())
                    .isEqualTo(history.subList(0, reply.dropped().size()));
            assertThat(reply.promptTokens()).isLessThanOrEqualTo(512 - 32);
        }
    }

    @Test
    void aStopTextEndsTheAnswerAndIsNotPartOfIt() throws IOException {
        try (LocalModel model = open(LocalOptions.defaults(PLENTY))) {
            String whole = model.generate(ask("whole", "turn on the kitchen light"), (sequence, text) -> {})
                    .text();
            Request stopping = new Request(
                    "stop",
                    List.of(new Message(Role.USER, "turn on the kitchen light")),
                    64,
                    0,
                    1,
                    0,
                    List.of("chen li", "never said"),
                    0);
            StringBuilder said = new StringBuilder();
            Reply reply = model.generate(stopping, (sequence, text) -> said.append(text));
            assertThat(reply.text()).isEqualTo(whole.substring(0, whole.indexOf("chen li")));
            assertThat(said.toString()).isEqualTo(reply.text());
            assertThat(reply.finish()).isEqualTo(FinishReason.STOP);
        }
    }

    @Test
    void sampledAnswersRepeatWithTheirSeed() throws IOException {
        try (LocalModel model = open(LocalOptions.defaults(PLENTY).withoutEnd())) {
            List<String> answers = new ArrayList<>();
            for (long seed : new long[] {1, 1, 2}) {
                answers.add(model.generate(
                                new Request(
                                        "s" + answers.size(),
                                        List.of(new Message(Role.USER, "hello")),
                                        60,
                                        2,
                                        1,
                                        0,
                                        List.of(),
                                        seed),
                                (sequence, text) -> {})
                        .text());
            }
            assertThat(answers.get(1)).isEqualTo(answers.get(0));
            assertThat(answers.get(2)).isNotEqualTo(answers.get(0));
        }
    }

    @Test
    void aGrammarIsKept() throws IOException {
        Grammar grammar = Grammar.parse("root ::= \"light \" (\"on\" | \"off\")");
        LocalOptions options = LocalOptions.defaults(PLENTY).withSampling(0, 1, grammar);
        try (LocalModel model = open(options)) {
            assertThat(model.generate(ask("g", "turn on the light"), (sequence, text) -> {})
                            .text())
                    .isIn("light on", "light off");
        }
    }

    @Test
    void everyFamilySpeaksAndPreemptionChangesNothing() throws IOException {
        for (String family : List.of("llama", "llama3", "qwen2", "qwen3")) {
            Path file = RandomModels.writeTalking(
                    folder.resolve(family + ".gguf"),
                    family,
                    family.equals("qwen2") ? TensorType.Q8_0 : TensorType.F16);
            try (LocalModel model = open(file, LocalOptions.defaults(PLENTY).withoutEnd(), CpuBackend.int8())) {
                Reply whole = model.generate(
                        Request.greedy("w", List.of(new Message(Role.USER, "日本 🙂")), 20), (sequence, text) -> {});
                model.reset();
                Generation pieces = model.start(Request.greedy("p", List.of(new Message(Role.USER, "日本 🙂")), 20));
                Optional<Reply> reply = Optional.empty();
                while (reply.isEmpty()) {
                    reply = pieces.run((sequence, text) -> {}, () -> true);
                }
                assertThat(whole.completionTokens()).isEqualTo(20);
                assertThat(reply.orElseThrow().text()).as(family).isEqualTo(whole.text());
            }
        }
    }

    @Test
    void aModelThatDoesNotFitSaysWhatItNeeds() {
        assertKind(Kind.OUT_OF_MEMORY, () -> open(tiny(), LocalOptions.defaults(3 << 20), CpuBackend.int8()));
        assertThatThrownBy(() -> open(tiny(), LocalOptions.defaults(3 << 20), CpuBackend.int8()))
                .hasMessageContaining("MiB");
        assertKind(Kind.OUT_OF_MEMORY, () -> open(tiny(), LocalOptions.defaults(1 << 20), CpuBackend.nativeWeights()));
    }

    @Test
    void aForeignFileSaysWhatIsWrongWithIt() throws IOException {
        Path text = Files.writeString(folder.resolve("text.gguf"), "no model");
        assertThatThrownBy(() -> open(text, LocalOptions.defaults(PLENTY), CpuBackend.int8()))
                .isInstanceOf(GgufException.class)
                .hasMessageContaining("text.gguf")
                .hasMessageContaining("not a GGUF file");
        byte[] whole = Files.readAllBytes(tiny());
        Path cut = Files.write(folder.resolve("cut.gguf"), java.util.Arrays.copyOf(whole, whole.length / 2));
        assertThatThrownBy(() -> open(cut, LocalOptions.defaults(PLENTY), CpuBackend.int8()))
                .isInstanceOf(GgufException.class)
                .hasMessageContaining("cut.gguf: tensor '");
    }

    @Test
    void aLayerThatFailsFailsTheAnswerAloneAndLeavesTheModelUsable() throws IOException {
        Failing failing = new Failing();
        try (LocalModel model = open(tiny(), LocalOptions.defaults(PLENTY), failing.factory())) {
            String whole = model.generate(ask("whole", "hello"), (sequence, text) -> {})
                    .text();
            failing.after = 40;
            assertKind(Kind.BACKEND, () -> model.generate(ask("lost", "what time is it"), (sequence, text) -> {}));
            assertThat(model.generating()).isFalse();
            failing.after = Integer.MAX_VALUE;
            assertThat(model.generate(ask("again", "hello"), (sequence, text) -> {})
                            .text())
                    .isEqualTo(whole);
        }
        assertThat(failing.closed).isTrue();
    }

    /** A device that is lost after some products. */
    private static final class Failing {
        private int after = Integer.MAX_VALUE;
        private boolean closed;

        Backend.Factory factory() {
            return (scratch, free) -> {
                Backend cpu = CpuBackend.int8().open(scratch, free);
                return new Backend() {
                    @Override
                    public String name() {
                        return "failing";
                    }

                    @Override
                    public LinearGroup group(List<GgufTensor> tensors) {
                        LinearGroup group = cpu.group(tensors);
                        return new LinearGroup() {
                            @Override
                            public boolean apply(float[] x, float[][] y, int tokens, Preemption preemption) {
                                if (after-- <= 0) {
                                    throw new IllegalStateException("the device is lost");
                                }
                                return group.apply(x, y, tokens, preemption);
                            }

                            @Override
                            public void abandon() {
                                group.abandon();
                            }
                        };
                    }

                    @Override
                    public double npuShare() {
                        return 0;
                    }

                    @Override
                    public void close() {
                        closed = true;
                        cpu.close();
                    }
                };
            };
        }
    }

    @Test
    void aClosedModelTakesNoRequests() throws IOException {
        LocalModel model = open(LocalOptions.defaults(PLENTY));
        Generation left = model.start(ask("left", "hello"));
        model.close();
        model.close();
        assertThat(left.run((sequence, text) -> {}, Preemption.NEVER)
                        .orElseThrow()
                        .finish())
                .isEqualTo(FinishReason.CANCELLED);
        assertKind(Kind.NOT_READY, () -> model.start(ask("late", "hello")));
    }

    @Test
    void underTheTenantItAnswersAsAlone() throws IOException {
        VirtualClock clock = new VirtualClock();
        LocalModel model = LocalModel.open(
                tiny(),
                LocalOptions.defaults(PLENTY),
                clock,
                Team.alone(clock),
                Kernels.best(),
                CpuBackend.nativeWeights());
        try (LlmTenant tenant = new LlmTenant(model, Inference.DIRECT, model.segmentNanos())) {
            Reply reply = tenant.generate(ask("t", "turn on the kitchen light"), (sequence, text) -> {});
            assertThat(reply.text()).contains("kitchen light");
        }
    }
}
