package dev.portal.emulator.rk3588;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Finds the golden vectors, which are read in place and never copied: {@code -Dportal.golden} or beside the repository. */
final class Golden {
    private Golden() {}

    /** Lines of a file below the golden folder, comments left out; skips the test, aloud, when there is none. */
    static List<String> lines(String file) {
        return text(file).lines().filter(line -> !line.startsWith("#")).toList();
    }

    static String text(String file) {
        Path path = folder().resolve(file);
        assumeThat(Files.isReadable(path))
                .as("golden file %s is absent; point -Dportal.golden at the folder of golden vectors", path)
                .isTrue();
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path folder() {
        String given = System.getProperty("portal.golden");
        if (given != null) {
            return Path.of(given);
        }
        return Path.of(System.getProperty("portal.root", "."))
                .toAbsolutePath()
                .normalize()
                .resolveSibling("shared/golden");
    }
}
