package dev.portal.app;

import dev.portal.app.doctor.DoctorCommand;
import dev.portal.app.doctor.WarmUpCommand;
import dev.portal.app.hexagon.HexagonCommand;
import dev.portal.app.models.ModelsCommand;
import dev.portal.app.rk.RkCommand;
import dev.portal.hexagon.HexagonException;
import dev.portal.kernel.DeviceException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ./portal}: parses the command line and runs one command. */
@Command(
        name = "portal",
        description = "The JVM's runtime for edge NPUs.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Of the launcher itself: test [--fast] (every check and test), bench [NAME] (benchmarks).",
            "Exit codes: 0 done, 1 failed, 2 usage, 3 not available here. Help by question: docs/help."
        },
        subcommands = {
            DemoCommand.class,
            TranscribeCommand.class,
            SpeakCommand.class,
            ChatCommand.class,
            AnalyzeCommand.class,
            DoctorCommand.class,
            ModelsCommand.class,
            RkCommand.class,
            HexagonCommand.class,
            WarmUpCommand.class
        })
public final class Main {
    private Main() {}

    /** Exit codes: 0 done, 1 failed, 2 usage, 3 not available here. */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    /** The command line with all its commands; tests call it in place of a process. */
    static CommandLine commandLine() {
        return new CommandLine(new Main())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((e, line, parsed) -> {
                    line.getErr().println("portal: " + describe(e));
                    return exitCode(e);
                });
    }

    private static int exitCode(Exception e) {
        return switch (e) {
            case Failure failure -> failure.exitCode();
            case DeviceException.Unavailable _,
                    DeviceException.Denied _,
                    DeviceException.Busy _,
                    DeviceException.Incompatible _,
                    HexagonException.Unavailable _,
                    HexagonException.Denied _,
                    HexagonException.NoSession _ -> 3;
            default -> 1;
        };
    }

    private static String describe(Exception e) {
        return switch (e) {
            case Failure failure -> String.valueOf(failure.getMessage());
            case DeviceException device -> String.valueOf(device.getMessage());
            case HexagonException hexagon -> String.valueOf(hexagon.getMessage());
            case NoSuchFileException missing -> missing.getFile() + ": no such file";
            case FileNotFoundException missing -> String.valueOf(missing.getMessage());
            case AccessDeniedException denied -> denied.getFile() + ": permission denied";
            case IOException io -> Objects.requireNonNullElseGet(io.getMessage(), io::toString);
            default -> e.toString();
        };
    }
}
