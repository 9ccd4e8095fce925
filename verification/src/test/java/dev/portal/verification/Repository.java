package dev.portal.verification;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The source tree that is being tested, without what builds and tools leave in it. */
final class Repository {
    private static final Set<String> NOT_OURS =
            Set.of(".git", ".idea", ".vscode", ".portal", "target", "out", "__pycache__", "node_modules");

    private Repository() {}

    /** The folder of the whole project: system property {@code portal.root}, set by the build. */
    static Path root() {
        return Path.of(System.getProperty("portal.root", "..")).toAbsolutePath().normalize();
    }

    /** The Maven modules, in the order of the build. */
    static List<String> modules() {
        return Pattern.compile("<module>(.*?)</module>")
                .matcher(text(root().resolve("pom.xml")).orElseThrow())
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    /** Every file of the project, sorted. */
    static List<Path> files() {
        List<Path> files = new ArrayList<>();
        try {
            Files.walkFileTree(root(), new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                    return NOT_OURS.contains(folder.getFileName().toString())
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    // In a second working tree of git, .git is a file.
                    if (attributes.isRegularFile()
                            && !file.getFileName().toString().equals(".git")) {
                        files.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        files.sort(null);
        return files;
    }

    /** The text of a file, or nothing where it is not UTF-8. */
    static Optional<String> text(Path file) {
        try {
            String text = Files.readString(file, StandardCharsets.UTF_8);
            return text.indexOf('\0') < 0 ? Optional.of(text) : Optional.empty();
        } catch (MalformedInputException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String name(Path file) {
        return root().relativize(file).toString();
    }
}
