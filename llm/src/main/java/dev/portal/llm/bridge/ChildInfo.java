package dev.portal.llm.bridge;

/**
 * What a child said of itself in the handshake.
 *
 * @param model its model's name
 * @param contextTokens the context it really has
 * @param pid its own process number, 0 when it did not say
 * @param cancel whether it obeys {@code cancel}
 * @param pause whether it can stop a generation at a token and go on later
 */
public record ChildInfo(String model, int contextTokens, long pid, boolean cancel, boolean pause) {}
