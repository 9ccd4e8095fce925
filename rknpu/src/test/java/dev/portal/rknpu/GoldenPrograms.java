package dev.portal.rknpu;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** One row of a golden program file; see golden/README.md. */
record GoldenPrograms(
        String id,
        MatmulShape shape,
        boolean schedule,
        int stride,
        int multiplier,
        int shift,
        long a,
        long b,
        long c,
        long next,
        int returned,
        boolean inRange,
        long[] words) {
    static List<GoldenPrograms> read(String file) {
        return rows(file).map(GoldenPrograms::of).toList();
    }

    static Stream<String[]> rows(String file) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(GoldenPrograms.class.getResourceAsStream("/golden/" + file), file),
                StandardCharsets.UTF_8))) {
            return in
                    .lines()
                    .filter(line -> !line.startsWith("#") && !line.isBlank())
                    .map(line -> line.split("\t"))
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static GoldenPrograms of(String[] row) {
        MatmulType type = MatmulType.of(row[1], row[2]).orElseThrow();
        MatmulShape shape =
                new MatmulShape(type, Integer.parseInt(row[3]), Integer.parseInt(row[4]), Integer.parseInt(row[5]));
        long[] words = row.length < 18 || row[17].isBlank()
                ? new long[0]
                : Arrays.stream(row[17].split(" "))
                        .mapToLong(word -> Long.parseUnsignedLong(word, 16))
                        .toArray();
        return new GoldenPrograms(
                row[0],
                shape,
                !row[6].equals("0"),
                Integer.parseInt(row[7]),
                Integer.parseInt(row[8]),
                Integer.parseInt(row[9]),
                Long.decode(row[10]),
                Long.decode(row[11]),
                Long.decode(row[12]),
                Long.decode(row[13]),
                Integer.parseInt(row[14]),
                row[16].equals("-"),
                words);
    }

    MatmulProgram program(MatmulProgram.Form form) {
        return new MatmulProgram(shape, form, schedule, stride == 0 ? shape.n() : stride, multiplier, shift);
    }
}
