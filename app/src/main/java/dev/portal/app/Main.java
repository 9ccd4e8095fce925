package dev.portal.app;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ./portal}: parses the command line and runs one command. */
@Command(name = "portal", description = "The JVM's runtime for edge NPUs.", mixinStandardHelpOptions = true)
public final class Main implements Runnable {
    private Main() {}

    /** Exit codes: 0 done, 1 failed, 2 usage, 3 not available here. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Main()).execute(args));
    }

    @Override
    public void run() {
        CommandLine.usage(this, System.out);
    }
}
