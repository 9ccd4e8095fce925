package dev.portal.voice;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.portal.voice.nativelib.NativeLibraries;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the tests find models, native libraries and recordings; without them they are skipped aloud. */
public final class PortalHome {
    private PortalHome() {}

    public static Path path() {
        String home = System.getProperty("portal.home");
        return home == null ? Path.of(System.getProperty("user.home"), ".cache", "portal") : Path.of(home);
    }

    public static NativeLibraries libraries() {
        require("native");
        return NativeLibraries.ofThisMachine(path());
    }

    /** A file or folder below Portal's home; the test is skipped when it is absent. */
    public static Path require(String relative) {
        Path file = path().resolve(relative);
        assumeTrue(Files.exists(file), () -> file + " is missing: run './portal models fetch'");
        return file;
    }
}
