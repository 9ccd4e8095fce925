package dev.portal.app.rk;

import dev.portal.app.Failure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The rows of a batch file: tab-separated values. A line that starts with {@code #} and holds tabs names the columns;
 * without one they are in the order that the command expects. Other {@code #} lines and empty lines are skipped, further
 * columns ignored.
 */
final class TsvRows {
    /** One row, its cells by column. */
    static final class Row {
        private final int line;
        private final Map<String, String> cells;

        private Row(int line, Map<String, String> cells) {
            this.line = line;
            this.cells = cells;
        }

        /** The cell, empty where the column is missing, or holds nothing or {@code -}. */
        Optional<String> find(String column) {
            return Optional.ofNullable(cells.get(column))
                    .map(String::strip)
                    .filter(cell -> !cell.isEmpty() && !cell.equals("-"));
        }

        String get(String column) {
            return find(column)
                    .orElseThrow(
                            () -> new IllegalArgumentException("line " + line + " has no value for column " + column));
        }

        int integer(String column) {
            return integer(column, get(column));
        }

        int integer(String column, int otherwise) {
            return find(column).map(cell -> integer(column, cell)).orElse(otherwise);
        }

        /** An address: decimal, or hexadecimal after 0x. */
        long address(String column, long otherwise) {
            return find(column)
                    .map(cell -> Numbers.address(cell)
                            .orElseThrow(() -> new IllegalArgumentException("line " + line + ": " + column + " = \""
                                    + cell + "\" is not an address like 0x1000000")))
                    .orElse(otherwise);
        }

        private int integer(String column, String cell) {
            try {
                return Integer.parseInt(cell);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        "line " + line + ": " + column + " = \"" + cell + "\" is not a whole number");
            }
        }

        /** What names the row in the answer. */
        String id() {
            return find("id").orElse("line-" + line);
        }
    }

    private TsvRows() {}

    /**
     * Reads a file.
     *
     * @param file its name; {@code -} is standard input
     * @param order the columns where no header names them
     */
    static List<Row> read(String file, List<String> order) throws IOException {
        List<Row> rows = new ArrayList<>();
        List<String> columns = order;
        int number = 0;
        for (String line : text(file).split("\n", -1)) {
            number++;
            String content = line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
            if (content.startsWith("#")) {
                if (content.contains("\t")) {
                    columns = List.of(content.substring(1).split("\t", -1)).stream()
                            .map(name -> name.strip().replaceAll("\\W.*", ""))
                            .toList();
                }
            } else if (!content.isBlank()) {
                rows.add(row(number, content, columns));
            }
        }
        return rows;
    }

    private static Row row(int number, String line, List<String> columns) {
        Map<String, String> cells = new HashMap<>();
        String[] values = line.split("\t", -1);
        for (int i = 0; i < Math.min(values.length, columns.size()); i++) {
            cells.put(columns.get(i), values[i]);
        }
        return new Row(number, cells);
    }

    /** The text of a file, or of standard input for {@code -}. */
    static String text(String file) throws IOException {
        byte[] bytes = file.equals("-") ? System.in.readAllBytes() : Files.readAllBytes(Path.of(file));
        if (bytes.length == 0) {
            throw new Failure(file + " is empty");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
