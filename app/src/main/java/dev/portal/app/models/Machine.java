package dev.portal.app.models;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the model store needs to know of the machine it is on.
 *
 * @param home Portal's home, where everything that is fetched goes
 * @param root Portal's sources, where the models are that come with it
 * @param architecture {@code x86_64} or {@code aarch64}
 * @param searchPath the folders of {@code PATH}, in order
 * @param libraryFolders where the system keeps its own shared libraries
 * @param terminal whether somebody watches the error stream
 */
public record Machine(
        Path home, Path root, String architecture, List<Path> searchPath, List<Path> libraryFolders, boolean terminal) {

    /** This machine: home from {@code portal.home}, {@code PORTAL_HOME}, {@code XDG_CACHE_HOME} or {@code ~/.cache}. */
    public static Machine current() {
        String architecture = architecture(System.getProperty("os.arch", ""));
        return new Machine(
                home(System.getProperty("portal.home"), System.getenv(), System.getProperty("user.home", ".")),
                Path.of(System.getProperty("portal.root", "")).toAbsolutePath(),
                architecture,
                paths(System.getenv().getOrDefault("PATH", "/usr/bin:/bin")),
                List.of(
                        Path.of("/usr/lib", architecture + "-linux-gnu"),
                        Path.of("/lib", architecture + "-linux-gnu"),
                        Path.of("/usr/lib64")),
                Boolean.getBoolean("portal.terminal"));
    }

    /** The same machine with its models prepared for another architecture; the system's own libraries do not serve then. */
    Machine preparing(String other) {
        return other.equals(architecture) ? this : new Machine(home, root, other, searchPath, List.of(), terminal);
    }

    static Path home(@Nullable String property, Map<String, String> environment, String userHome) {
        if (property != null && !property.isEmpty()) {
            return Path.of(property).toAbsolutePath();
        }
        String home = environment.getOrDefault("PORTAL_HOME", "");
        if (!home.isEmpty()) {
            return Path.of(home).toAbsolutePath();
        }
        String cache = environment.getOrDefault("XDG_CACHE_HOME", "");
        return (cache.isEmpty() ? Path.of(userHome, ".cache") : Path.of(cache))
                .resolve("portal")
                .toAbsolutePath();
    }

    /** The kernel's name for what Java calls {@code osArch}. */
    static String architecture(String osArch) {
        return switch (osArch) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64", "arm64" -> "aarch64";
            default -> osArch;
        };
    }

    private static List<Path> paths(String list) {
        return List.of(list.split(":")).stream()
                .filter(p -> !p.isEmpty())
                .map(Path::of)
                .toList();
    }
}
