package dev.portal.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.portal.verification.ReadmeCommands.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * Runs every command that README.md and the pages of docs/help show, as they stand there and in their order. Each page has a
 * folder of its own that looks like the project's, so that what a command writes is seen by the next and left nowhere.
 */
@TestInstance(Lifecycle.PER_CLASS)
final class ReadmeTest {
    private final Map<Path, Path> folders = new HashMap<>();

    @AfterAll
    void removeFolders() throws IOException {
        for (Path folder : folders.values()) {
            try (Stream<Path> entries = Files.walk(folder)) {
                for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(entry);
                }
            }
        }
    }

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

    private Stream<DynamicTest> tests(Predicate<Command> which) {
        return Repository.files().stream()
                .filter(ReadmeTest::shown)
                .flatMap(page -> ReadmeCommands.of(Repository.text(page).orElseThrow()).stream()
                        .filter(which)
                        .map(command -> DynamicTest.dynamicTest(
                                Repository.name(page) + ":" + command.line() + " " + command.text(),
                                () -> run(folders.computeIfAbsent(page, p -> likeTheProject()), command))));
    }

    private static boolean shown(Path page) {
        String name = Repository.name(page);
        return name.equals("README.md") || (name.startsWith("docs/help/") && name.endsWith(".md"));
    }

    private static Path likeTheProject() {
        try {
            Path folder = Files.createTempDirectory("portal readme");
            try (Stream<Path> entries = Files.list(Repository.root())) {
                for (Path entry : entries.toList()) {
                    Files.createSymbolicLink(folder.resolve(entry.getFileName()), entry);
                }
            }
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void run(Path folder, Command command) {
        assumeTrue(command.skip().isEmpty(), () -> "not run: " + command.skip());
        assumeTrue(
                Files.isDirectory(Repository.root().resolve("app/target/lib")),
                "not run: app is not packaged; run ./portal test");
        // Maven has just built everything; a build by the command itself would replace jars that this JVM reads.
        Shell.Result result = Shell.run(
                folder,
                Map.of("PORTAL_BUILD", "never", "PORTAL_HOME", System.getProperty("portal.home", "")),
                List.of("bash", "-c", command.text()));
        assertThat(result.exitCode()).as(result.toString()).isEqualTo(command.exitCode());
    }
}
