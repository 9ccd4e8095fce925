package dev.portal.llm.bridge;

import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a child needs to be started.
 *
 * @param environment of this process, of which the child gets what protocol rule 7 names
 * @param javaHome for llama.cpp's child
 * @param llamaClassPath of llama.cpp's child: the jars of the module {@code llama}
 * @param contextTokens the context
 * @param threads that decode under llama.cpp; few for a small model, since they wait for each other by spinning
 * @param llamaArchive a file for the class archive of llama.cpp's child, made by its first run; null for none
 */
public record LlmOptions(
        Map<String, String> environment,
        Path javaHome,
        String llamaClassPath,
        int contextTokens,
        int threads,
        @Nullable Path llamaArchive) {
    /** The context of the scheduling seed, 512 tokens, one thread, no archive. */
    public static LlmOptions defaults(Map<String, String> environment, Path javaHome, String llamaClassPath) {
        return new LlmOptions(environment, javaHome, llamaClassPath, 512, 1, null);
    }
}
