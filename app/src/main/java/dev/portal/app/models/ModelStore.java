package dev.portal.app.models;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** What is in Portal's home. Reads only; safe for use by several threads. */
public final class ModelStore {
    /** The entries that one spoken turn with the default stages needs; the others are alternatives and test speech. */
    public static final List<String> DEFAULTS =
            List.of("silero-vad-v6", "pocketsphinx-en-us", "pocketsphinx-libs", "flite-libs");

    private final Machine machine;
    private final Catalogue catalogue;

    ModelStore(Machine machine, Catalogue catalogue) {
        this.machine = machine;
        this.catalogue = catalogue;
    }

    /** The store of {@code machine} with the catalogue that comes with Portal. */
    public static ModelStore of(Machine machine) {
        return new ModelStore(machine, Catalogue.bundled());
    }

    /** State of one file, judged by its size, so that asking is cheap; {@code models list --verify} reads every byte. */
    enum State {
        MISSING,
        INSTALLED,
        /** A link to the library that the system has anyway. */
        SYSTEM,
        DAMAGED
    }

    /** Portal's home, where everything that is fetched is. */
    public Path home() {
        return machine.home();
    }

    Machine machine() {
        return machine;
    }

    Catalogue catalogue() {
        return catalogue;
    }

    /** The files of {@code ids}, all when empty, for this machine. */
    List<ModelFile> files(Collection<String> ids) {
        List<ModelFile> pinned = catalogue.files(ids, machine.architecture());
        try {
            return accepted().applyTo(pinned);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Which of {@code ids} (all when empty) are not complete. Empty means that nothing needs to be fetched. */
    public List<String> missing(Collection<String> ids) {
        return files(ids).stream()
                .filter(file -> state(file) == State.MISSING || state(file) == State.DAMAGED)
                .map(ModelFile::id)
                .distinct()
                .toList();
    }

    /** What the user took in place of what is pinned. */
    AcceptedFiles accepted() {
        return new AcceptedFiles(machine.home());
    }

    Path path(ModelFile file) {
        Path base = file.origin().registry() == PackageRef.Registry.REPOSITORY ? machine.root() : machine.home();
        return base.resolve(file.target());
    }

    State state(ModelFile file) {
        Path path = path(file);
        if (!Files.isRegularFile(path)) {
            return State.MISSING;
        }
        if (Files.isSymbolicLink(path)) {
            return State.SYSTEM;
        }
        try {
            return Files.size(path) == file.bytes() ? State.INSTALLED : State.DAMAGED;
        } catch (IOException e) {
            return State.MISSING;
        }
    }

    /** Whether an installed file has the right bytes. */
    boolean verified(ModelFile file) throws IOException {
        State state = state(file);
        if (state == State.INSTALLED) {
            return Folders.sha256(path(file)).equals(file.sha256());
        }
        return state == State.SYSTEM;
    }

    /** The system's own copy of a shared library. */
    Optional<Path> systemLibrary(ModelFile file) {
        if (file.kind() != ModelFile.Kind.NATIVE) {
            return Optional.empty();
        }
        return machine.libraryFolders().stream()
                .map(folder -> folder.resolve(file.name()))
                .filter(Files::isRegularFile)
                .findFirst();
    }
}
