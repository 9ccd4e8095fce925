package dev.portal.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.llm.LanguageModel.FinishReason;
import dev.portal.llm.LanguageModel.Message;
import dev.portal.llm.LanguageModel.Reply;
import dev.portal.llm.LanguageModel.Request;
import dev.portal.llm.LanguageModel.Role;
import dev.portal.llm.LanguageModel.TokenSink;
import dev.portal.llm.LlmException.Kind;
import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuException;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuPriority;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LlmTenantTest {
    /** A model of five tokens that can be interrupted at each, driven on the caller's thread. */
    private static final class FiveTokens implements ResumableModel {
        private final List<String> begun = new ArrayList<>();
        private @Nullable Kind failure;
        private @Nullable Run current;

        private final class Run implements Generation {
            private final Request request;
            private int made;
            private boolean cancelled;

            Run(Request request) {
                this.request = request;
            }

            @Override
            public Optional<Reply> run(TokenSink tokens, Preemption preemption) {
                if (failure != null) {
                    current = null;
                    throw new LlmException(failure, "as told");
                }
                while (made < 5 && !cancelled) {
                    tokens.token(made, "t" + made);
                    made++;
                    if (made < 5 && !cancelled && preemption.requested()) {
                        return Optional.empty();
                    }
                }
                current = null;
                FinishReason finish = cancelled ? FinishReason.CANCELLED : FinishReason.STOP;
                return Optional.of(new Reply(request.id(), finish, 1, made, null));
            }

            @Override
            public void cancel(String reason) {
                cancelled = true;
            }
        }

        @Override
        public Generation start(Request request) {
            if (current != null) {
                throw new LlmException(Kind.BUSY, "busy with " + current.request.id());
            }
            begun.add(request.id());
            current = new Run(request);
            return current;
        }

        @Override
        public String name() {
            return "five tokens";
        }

        @Override
        public Reply generate(Request request, TokenSink tokens) {
            return start(request).run(tokens, Preemption.NEVER).orElseThrow();
        }

        @Override
        public void cancel(String id, String reason) {
            if (current != null && current.request.id().equals(id)) {
                current.cancel(reason);
            }
        }

        @Override
        public boolean generating() {
            return current != null;
        }

        @Override
        public void reset() {}

        @Override
        public void close() {}
    }

    /** Runs each job at once, preempting after every segment; {@code between} happens while the job waits again. */
    private static final class PreemptingArbiter implements Inference {
        private final List<NpuJob> jobs = new ArrayList<>();
        private int yields;
        private int failures;
        private Runnable between = () -> {};

        @Override
        public CompletableFuture<NpuJobResult.Completed> submit(NpuJob job) {
            jobs.add(job);
            CompletableFuture<NpuJobResult.Completed> future = new CompletableFuture<>();
            try {
                while (!future.isDone()) {
                    switch (job.execute(() -> true)) {
                        case NpuJobResult.Completed completed -> future.complete(completed);
                        case NpuJobResult.Yielded yielded -> {
                            yields++;
                            between.run();
                        }
                    }
                }
            } catch (Exception e) {
                failures++;
                future.completeExceptionally(new NpuException.JobFailed("LLM: " + e, e));
            }
            return future;
        }
    }

    private final FiveTokens model = new FiveTokens();
    private final PreemptingArbiter arbiter = new PreemptingArbiter();
    private final LlmTenant tenant = new LlmTenant(model, arbiter, 15_000_000);
    private final List<String> tokens = new ArrayList<>();

    private static Request ask(String id) {
        return Request.greedy(id, List.of(new Message(Role.USER, "hi")), 5);
    }

    private void collect(int sequence, String text) {
        assertThat(sequence).isEqualTo(tokens.size());
        tokens.add(text);
    }

    @Test
    void anAnswerIsALowJobOfTheLanguageModelInSegmentsOfOneToken() {
        Reply reply = tenant.generate(ask("a"), this::collect);
        assertThat(reply.finish()).isEqualTo(FinishReason.STOP);
        assertThat(tokens).containsExactly("t0", "t1", "t2", "t3", "t4");
        assertThat(arbiter.yields).isEqualTo(4);
        assertThat(model.begun).containsExactly("a");
        assertThat(arbiter.jobs).singleElement().satisfies(job -> {
            assertThat(job.workload()).isEqualTo(NpuWorkload.LLM);
            assertThat(job.priority()).isEqualTo(NpuPriority.LOW);
            assertThat(job.segmentNanos()).isEqualTo(15_000_000);
        });
    }

    @Test
    void everyAnswerPassesTheArbiter() {
        tenant.generate(ask("a"), this::collect);
        tokens.clear();
        tenant.generate(ask("b"), this::collect);
        assertThat(arbiter.jobs).hasSize(2);
        assertThat(tenant.generating()).isFalse();
    }

    @Test
    void aCancelWhileAnotherRunsEndsTheAnswerAndTheNextBeginsClean() {
        arbiter.between = () -> tenant.cancel("a", "barge-in");
        Reply reply = tenant.generate(ask("a"), this::collect);
        assertThat(reply.finish()).isEqualTo(FinishReason.CANCELLED);
        assertThat(tokens).containsExactly("t0");
        arbiter.between = () -> {};
        tokens.clear();
        assertThat(tenant.generate(ask("b"), this::collect).finish()).isEqualTo(FinishReason.STOP);
    }

    @Test
    void aCancelFromTheConsumerEndsItAtTheNextToken() {
        Reply reply = tenant.generate(ask("a"), (sequence, text) -> {
            collect(sequence, text);
            tenant.cancel("a", "enough");
        });
        assertThat(reply.finish()).isEqualTo(FinishReason.CANCELLED);
        assertThat(tokens).hasSize(1);
    }

    @Test
    void aCancelBeforeItRanTakesItOutOfTheQueueAndTouchesNoOther() throws InterruptedException {
        List<CompletableFuture<NpuJobResult.Completed>> queued = new ArrayList<>();
        LlmTenant waiting = new LlmTenant(
                model,
                job -> {
                    CompletableFuture<NpuJobResult.Completed> future = new CompletableFuture<>();
                    synchronized (queued) {
                        queued.add(future);
                        queued.notifyAll();
                    }
                    return future;
                },
                NpuJob.UNDECLARED);
        List<Reply> replies = new ArrayList<>();
        Thread caller = Thread.ofVirtual().start(() -> replies.add(waiting.generate(ask("a"), (n, t) -> {})));
        synchronized (queued) {
            while (queued.isEmpty()) {
                queued.wait();
            }
        }
        waiting.cancel("b", "not this one");
        assertThat(waiting.generating()).isTrue();
        waiting.cancel("a", "changed my mind");
        caller.join();
        assertThat(replies)
                .singleElement()
                .satisfies(reply -> assertThat(reply.finish()).isEqualTo(FinishReason.CANCELLED));
        assertThat(model.begun).isEmpty();
    }

    @Test
    void theDevicesFailuresCountAsFailuresAndTheRequestsOwnDoNot() {
        model.failure = Kind.BACKEND;
        assertThatThrownBy(() -> tenant.generate(ask("a"), this::collect))
                .isInstanceOfSatisfying(
                        LlmException.class, e -> assertThat(e.kind()).isEqualTo(Kind.BACKEND));
        assertThat(arbiter.failures).isEqualTo(1);
        model.failure = Kind.PROMPT_TOO_LONG;
        assertThatThrownBy(() -> tenant.generate(ask("b"), this::collect))
                .isInstanceOfSatisfying(
                        LlmException.class, e -> assertThat(e.kind()).isEqualTo(Kind.PROMPT_TOO_LONG));
        assertThat(arbiter.failures).isEqualTo(1);
    }

    @Test
    void aConsumerThatThrowsIsNoFailureOfTheDevice() {
        assertThatThrownBy(() -> tenant.generate(ask("a"), (sequence, text) -> {
                    throw new IllegalStateException("speaker unplugged");
                }))
                .hasMessage("speaker unplugged");
        assertThat(arbiter.failures).isZero();
    }

    @Test
    void whatTheArbiterRefusesIsSaidInTheModelsOwnWords() {
        LlmTenant full =
                new LlmTenant(model, job -> CompletableFuture.failedFuture(new NpuException.QueueFull("16 wait")), 0);
        assertThatThrownBy(() -> full.generate(ask("a"), this::collect))
                .isInstanceOfSatisfying(
                        LlmException.class, e -> assertThat(e.kind()).isEqualTo(Kind.BUSY))
                .hasMessageContaining("16 wait");
        LlmTenant closed =
                new LlmTenant(model, job -> CompletableFuture.failedFuture(new NpuException.Closed("bye")), 0);
        assertThatThrownBy(() -> closed.generate(ask("a"), this::collect))
                .isInstanceOfSatisfying(
                        LlmException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_READY));
    }

    @Test
    void withoutASchedulerItRunsOnTheCallersThread() {
        LlmTenant direct = new LlmTenant(model, Inference.DIRECT, 0);
        assertThat(direct.generate(ask("a"), this::collect).finish()).isEqualTo(FinishReason.STOP);
        assertThat(tokens).hasSize(5);
    }
}
