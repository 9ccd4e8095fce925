package dev.portal.llm;

import dev.portal.llm.LlmException.Kind;
import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuException;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A language model whose every answer is a job of the arbiter: workload LLM, priority LOW, one segment a token. When
 * something more urgent waits, the answer stops at a token and goes on later, with the same text in the end.
 *
 * <p>Requests queue at the arbiter; this class refuses none as busy. Tokens come on the lane's thread.
 */
public final class LlmTenant implements LanguageModel {
    private final ResumableModel model;
    private final Inference inference;
    private final long segmentNanos;
    private final Map<String, Work> inFlight = new ConcurrentHashMap<>();
    /** Cancelled while it was interrupted; the model may not have obeyed yet, and must before the next begins. */
    private final AtomicReference<@Nullable Generation> abandoned = new AtomicReference<>();

    /**
     * Puts a model under the arbiter. The tenant owns the model and closes it.
     *
     * @param segmentNanos the longest time to one token as measured, or {@link NpuJob#UNDECLARED}
     */
    public LlmTenant(ResumableModel model, Inference inference, long segmentNanos) {
        this.model = model;
        this.inference = inference;
        this.segmentNanos = segmentNanos;
    }

    @Override
    public String name() {
        return model.name();
    }

    @Override
    public Reply generate(Request request, TokenSink tokens) {
        Work work = new Work(request, tokens);
        if (inFlight.putIfAbsent(request.id(), work) != null) {
            throw new LlmException(Kind.BUSY, "'" + request.id() + "' is in work already; ids are never used twice");
        }
        try {
            return work.await();
        } catch (CompletionException e) {
            throw failure(request, e.getCause() == null ? e : e.getCause());
        } finally {
            inFlight.remove(request.id(), work);
        }
    }

    @Override
    public void cancel(String id, String reason) {
        Work work = inFlight.get(id);
        if (work != null) {
            work.cancel(reason);
        }
    }

    @Override
    public boolean generating() {
        return !inFlight.isEmpty();
    }

    @Override
    public double npuShare() {
        return model.npuShare();
    }

    @Override
    public void reset() {
        model.reset();
    }

    @Override
    public void close() {
        model.close();
    }

    private static RuntimeException failure(Request request, Throwable cause) {
        return switch (cause) {
            case LlmException own -> own;
            case NpuException.JobFailed failed when failed.getCause() instanceof LlmException own -> own;
            case NpuException.JobFailed failed ->
                new LlmException(Kind.BACKEND, "'" + request.id() + "' failed: " + failed.getMessage(), failed);
            case NpuException.QueueFull full ->
                new LlmException(Kind.BUSY, "'" + request.id() + "' was not queued: " + full.getMessage(), full);
            case NpuException refused ->
                new LlmException(
                        Kind.NOT_READY, "'" + request.id() + "' was not run: " + refused.getMessage(), refused);
            case RuntimeException consumer -> consumer;
            default ->
                new LlmException(Kind.BACKEND, "'" + request.id() + "' ended without an answer: " + cause, cause);
        };
    }

    /** One request on its way through the arbiter. */
    private final class Work implements NpuJob {
        private final Request request;
        private final TokenSink tokens;
        private final CompletableFuture<Reply> outcome = new CompletableFuture<>();
        private @Nullable CompletableFuture<NpuJobResult.Completed> submitted;
        private @Nullable Generation generation;
        private boolean running;
        private @Nullable String cancelled;

        Work(Request request, TokenSink tokens) {
            this.request = request;
            this.tokens = tokens;
        }

        /** Submits, and waits for the job itself: where the arbiter has no threads, that wait runs it. */
        Reply await() {
            CompletableFuture<NpuJobResult.Completed> future = inference.submit(this);
            synchronized (this) {
                submitted = future;
                if (cancelled != null && !running) {
                    future.cancel(false);
                }
            }
            try {
                var _ = future.join();
            } catch (CompletionException e) {
                outcome.completeExceptionally(e.getCause() == null ? e : e.getCause());
            } catch (CancellationException e) {
                outcome.complete(cancelledReply());
            }
            return outcome.join();
        }

        @Override
        public NpuWorkload workload() {
            return NpuWorkload.LLM;
        }

        @Override
        public long segmentNanos() {
            return segmentNanos;
        }

        @Override
        public NpuJobResult execute(Preemption preemption) {
            try {
                Generation mine = begin();
                if (mine == null) {
                    return NpuJobResult.DONE;
                }
                Optional<Reply> reply = mine.run(tokens, preemption);
                if (reply.isEmpty() && yielded()) {
                    return NpuJobResult.YIELDED;
                }
                outcome.complete(reply.orElseGet(this::cancelledReply));
                return NpuJobResult.DONE;
            } catch (LlmException e) {
                outcome.completeExceptionally(e);
                return switch (e.kind()) {
                    // The request's own fault is no failure of the device.
                    case BUSY, CONTEXT_LENGTH, PROMPT_TOO_LONG -> NpuJobResult.DONE;
                    case NOT_READY, BACKEND, OUT_OF_MEMORY -> throw e;
                };
            } catch (RuntimeException e) {
                // The consumer's, and none of the device's.
                outcome.completeExceptionally(e);
                return NpuJobResult.DONE;
            }
        }

        /** The generation to run; null when the request was cancelled before it began, or while it was interrupted. */
        private @Nullable Generation begin() {
            synchronized (this) {
                if (cancelled != null) {
                    return null;
                }
                running = true;
                if (generation != null) {
                    return generation;
                }
            }
            Generation left = abandoned.getAndSet(null);
            if (left != null) {
                windUp(left);
            }
            Generation fresh = model.start(request);
            synchronized (this) {
                generation = fresh;
                if (cancelled != null) {
                    fresh.cancel(cancelled);
                }
            }
            return fresh;
        }

        /** Waits until the model has obeyed; how that request ended is no business of this one. */
        private static void windUp(Generation left) {
            try {
                left.run((sequence, text) -> {}, Preemption.NEVER);
            } catch (LlmException e) {
                // Its own caller was answered when it was cancelled; if the model is gone, starting says so.
            }
        }

        /** Whether it may wait in the queue; not when it was cancelled in the same moment. */
        private synchronized boolean yielded() {
            running = false;
            if (cancelled != null) {
                abandoned.set(generation);
                return false;
            }
            return true;
        }

        void cancel(String reason) {
            Generation active;
            boolean waits;
            CompletableFuture<NpuJobResult.Completed> future;
            synchronized (this) {
                if (cancelled != null) {
                    return;
                }
                cancelled = reason;
                active = generation;
                waits = !running;
                future = submitted;
                if (waits && active != null) {
                    abandoned.set(active);
                }
            }
            if (active != null) {
                active.cancel(reason);
            }
            if (waits) {
                outcome.complete(cancelledReply());
                if (future != null) {
                    future.cancel(false);
                }
            }
        }

        private Reply cancelledReply() {
            return new Reply("", FinishReason.CANCELLED, 0, 0, null);
        }
    }
}
