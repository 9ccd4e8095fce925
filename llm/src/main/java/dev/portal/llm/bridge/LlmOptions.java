package dev.portal.llm.bridge;

import java.nio.file.Path;
import java.util.Map;

/**
 * What a child needs to be started.
 *
 * @param environment of this process, of which the child gets what protocol rule 7 names
 * @param javaHome for llama.cpp's child
 * @param llamaClassPath of llama.cpp's child: the jars of the module {@code llama}
 * @param contextTokens the context
 * @param threads that decode under llama.cpp; few for a small model, since they wait for each other by spinning
 */
public record LlmOptions(
        Map<String, String> environment, Path javaHome, String llamaClassPath, int contextTokens, int threads) {
    /** The context of the scheduling seed, 512 tokens, and one thread. */
    public static LlmOptions defaults(Map<String, String> environment, Path javaHome, String llamaClassPath) {
        return new LlmOptions(environment, javaHome, llamaClassPath, 512, 1);
    }
}
