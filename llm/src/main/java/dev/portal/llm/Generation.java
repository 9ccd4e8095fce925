package dev.portal.llm;

import dev.portal.llm.LanguageModel.Reply;
import dev.portal.llm.LanguageModel.TokenSink;
import dev.portal.scheduler.Preemption;
import java.util.Optional;

/** One answer in the making. Run by one thread at a time. */
public interface Generation {
    /**
     * Begins, or goes on. Tokens come on the calling thread. Each call makes at least one token, or reads one piece
     * of the prompt, before it looks at {@code preemption}, so that a generation that is interrupted for ever still ends.
     *
     * @return the whole answer when it is done, however often it was interrupted; empty when it stopped at a token
     *     because {@code preemption} was requested: run it again
     * @throws LlmException what {@link LanguageModel#generate} throws
     */
    Optional<Reply> run(TokenSink tokens, Preemption preemption);

    /** Stops it, running or interrupted: it ends as {@code CANCELLED}. No effect when it is done. Any thread. */
    void cancel(String reason);
}
