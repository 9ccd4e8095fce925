package dev.portal.llm.decoder;

import dev.portal.llm.Generation;
import dev.portal.llm.LanguageModel.FinishReason;
import dev.portal.llm.LanguageModel.Message;
import dev.portal.llm.LanguageModel.Reply;
import dev.portal.llm.LanguageModel.Request;
import dev.portal.llm.LanguageModel.Timings;
import dev.portal.llm.LanguageModel.TokenSink;
import dev.portal.llm.LlmException;
import dev.portal.llm.LlmException.Kind;
import dev.portal.llm.tokenizer.TextStream;
import dev.portal.scheduler.Preemption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One answer in the making. A step is a piece of the prompt or one token; between steps the cache is whole, so that
 * stopping there leaves nothing behind.
 */
final class LocalGeneration implements Generation {
    private final LocalModel model;
    private final Request request;
    private final int[] prompt;
    private final List<Message> dropped;
    private final Sampler sampler;
    private final TextStream stream;
    private final SpokenText spoken;
    /** Held by the thread that runs it; also what closing waits for. */
    private final ReentrantLock running = new ReentrantLock();

    private volatile @Nullable String cancelled;
    private volatile @Nullable Reply reply;
    private boolean begun;
    private int read;
    private int next = -1;
    private int made;
    private long runNanos;
    private long firstNanos;
    private long promptNanos;

    LocalGeneration(LocalModel model, Request request, int[] prompt, List<Message> dropped, Sampler sampler) {
        this.model = model;
        this.request = request;
        this.prompt = prompt;
        this.dropped = List.copyOf(dropped);
        this.sampler = sampler;
        stream = new TextStream(model.tokenizer());
        spoken = new SpokenText(request.stop());
    }

    String id() {
        return request.id();
    }

    @Override
    public Optional<Reply> run(TokenSink tokens, Preemption preemption) {
        running.lock();
        try {
            Reply done = reply;
            if (done == null) {
                done = answer(tokens, preemption);
            }
            if (done != null) {
                return Optional.of(done);
            }
        } finally {
            running.unlock();
        }
        // Cancelled in the moment of stopping: nobody else may come to end it.
        endIfCancelled();
        return Optional.ofNullable(reply);
    }

    /** Runs until the answer is done or something more urgent waits; null then. */
    private @Nullable Reply answer(TokenSink tokens, Preemption preemption) {
        long began = model.clock().nanos();
        try {
            while (cancelled == null) {
                if (!advance(preemption)) {
                    runNanos += model.clock().nanos() - began;
                    return null;
                }
                FinishReason finish = step(tokens, began);
                if (finish != null) {
                    runNanos += model.clock().nanos() - began;
                    return finished(finish);
                }
                if (cancelled == null && preemption.requested()) {
                    runNanos += model.clock().nanos() - began;
                    return null;
                }
            }
            return finished(FinishReason.CANCELLED);
        } catch (LlmException e) {
            giveUp();
            throw e;
        } catch (SinkException e) {
            giveUp();
            throw e.own;
        } catch (RuntimeException e) {
            giveUp();
            throw new LlmException(Kind.BACKEND, "'" + id() + "' failed: " + e.getMessage(), e);
        }
    }

    /** Reads the next piece of the prompt, or the last token; says whether it is read to its end. */
    private boolean advance(Preemption preemption) {
        LlamaDecoder decoder = model.decoder();
        if (!begun) {
            begin();
        }
        if (!decoder.reading()) {
            if (read < prompt.length) {
                int count = Math.min(model.piece(), prompt.length - read);
                decoder.begin(prompt, read, count, read + count == prompt.length);
                System.arraycopy(prompt, read, model.cached(), read, count);
                read += count;
            } else {
                model.cached()[decoder.cache().length()] = next;
                decoder.begin(model.cached(), decoder.cache().length(), 1, true);
            }
        }
        return decoder.advance(preemption);
    }

    /** Takes what was read; says why the answer ends, or null. */
    private @Nullable FinishReason step(TokenSink tokens, long began) {
        LlamaDecoder decoder = model.decoder();
        if (decoder.cache().length() < prompt.length) {
            return null;
        }
        if (next < 0) {
            promptNanos = runNanos + model.clock().nanos() - began;
        }
        next = choose(decoder.logits());
        if (firstNanos == 0) {
            firstNanos = runNanos + model.clock().nanos() - began;
        }
        if (next < 0 || model.ends(next)) {
            return rest(tokens);
        }
        made++;
        if (say(tokens, spoken.add(stream.next(next)))) {
            return FinishReason.STOP;
        }
        boolean full = decoder.cache().length() == decoder.cache().capacity();
        if (made >= request.maxTokens() || full) {
            var _ = rest(tokens);
            return FinishReason.LENGTH;
        }
        return null;
    }

    private void begin() {
        begun = true;
        read = model.keep(prompt);
        for (int token : prompt) {
            sampler.saw(token);
        }
    }

    private int choose(float[] logits) {
        model.passOverEnds(logits);
        return sampler.next(logits);
    }

    private FinishReason rest(TokenSink tokens) {
        var _ = say(tokens, spoken.add(stream.rest()));
        var _ = say(tokens, spoken.rest());
        return FinishReason.STOP;
    }

    /** Passes text on; says whether a stop text ended the answer. */
    private boolean say(TokenSink tokens, String text) {
        if (!text.isEmpty()) {
            try {
                tokens.token(spoken.nextSequence(), text);
            } catch (RuntimeException e) {
                throw new SinkException(e);
            }
        }
        return spoken.stopped();
    }

    private Reply finished(FinishReason finish) {
        long decode = Math.max(0, runNanos - firstNanos);
        Timings timings = new Timings(firstNanos / 1000, promptNanos / 1000, decode / 1000);
        Reply done = new Reply(spoken.all(), finish, prompt.length, made, timings, dropped);
        reply = done;
        giveUp();
        return done;
    }

    /** Lets the model go; what was half read is forgotten. */
    private void giveUp() {
        if (begun) {
            model.decoder().abandon();
        }
        model.release(this);
    }

    @Override
    public void cancel(String reason) {
        cancelled = reason;
        endIfCancelled();
    }

    /** Ends a cancelled answer if no thread is at it; one that is sees the cancel after its step. */
    private void endIfCancelled() {
        if (cancelled != null && !running.isHeldByCurrentThread() && running.tryLock()) {
            try {
                if (reply == null) {
                    var _ = finished(FinishReason.CANCELLED);
                }
            } finally {
                running.unlock();
            }
        }
    }

    /** Waits until no step runs. */
    void awaitStep() {
        if (!running.isHeldByCurrentThread()) {
            running.lock();
            try {
                if (reply == null && cancelled != null) {
                    var _ = finished(FinishReason.CANCELLED);
                }
            } finally {
                running.unlock();
            }
        }
    }

    /** Marks an exception as the consumer's. */
    private static final class SinkException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final RuntimeException own;

        SinkException(RuntimeException own) {
            super(own);
            this.own = own;
        }
    }
}
