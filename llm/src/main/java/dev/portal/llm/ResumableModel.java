package dev.portal.llm;

/** A language model whose answers can be interrupted at a token and continued, so that it can be a tenant. */
public interface ResumableModel extends LanguageModel {
    /**
     * Claims the model for a request; the work is done by {@link Generation#run}.
     *
     * @throws LlmException busy, when it answers another request
     */
    Generation start(Request request);
}
