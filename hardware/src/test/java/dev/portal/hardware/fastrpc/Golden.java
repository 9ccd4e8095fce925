package dev.portal.hardware.fastrpc;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** Rows of golden/fastrpc-abi.tsv: every number of golden/hexagon/fastrpc-abi.json, one a line. */
final class Golden {
    /** One number. */
    record Row(String kind, String name, String what, String value) {
        int number() {
            return Long.decode(value).intValue();
        }

        int part(int index) {
            return Integer.parseInt(value.split(",", -1)[index]);
        }
    }

    private Golden() {}

    static List<Row> rows(String... kinds) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(Golden.class.getResourceAsStream("/golden/fastrpc-abi.tsv")),
                StandardCharsets.UTF_8))) {
            return in.lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split("\t", -1))
                    .map(cells -> new Row(cells[0], cells[1], cells[2], cells[3]))
                    .filter(row -> List.of(kinds).contains(row.kind()))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
