package dev.portal.llm.bridge;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which language model runs, and under what: what {@code --llm} says, or the environment, or the default. */
public sealed interface LlmChoice {
    /** The prefix that means GenieX. */
    String GENIEX = "geniex:";

    /** No language model. */
    record None() implements LlmChoice {}

    /** A GGUF file under llama.cpp. */
    record Llama(Path file) implements LlmChoice {}

    /** A model that GenieX knows by this name or path. */
    record GenieX(String model) implements LlmChoice {}

    /**
     * Reads the choice: {@code none}; {@code geniex:MODEL}; a GGUF file; a folder with one GGUF file in it; a folder
     * without any, which is a model for GenieX.
     *
     * @param named what {@code --llm} says; null or empty when it was not given
     * @param environment {@code PORTAL_LLM} in the same words is looked at next
     * @param otherwise the model when nothing is named; null for none
     * @throws IllegalArgumentException when what is named cannot be used, with what to do
     */
    static LlmChoice of(@Nullable String named, Map<String, String> environment, @Nullable Path otherwise) {
        String words = named != null && !named.isEmpty() ? named : environment.getOrDefault("PORTAL_LLM", "");
        if (words.isEmpty()) {
            return otherwise == null ? new None() : atPath(otherwise);
        }
        if (words.equals("none")) {
            return new None();
        }
        if (words.startsWith(GENIEX)) {
            String model = words.substring(GENIEX.length());
            if (model.isEmpty()) {
                throw new IllegalArgumentException("'geniex:' names no model; say geniex:NAME or geniex:/path");
            }
            return new GenieX(model);
        }
        return atPath(Path.of(words));
    }

    /**
     * The child to start.
     *
     * @return empty for {@link None}
     * @throws IllegalArgumentException when GenieX is chosen and its interpreter or environment is not usable
     */
    default Optional<ChildCommand> command(LlmOptions options) {
        return switch (this) {
            case None none -> Optional.empty();
            case Llama llama ->
                Optional.of(Children.llama(
                        options.javaHome(),
                        options.llamaClassPath(),
                        llama.file(),
                        options.environment(),
                        options.contextTokens(),
                        options.threads(),
                        options.llamaArchive()));
            case GenieX geniex ->
                Optional.of(Children.geniex(options.environment(), geniex.model(), options.contextTokens()));
        };
    }

    private static LlmChoice atPath(Path path) {
        if (Files.isRegularFile(path)) {
            if (!isGguf(path)) {
                throw new IllegalArgumentException(
                        "--llm '" + path + "' is no .gguf file; name one, or a folder, or geniex:MODEL");
            }
            return new Llama(path);
        }
        if (!Files.isDirectory(path)) {
            throw new IllegalArgumentException("--llm '" + path + "' does not exist");
        }
        List<Path> ggufs;
        try (Stream<Path> files = Files.list(path)) {
            ggufs = files.filter(LlmChoice::isGguf).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return switch (ggufs.size()) {
            case 0 -> new GenieX(path.toAbsolutePath().toString());
            case 1 -> new Llama(ggufs.getFirst());
            default ->
                throw new IllegalArgumentException("--llm '" + path + "' holds several models; name one of "
                        + ggufs.stream().map(Path::getFileName).toList());
        };
    }

    private static boolean isGguf(Path file) {
        return file.toString().toLowerCase(Locale.ROOT).endsWith(".gguf");
    }
}
