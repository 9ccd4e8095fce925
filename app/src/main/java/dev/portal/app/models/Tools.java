package dev.portal.app.models;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs the package programs of this machine: npm, apt-get, dpkg, mvn, tar. */
final class Tools {
    private final List<Path> searchPath;

    Tools(List<Path> searchPath) {
        this.searchPath = searchPath;
    }

    /** Where {@code program} is on the search path. */
    Optional<Path> find(String program) {
        return searchPath.stream()
                .map(folder -> folder.resolve(program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Runs a program to its end.
     *
     * @param remedy what to do where the program is not installed
     * @return its exit code and everything that it wrote
     */
    Outcome run(Path folder, String remedy, String program, List<String> arguments) throws FetchException {
        Path executable = find(program)
                .orElseThrow(() ->
                        new FetchException(FetchException.Kind.UNAVAILABLE, program + " is not installed; " + remedy));
        List<String> command = new ArrayList<>(List.of(executable.toString()));
        command.addAll(arguments);
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            try {
                String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                return new Outcome(process.waitFor(), output);
            } finally {
                process.destroy();
            }
        } catch (IOException e) {
            throw new FetchException(
                    FetchException.Kind.FAILED, executable + " did not run (" + e.getMessage() + "); " + remedy);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FetchException(
                    FetchException.Kind.FAILED, program + " was interrupted; run the same command again");
        }
    }

    /** How a program ended. */
    record Outcome(int exitCode, String output) {
        boolean succeeded() {
            return exitCode == 0;
        }

        /** The first line that looks like the reason, for an error of ours that fits on one line. */
        String reason() {
            List<String> lines =
                    output.lines().map(String::strip).filter(l -> !l.isEmpty()).toList();
            return lines.stream()
                    .filter(line -> line.startsWith("E:") || line.contains("ERR") || line.contains("error"))
                    .findFirst()
                    .orElse(lines.isEmpty() ? "exit code " + exitCode : lines.getLast());
        }
    }
}
