package dev.portal.verification;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Runs programs as a person at a terminal would, and keeps what they say. */
final class Shell {
    private Shell() {}

    /**
     * How a program ended.
     *
     * @param out its standard output
     * @param err its standard error
     */
    record Result(int exitCode, String out, String err) {
        @Override
        public String toString() {
            return "exit code " + exitCode + "\n--- standard output\n" + out + "--- standard error\n" + err;
        }
    }

    /**
     * Runs a command to its end, with nothing on its standard input.
     *
     * @param environment added to this process's own variables; an empty value removes one
     */
    static Result run(Path folder, Map<String, String> environment, List<String> command) {
        try {
            Path err = Files.createTempFile("portal-test", ".err");
            try {
                ProcessBuilder builder = new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectInput(Path.of("/dev/null").toFile())
                        .redirectError(err.toFile());
                builder.environment().putAll(environment);
                builder.environment().values().removeIf(String::isEmpty);
                Process process = builder.start();
                String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                return new Result(process.waitFor(), out, Files.readString(err));
            } finally {
                Files.delete(err);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(command + " was interrupted", e);
        }
    }
}
