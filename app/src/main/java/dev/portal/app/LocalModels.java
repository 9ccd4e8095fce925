package dev.portal.app;

import dev.portal.base.Clock;
import dev.portal.llm.decoder.Backend;
import dev.portal.llm.decoder.Kernels;
import dev.portal.llm.decoder.LocalModel;
import dev.portal.llm.decoder.LocalOptions;
import dev.portal.llm.decoder.Team;
import dev.portal.llm.gguf.GgufException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Opens GGUF files for decoding in this process, as the command line says. */
final class LocalModels {
    /** Below this many bytes a second thread costs more than it brings. */
    private static final long SMALL_BYTES = 16 << 20;

    private static final int MOST_THREADS = 4;

    private LocalModels() {}

    static LocalModel open(Path file, EngineOptions options, int contextTokens, Clock clock, Backend.Factory backend) {
        try {
            LocalOptions local = LocalOptions.defaults(freeBytes())
                    .withContext(contextTokens)
                    .withSampling(
                            options.answerRules.minP(),
                            options.answerRules.repetition(),
                            options.answerRules.grammar());
            Team team = new Team(
                    threads(file, options.llmThreads),
                    clock,
                    Thread.ofPlatform().daemon().name("llm-", 1).factory());
            return LocalModel.open(file, local, clock, team, Kernels.best(), backend);
        } catch (GgufException e) {
            throw new Failure(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new Failure(file + " cannot be read: " + e.getMessage());
        }
    }

    private static int threads(Path file, int asked) throws IOException {
        if (asked < 0) {
            throw Failure.usage("--llm-threads " + asked + "; 0 or more are possible");
        }
        if (asked > 0) {
            return asked;
        }
        int processors = Runtime.getRuntime().availableProcessors();
        return Files.size(file) < SMALL_BYTES ? 1 : Math.min(MOST_THREADS, processors);
    }

    /** What the machine says is free, or half of the largest heap where it does not say. */
    private static long freeBytes() {
        Path memory = Path.of("/proc/meminfo");
        try {
            if (Files.exists(memory)) {
                return freeBytes(Files.readAllLines(memory));
            }
        } catch (IOException | NumberFormatException e) {
            // Says nothing then.
        }
        return Runtime.getRuntime().maxMemory() / 2;
    }

    private static long freeBytes(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith("MemAvailable:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                .findFirst()
                .orElse(Runtime.getRuntime().maxMemory() / 2);
    }
}
