package dev.portal.app.models;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The files that came from a version that the user accepted in place of the pinned one, in {@code accepted.tsv} of
 * Portal's home: {@code target version bytes sha256}, tab separated. Their checksums were taken when they were unpacked.
 */
final class AcceptedFiles {
    private record Row(String target, String version, long bytes, String sha256) {
        String line() {
            return String.join("\t", target, version, Long.toString(bytes), sha256);
        }

        static Row parse(String line) {
            String[] columns = line.split("\t", -1);
            return new Row(columns[0], columns[1], Long.parseLong(columns[2]), columns[3]);
        }
    }

    private final Path table;

    AcceptedFiles(Path home) {
        this.table = home.resolve("accepted.tsv");
    }

    /** {@code files}, each as the user accepted it where there is such a row. */
    List<ModelFile> applyTo(List<ModelFile> files) throws IOException {
        List<Row> rows = rows();
        if (rows.isEmpty()) {
            return files;
        }
        return files.stream()
                .map(file -> rows.stream()
                        .filter(row -> row.target().equals(file.target()))
                        .findFirst()
                        .map(row -> file.as(row.version(), row.bytes(), row.sha256()))
                        .orElse(file))
                .toList();
    }

    /** Adds or replaces the rows of {@code files}. */
    void remember(Collection<ModelFile> files) throws IOException {
        List<Row> rows = new ArrayList<>(rows());
        for (ModelFile file : files) {
            rows.removeIf(row -> row.target().equals(file.target()));
            rows.add(new Row(file.target(), file.origin().version(), file.bytes(), file.sha256()));
        }
        Path next = table.resolveSibling(table.getFileName() + ".new");
        Files.write(next, rows.stream().map(Row::line).toList(), StandardCharsets.UTF_8);
        Files.move(next, table, StandardCopyOption.ATOMIC_MOVE);
    }

    private List<Row> rows() throws IOException {
        return Files.exists(table)
                ? Files.readAllLines(table, StandardCharsets.UTF_8).stream()
                        .map(Row::parse)
                        .toList()
                : List.of();
    }
}
