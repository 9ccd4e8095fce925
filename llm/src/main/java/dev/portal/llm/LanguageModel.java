package dev.portal.llm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A language model that answers one request at a time, streaming, and can be stopped by the request's id.
 *
 * <p>Safe for use by any thread.
 */
public interface LanguageModel extends AutoCloseable {
    /** For logs and reports: engine and model. */
    String name();

    /**
     * Answers a request. Blocks; tokens come on the calling thread or on one of the engine's own, in order.
     *
     * @throws LlmException busy, not ready, prompt too long, backend failure
     */
    Reply generate(Request request, TokenSink tokens);

    /**
     * Stops the request with this id, running or queued; no effect on any other. After the call returns, at most one more
     * token of it arrives.
     */
    void cancel(String id, String reason);

    /** Whether a request is being answered; never blocks. */
    boolean generating();

    /** The part of the multiply-adds so far that an NPU did, 0 to 1. */
    default double npuShare() {
        return 0;
    }

    /** Drops the context (KV cache); refused while generating. */
    void reset();

    @Override
    void close();

    /** Who says something in a conversation. */
    enum Role {
        SYSTEM,
        USER,
        ASSISTANT
    }

    /** One thing said. */
    record Message(Role role, String text) {}

    /**
     * What is asked.
     *
     * @param id chosen by the caller, never used twice
     * @param messages oldest first
     * @param maxTokens at most so many are generated, 1 or more
     * @param temperature 0 takes the most likely token always
     * @param topP 0 exclusive to 1
     * @param topK 0 for no limit
     * @param stop texts that end the answer
     * @param seed of the sampling
     */
    record Request(
            String id,
            List<Message> messages,
            int maxTokens,
            double temperature,
            double topP,
            int topK,
            List<String> stop,
            long seed) {
        /** A greedy request. */
        public static Request greedy(String id, List<Message> messages, int maxTokens) {
            return new Request(id, messages, maxTokens, 0, 1, 0, List.of(), 0);
        }
    }

    /** Takes tokens as they are made. */
    @FunctionalInterface
    interface TokenSink {
        /**
         * Takes one piece of text.
         *
         * @param sequence 0, 1, 2, ... without gaps
         * @param text whole characters only
         */
        void token(int sequence, String text);
    }

    /** Why an answer ended. */
    enum FinishReason {
        /** The model was done. */
        STOP,
        /** {@code maxTokens} or the context ended. */
        LENGTH,
        /** {@link #cancel}. */
        CANCELLED
    }

    /**
     * An answer.
     *
     * @param text all of it
     * @param finish why it ended
     * @param promptTokens read
     * @param completionTokens made
     * @param timings as the engine measured them; null where it does not
     * @param dropped messages, oldest first, that did not fit into the context and were left out
     */
    record Reply(
            String text,
            FinishReason finish,
            int promptTokens,
            int completionTokens,
            @Nullable Timings timings,
            List<Message> dropped) {
        /** An answer to all that was asked. */
        public Reply(
                String text, FinishReason finish, int promptTokens, int completionTokens, @Nullable Timings timings) {
            this(text, finish, promptTokens, completionTokens, timings, List.of());
        }
    }

    /** Durations in microseconds: to the first token, reading the prompt, making tokens. */
    record Timings(long firstTokenUs, long promptUs, long decodeUs) {}
}
