package dev.portal.app.doctor;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** This machine. */
final class RealHost implements Host {
    @Override
    public String property(String name) {
        return System.getProperty(name, "");
    }

    @Override
    public String environment(String name) {
        return Objects.requireNonNullElse(System.getenv(name), "");
    }

    @Override
    public boolean nativeAccess(String module) {
        return ModuleLayer.boot()
                .findModule(module)
                .map(Module::isNativeAccessEnabled)
                .orElse(false);
    }

    @Override
    public boolean exists(String path) {
        return Files.exists(Path.of(path));
    }

    @Override
    public boolean opens(String path) {
        return Files.isReadable(Path.of(path)) && Files.isWritable(Path.of(path));
    }

    @Override
    public boolean executable(String path) {
        return Files.isRegularFile(Path.of(path)) && Files.isExecutable(Path.of(path));
    }

    @Override
    public @Nullable String permissions(String path) {
        PosixFileAttributes attributes = attributes(path);
        return attributes == null
                ? null
                : attributes.owner().getName() + ":" + attributes.group().getName() + " "
                        + PosixFilePermissions.toString(attributes.permissions());
    }

    @Override
    public @Nullable String group(String path) {
        PosixFileAttributes attributes = attributes(path);
        return attributes == null ? null : attributes.group().getName();
    }

    private static @Nullable PosixFileAttributes attributes(String path) {
        try {
            return Files.readAttributes(Path.of(path), PosixFileAttributes.class);
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public @Nullable String linkName(String path) {
        try {
            Path name = Files.readSymbolicLink(Path.of(path)).getFileName();
            return name == null ? null : name.toString();
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public List<String> list(String folder) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(Path.of(folder))) {
            entries.forEach(entry -> names.add(String.valueOf(entry.getFileName())));
        } catch (IOException e) {
            return List.of();
        }
        names.sort(null);
        return names;
    }
}
