package dev.portal.llm;

import dev.portal.scheduler.NpuJob;

/** A language model whose answers can be interrupted between two steps (a token, or a piece of the prompt) and continued, so that it can be a tenant. */
public interface ResumableModel extends LanguageModel {
    /**
     * Claims the model for a request; the work is done by {@link Generation#run}.
     *
     * @throws LlmException busy, when it answers another request
     */
    Generation start(Request request);

    /** The longest step between two looks at the preempt flag, in nanoseconds; {@link NpuJob#UNDECLARED} when unknown. */
    default long segmentNanos() {
        return NpuJob.UNDECLARED;
    }
}
