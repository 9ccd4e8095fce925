package dev.portal.app.models;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Enumeration;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The few file operations that fetching needs. */
final class Folders {
    private Folders() {}

    /** The one file in {@code folder} whose name ends so. */
    static Path only(Path folder, String ending) throws FetchException, IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            List<Path> matching =
                    entries.filter(p -> p.toString().endsWith(ending)).toList();
            if (matching.size() != 1) {
                throw new FetchException(
                        FetchException.Kind.FAILED,
                        "the package program left " + matching.size() + " " + ending
                                + " files instead of one; run this again");
            }
            return matching.getFirst();
        }
    }

    /** SHA-256 of a file, 64 lower-case hexadecimal digits. */
    static String sha256(Path file) throws IOException {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            in.transferTo(OutputStream.nullOutputStream());
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Unpacks a zip file; an entry that would leave {@code into} is an error. */
    static void unzip(Path archive, Path into) throws IOException {
        try (ZipFile zip = new ZipFile(archive.toFile())) {
            for (Enumeration<? extends ZipEntry> entries = zip.entries(); entries.hasMoreElements(); ) {
                ZipEntry entry = entries.nextElement();
                Path target = into.resolve(entry.getName()).normalize();
                if (!target.startsWith(into)) {
                    throw new IOException(
                            archive.getFileName() + " has the entry '" + entry.getName() + "' outside itself");
                }
                if (!entry.isDirectory()) {
                    Files.createDirectories(target.getParent());
                    try (InputStream in = zip.getInputStream(entry)) {
                        Files.copy(in, target);
                    }
                }
            }
        }
    }

    /** Removes a folder with everything in it; links are removed, not followed. */
    static void delete(Path folder) throws IOException {
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            List<Path> entries;
            try (Stream<Path> listing = Files.list(folder)) {
                entries = listing.toList();
            }
            for (Path entry : entries) {
                delete(entry);
            }
        }
        Files.deleteIfExists(folder);
    }
}
