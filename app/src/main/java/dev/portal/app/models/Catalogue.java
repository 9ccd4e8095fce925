package dev.portal.app.models;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/** Every file that {@code models fetch} can bring, read from a table of tab-separated rows. Immutable. */
final class Catalogue {
    private static final int COLUMNS = 11;

    private final List<ModelFile> files;

    private Catalogue(List<ModelFile> files) {
        this.files = List.copyOf(files);
    }

    /** The table that comes with Portal. */
    static Catalogue bundled() {
        try (InputStream in = Catalogue.class.getResourceAsStream("catalogue.tsv")) {
            return parse(
                    new InputStreamReader(Objects.requireNonNull(in, "catalogue.tsv"), StandardCharsets.UTF_8),
                    "catalogue.tsv");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads a table; lines that start with {@code #} are headers.
     *
     * @param name what to call the table in errors
     * @throws IllegalArgumentException for a row that is not complete, with its line number
     */
    static Catalogue parse(Reader table, String name) throws IOException {
        List<ModelFile> files = new ArrayList<>();
        BufferedReader lines = new BufferedReader(table);
        int number = 0;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            number++;
            if (!line.isBlank() && !line.startsWith("#")) {
                files.add(row(line.split("\t", -1), name + ":" + number));
            }
        }
        return new Catalogue(files);
    }

    private static ModelFile row(String[] columns, String where) {
        if (columns.length != COLUMNS) {
            throw new IllegalArgumentException(
                    where + ": " + columns.length + " columns instead of " + COLUMNS + "; separate them by one tab");
        }
        String target = columns[8];
        String sha256 = columns[10];
        if (!sha256.matches("[0-9a-f]{64}")) {
            throw new IllegalArgumentException(
                    where + ": '" + sha256 + "' is not a sha256; a file is never fetched without one");
        }
        if (target.startsWith("/") || List.of(target.split("/")).contains("..")) {
            throw new IllegalArgumentException(where + ": target '" + target + "' leaves Portal's home");
        }
        return new ModelFile(
                columns[0],
                ModelFile.Kind.valueOf(columns[1].toUpperCase(Locale.ROOT)),
                new PackageRef(PackageRef.Registry.of(columns[3]), columns[4], columns[5], columns[2]),
                columns[6],
                columns[7],
                target,
                Long.parseLong(columns[9]),
                sha256);
    }

    /** All ids, in the table's order. */
    Set<String> ids() {
        Set<String> ids = new LinkedHashSet<>();
        files.forEach(file -> ids.add(file.id()));
        return ids;
    }

    /** The files of {@code ids} (all when empty) that belong on {@code architecture}. */
    List<ModelFile> files(Collection<String> ids, String architecture) {
        return files.stream()
                .filter(file -> file.runsOn(architecture))
                .filter(file -> ids.isEmpty() || ids.contains(file.id()))
                .toList();
    }
}
