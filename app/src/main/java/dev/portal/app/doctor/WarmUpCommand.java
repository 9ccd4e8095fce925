package dev.portal.app.doctor;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs several commands in one process: the launcher's training run for the JVM's ahead-of-time cache. */
@Command(name = "warm-up", description = "Run several commands in one process.", hidden = true)
public final class WarmUpCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "LINE", description = "A command with its options, separated by spaces.")
    private List<String> lines = List.of();

    @Override
    public Integer call() {
        for (String line : lines) {
            spec.root().commandLine().execute(line.split(" ", -1));
        }
        return 0;
    }
}
