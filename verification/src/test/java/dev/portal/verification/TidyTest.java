package dev.portal.verification;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What a reviewer should not have to say twice, said about every file of the project. */
final class TidyTest {
    /** Text where a tab is data. */
    private static final Set<String> TABULAR = Set.of("tsv", "csv", "txt", "golden");

    private static final int GUIDE_LINES = 600;
    private static final int LARGEST_FILE_BYTES = 8 << 20;
    private static final long LARGEST_BINARIES_BYTES = 32L << 20;

    /** Unfinished work, in the words that people use. Put together so that this file does not contain them. */
    private static final Pattern UNFINISHED = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X|HA" + "CK)\\b");

    /** Folders of one person's machine; a path below a user's home must be written with ~. */
    private static final Pattern MACHINE_PATH =
            Pattern.compile("(?<![\\w./~$}])/(" + "wo" + "rk|ro" + "ot|tm" + "p|home/[a-z]\\w*)/");

    /** Where packages come from is the reader's own setting of npm, apt and Maven, never ours. */
    private static final Pattern REGISTRY_HOST = Pattern.compile("(registry\\.npm" + "js|repo1?\\.maven|maven"
            + "central\\.|" + "(deb|security|ftp)\\.deb" + "ian\\.org|pypi" + "\\.org|pythonhosted" + "\\.org)");

    private static final Pattern DISABLED_SILENTLY = Pattern.compile("@Dis" + "abled\\s*(?!\\(\\s*\")");

    @Test
    void eachPatternNoticesItsCase() {
        assertThat("// TO" + "DO later").containsPattern(UNFINISHED);
        assertThat("cat /wo" + "rk/notes").containsPattern(MACHINE_PATH);
        assertThat("see ./wo" + "rk/notes and ~/tm" + "p/x").doesNotContainPattern(MACHINE_PATH);
        assertThat("https://registry.npm" + "js.org/x").containsPattern(REGISTRY_HOST);
        assertThat("@Dis" + "abled").containsPattern(DISABLED_SILENTLY);
        assertThat("@Dis" + "abled(\"why\")").doesNotContainPattern(DISABLED_SILENTLY);
    }

    @Test
    void nothingIsLeftUnfinished() {
        assertThat(linesWith(UNFINISHED, file -> true))
                .as("finish it, or write it down in docs")
                .isEmpty();
    }

    @Test
    void noFileNamesAPathOfOneMachine() {
        assertThat(linesWith(MACHINE_PATH, file -> true))
                .as("use a relative path, ~ or a property")
                .isEmpty();
    }

    @Test
    void noFileNamesARegistryHost() {
        assertThat(linesWith(REGISTRY_HOST, file -> true))
                .as("packages come through the reader's own npm, apt and Maven settings")
                .isEmpty();
    }

    @Test
    void sourcesHaveNoTabsAndNoCarriageReturns() {
        assertThat(linesWith(Pattern.compile("[\t\r]"), file -> !TABULAR.contains(extension(file))))
                .isEmpty();
    }

    @Test
    void aDisabledTestSaysWhy() {
        assertThat(linesWith(DISABLED_SILENTLY, file -> extension(file).equals("java")))
                .isEmpty();
    }

    @Test
    void everyPackageSaysItsOneJobFirstAndIsNullMarked() throws IOException {
        List<String> silent = new ArrayList<>();
        for (Path file : Repository.files()) {
            Path folder = file.getParent();
            if (!Repository.name(file).contains("src/main/java/dev/")
                    || !extension(file).equals("java")
                    || file.getFileName().toString().equals("module-info.java")) {
                continue;
            }
            Path info = folder.resolve("package-info.java");
            boolean speaks = Files.exists(info)
                    && Pattern.compile("^/\\*\\*\\s+(\\*\\s+)?\\S.{15,}")
                            .matcher(Files.readString(info))
                            .find()
                    && Files.readString(info).contains("@NullMarked");
            if (!speaks && !silent.contains(Repository.name(folder))) {
                silent.add(Repository.name(folder));
            }
        }
        assertThat(silent)
                .as("package-info.java: first a sentence on the package's one job, then @NullMarked")
                .isEmpty();
    }

    @Test
    void everyDependencyHasItsLicenceAndReasonInTheList() throws IOException {
        String list = Files.readString(Repository.root().resolve("docs/dependencies.md"));
        List<String> unlisted = new ArrayList<>();
        for (Path file : Repository.files()) {
            if (file.getFileName().toString().equals("pom.xml")) {
                Pattern.compile("<dependency>\\s*<groupId>(.*?)</groupId>\\s*<artifactId>(.*?)</artifactId>")
                        .matcher(Files.readString(file))
                        .results()
                        .filter(match -> !match.group(1).equals("dev.portal"))
                        .filter(match -> !match.group(2).endsWith("-bom"))
                        .filter(match -> !list.contains("`" + match.group(2) + "`"))
                        .forEach(match -> unlisted.add(Repository.name(file) + ": " + match.group(2)));
            }
        }
        assertThat(unlisted).as("add a row to docs/dependencies.md").isEmpty();
    }

    @Test
    void filesStaySmallEnoughToClone() throws IOException {
        List<String> large = new ArrayList<>();
        long binaries = 0;
        for (Path file : Repository.files()) {
            long bytes = Files.size(file);
            if (bytes > LARGEST_FILE_BYTES) {
                large.add(Repository.name(file) + " " + bytes);
            }
            if (Repository.text(file).isEmpty()) {
                binaries += bytes;
            }
        }
        assertThat(large)
                .as("files above " + LARGEST_FILE_BYTES + " bytes; fetch them from a package")
                .isEmpty();
        assertThat(binaries).as("bytes of all binary files together").isLessThanOrEqualTo(LARGEST_BINARIES_BYTES);
    }

    /** A guide value and not a limit: the list is printed, for whoever splits the next one. */
    @Test
    void longFilesAreReported() {
        for (Path file : Repository.files()) {
            if (extension(file).equals("java")) {
                long lines = Repository.text(file).orElse("").lines().count();
                if (lines > GUIDE_LINES) {
                    System.out.println(
                            "guide value of " + GUIDE_LINES + " lines: " + Repository.name(file) + " has " + lines);
                }
            }
        }
    }

    private static List<String> linesWith(Pattern pattern, Function<Path, Boolean> applies) {
        List<String> found = new ArrayList<>();
        for (Path file : Repository.files()) {
            if (applies.apply(file)) {
                int number = 0;
                for (String line : Repository.text(file).orElse("").split("\n", -1)) {
                    number++;
                    Matcher matcher = pattern.matcher(line);
                    if (matcher.find()) {
                        found.add(Repository.name(file) + ":" + number + ": " + line.strip());
                    }
                }
            }
        }
        return found;
    }

    private static String extension(Path file) {
        String name = file.getFileName().toString();
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
