package dev.portal.app.models;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** A folder of programs named npm, apt-get, dpkg and mvn that bring packages from another folder. */
final class FakeRegistry {
    private final Path programs;
    private final Path packages;

    FakeRegistry(Path folder) throws IOException {
        this.programs = Files.createDirectories(folder.resolve("bin"));
        this.packages = Files.createDirectories(folder.resolve("packages"));
        program("tar", "exec /bin/tar \"$@\"");
        // npm pack NAME@VERSION
        program("npm", "cp \"" + packages + "/$2.tgz\" . || { echo \"npm ERR! code E404 $2\"; exit 1; }");
    }

    List<Path> searchPath() {
        return List.of(programs);
    }

    /** Adds or replaces a program: a shell script of one line. */
    void program(String name, String script) throws IOException {
        Path file = programs.resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    void remove(String program) throws IOException {
        Files.delete(programs.resolve(program));
    }

    /** Publishes an npm package with one file. */
    void publish(String name, String version, String inside, byte[] content) throws IOException {
        Path folder = Files.createTempDirectory(packages, "npm");
        Path file = folder.resolve("package").resolve(inside);
        Files.createDirectories(file.getParent());
        Files.write(file, content);
        tar(folder, packages.resolve(name + "@" + version + ".tgz"));
    }

    private static void tar(Path folder, Path archive) throws IOException {
        Process tar = new ProcessBuilder("tar", "-czf", archive.toString(), "-C", folder.toString(), "package")
                .inheritIO()
                .start();
        try {
            if (tar.waitFor() != 0) {
                throw new IOException("tar ended with " + tar.exitValue());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** A Maven that copies a jar with one entry into {@code -DoutputDirectory}. */
    void maven(String inside, byte[] content) throws IOException {
        Path jar = packages.resolve("model.jar");
        try (OutputStream out = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.putNextEntry(new ZipEntry(inside));
            zip.write(content);
        }
        program("mvn", "for a; do case $a in -DoutputDirectory=*) cp " + jar + " \"${a#*=}\" ;; esac; done");
    }

    /**
     * A Debian mirror with one package at one version. The archive's text becomes the file {@code inside}, with a link
     * {@code inside.link} that points at it.
     */
    void debian(String name, String version, String inside, String content, String sha256) throws IOException {
        Path deb = packages.resolve(name + ".deb");
        Files.writeString(deb, content);
        program(
                "apt-get",
                "case \"$*\" in *' update') exit 0 ;; *' download " + name + "=" + version + "') cp " + deb
                        + " . ;; *) echo \"E: Version was not found\"; exit 100 ;; esac");
        program(
                "apt-cache",
                "case \"$*\" in *' policy '*) echo '  Candidate: " + version + "' ;; *' show '*) echo 'SHA256: "
                        + sha256 + "' ;; esac");
        program(
                "dpkg",
                "mkdir -p \"$3/$(dirname " + inside + ")\" && cp \"$2\" \"$3/" + inside + "\" && ln -s \"$(basename "
                        + inside + ")\" \"$3/" + inside + ".link\"");
    }

    /** Which files are below {@code folder}, links included. */
    static Set<String> below(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return Set.of();
        }
        try (var files = Files.walk(folder)) {
            return Set.copyOf(files.filter(f -> !Files.isDirectory(f))
                    .map(f -> folder.relativize(f).toString())
                    .toList());
        }
    }
}
