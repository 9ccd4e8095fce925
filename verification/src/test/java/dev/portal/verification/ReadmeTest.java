package dev.portal.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.portal.verification.ReadmeCommands.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Runs every command that README.md and the pages of docs/help show, as they stand there, from the project's folder. */
final class ReadmeTest {
    @TestFactory
    Stream<DynamicTest> everyQuickCommandDoesWhatThePageSays() {
        return tests(command -> !command.slow());
    }

    @TestFactory
    @Tag("slow")
    Stream<DynamicTest> everySlowCommandDoesWhatThePageSays() {
        return tests(Command::slow);
    }

    @Test
    void aBlockIsReadWithItsMarkerAndWithoutItsComments() {
        List<Command> commands = ReadmeCommands.of("""
                ```sh
                # a comment
                ./portal doctor
                ```
                ```java
                not a command
                ```
                <!-- run: exit=3 slow -->
                ```sh
                ./portal demo \\
                  --wav f

                ./portal x
                ```
                <!-- run: skip="needs a slow board" -->
                ```sh
                ./portal rk probe halt
                ```
                """);
        assertThat(commands)
                .containsExactly(
                        new Command(3, "./portal doctor", 0, false, ""),
                        new Command(10, "./portal demo \\\n  --wav f", 3, true, ""),
                        new Command(13, "./portal x", 3, true, ""),
                        new Command(17, "./portal rk probe halt", 0, false, "needs a slow board"));
    }

    @Test
    void aMarkerThatSaysNothingKnownOrStandsAloneIsAnError() {
        assertThatThrownBy(() -> ReadmeCommands.of("<!-- run: quick -->\n```sh\nls\n```\n"))
                .hasMessageContaining("line 1");
        assertThatThrownBy(() -> ReadmeCommands.of("<!-- run: slow -->\n\n```sh\nls\n```\n"))
                .hasMessageContaining("line 1");
    }

    private static Stream<DynamicTest> tests(Predicate<Command> which) {
        return Repository.files().stream()
                .filter(ReadmeTest::shown)
                .flatMap(page -> ReadmeCommands.of(Repository.text(page).orElseThrow()).stream()
                        .filter(which)
                        .map(command -> DynamicTest.dynamicTest(
                                Repository.name(page) + ":" + command.line() + " " + command.text(),
                                () -> run(command))));
    }

    private static boolean shown(Path page) {
        String name = Repository.name(page);
        return name.equals("README.md") || (name.startsWith("docs/help/") && name.endsWith(".md"));
    }

    private static void run(Command command) {
        assumeTrue(command.skip().isEmpty(), () -> "not run: " + command.skip());
        assumeTrue(
                Files.isDirectory(Repository.root().resolve("app/target/lib")),
                "not run: app is not packaged; run ./portal test");
        // Maven has just built everything; a build by the command itself would replace jars that this JVM reads.
        Shell.Result result = Shell.run(
                Repository.root(),
                Map.of("PORTAL_BUILD", "never", "PORTAL_HOME", System.getProperty("portal.home", "")),
                List.of("bash", "-c", command.text()));
        assertThat(result.exitCode()).as(result.toString()).isEqualTo(command.exitCode());
    }
}
