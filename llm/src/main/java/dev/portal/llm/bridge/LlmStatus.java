package dev.portal.llm.bridge;

/**
 * What the model does now.
 *
 * @param state idle, loading, generating or paused, as the child says; the supervisor's state in lower case when there
 *     is no child that is ready
 * @param id the request in work, empty when idle
 * @param pastTokens tokens in the context
 * @param contextTokens the context's size
 */
public record LlmStatus(String state, String id, int pastTokens, int contextTokens) {}
