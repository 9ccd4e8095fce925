package dev.portal.verification;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * docs/fidelity.md says which class has each behaviour of the seeds, and which test would notice its loss. What it names
 * must exist.
 */
final class FidelityTest {
    /** A class, or a class and its member, in backticks. */
    private static final Pattern NAME = Pattern.compile("`([A-Z]\\w*[a-z]\\w*)(?:\\.([a-z]\\w*))?`");

    private static final Set<String> OF_THE_JDK = Set.of("AutoCloseable", "CompletableFuture");
    private static final int CELLS = 4;

    private record Row(int line, String sentence, String where, String test, String note) {
        boolean later() {
            return where.startsWith("later: ");
        }
    }

    private final Map<String, String> product = new HashMap<>();
    private final Map<String, String> tests = new HashMap<>();

    FidelityTest() {
        for (Path file : Repository.files()) {
            String path = Repository.name(file);
            if (path.endsWith(".java")) {
                Map<String, String> sources = path.contains("src/test/") ? tests : product;
                String name = file.getFileName().toString().replace(".java", "");
                sources.merge(name, Repository.text(file).orElse(""), (one, other) -> one + "\n\n" + other);
            }
        }
    }

    @Test
    void everyClassAndTestOfThePageExists() {
        List<String> wrong = new ArrayList<>();
        List<Row> rows = rows(page());
        for (Row row : rows) {
            wrong.addAll(mistakes(row));
        }
        assertThat(wrong).as("docs/fidelity.md").isEmpty();
        assertThat(rows).as("rows that are read").hasSizeGreaterThan(100);
        // The text around the tables names classes and tests, too.
        for (String line : page().lines().filter(l -> !l.startsWith("|")).toList()) {
            for (MatchResult name : names(line)) {
                assertThat(isTest(name) || isProduct(name) || tests.containsKey(name.group(1)))
                        .as(line)
                        .isTrue();
            }
        }
    }

    @Test
    void eachKindOfMistakeIsNoticed() {
        String test = "`FidelityTest.eachKindOfMistakeIsNoticed`";
        assertThat(mistakes("| s | `JobQueue.select` | " + test + " | n |")).isEmpty();
        assertThat(mistakes("| s | later: a board | | n |")).isEmpty();
        assertThat(mistakes("| s | `NoSuchClass` | " + test + " | |")).hasSize(1);
        assertThat(mistakes("| s | `JobQueue.noSuchMember` | " + test + " | |")).hasSize(1);
        assertThat(mistakes("| s | `FidelityTest` | " + test + " | |")).hasSize(1);
        assertThat(mistakes("| s | `JobQueue` | `FidelityTest.noSuchTest` | |")).hasSize(1);
        assertThat(mistakes("| s | `JobQueue` | `FidelityTest.isTest` | |")).hasSize(1);
        assertThat(mistakes("| s | `JobQueue` | `FidelityTest` | |")).hasSize(1);
        assertThat(mistakes("| s | `JobQueue` | | |")).hasSize(1);
        assertThat(mistakes("| s | JobQueue | " + test + " | |")).hasSize(1);
        assertThat(mistakes("| s | later: a board | " + test + " | |")).hasSize(1);
        assertThat(mistakes("| s | `JobQueue` | " + test + " | see `FidelityTest.noSuchTest` |"))
                .hasSize(1);
        assertThat(mistakes("| s | `JobQueue` | " + test + " |")).hasSize(1);
    }

    private static String page() {
        return Repository.text(Repository.root().resolve("docs/fidelity.md")).orElseThrow();
    }

    private List<String> mistakes(String line) {
        return rows(line).stream().flatMap(row -> mistakes(row).stream()).toList();
    }

    private static List<Row> rows(String text) {
        List<Row> rows = new ArrayList<>();
        int number = 0;
        for (String line : text.split("\n", -1)) {
            number++;
            if (!line.startsWith("|") || line.startsWith("|---") || line.startsWith("| the seed says |")) {
                continue;
            }
            String[] cells = line.substring(1, line.lastIndexOf('|')).split("\\|", -1);
            rows.add(
                    cells.length == CELLS
                            ? new Row(number, cells[0].strip(), cells[1].strip(), cells[2].strip(), cells[3].strip())
                            : new Row(number, line, "", "", ""));
        }
        return rows;
    }

    private List<String> mistakes(Row row) {
        List<String> wrong = new ArrayList<>();
        String at = "line " + row.line + ": ";
        if (row.where.isEmpty()) {
            return List.of(at + "a row has " + CELLS + " cells, and its second one says where: " + row.sentence);
        }
        List<MatchResult> namedTests = names(row.test);
        if (row.later()) {
            if (!row.test.isEmpty()) {
                wrong.add(at + "what is for later has no test");
            }
        } else {
            if (names(row.where).isEmpty()) {
                wrong.add(at + "names no class");
            }
            if (namedTests.isEmpty()) {
                wrong.add(at + "names no test");
            }
            for (MatchResult name : names(row.where)) {
                if (!isProduct(name)) {
                    wrong.add(at + "no class of the product: " + name.group());
                }
            }
        }
        for (MatchResult name : namedTests) {
            if (!isTest(name)) {
                wrong.add(at + "no test: " + name.group());
            }
        }
        for (MatchResult name : names(row.note)) {
            if (!isTest(name) && !isProduct(name) && !OF_THE_JDK.contains(name.group(1))) {
                wrong.add(at + "neither class nor test: " + name.group());
            }
        }
        return wrong;
    }

    private static List<MatchResult> names(String cell) {
        return NAME.matcher(cell).results().toList();
    }

    private boolean isProduct(MatchResult name) {
        String source = product.get(name.group(1));
        return source != null
                && (name.group(2) == null
                        || Pattern.compile("\\b" + name.group(2) + "\\(")
                                .matcher(source)
                                .find());
    }

    /** Whether a method of this name has the annotation of a test above it, in the same block of lines. */
    private boolean isTest(MatchResult name) {
        String source = tests.get(name.group(1));
        if (source == null || name.group(2) == null) {
            return false;
        }
        Pattern method = Pattern.compile(
                "@(Test|ParameterizedTest|TestFactory)\\b(?:(?!\\n\\n)(?!\\bvoid\\b).)*"
                        + "(?:void|Stream<DynamicTest>) " + name.group(2) + "\\(",
                Pattern.DOTALL);
        return method.matcher(source).find();
    }
}
