package dev.portal.app.models;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** What is in Portal's home. Reads only; safe for use by several threads. */
public final class ModelStore {
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

    Machine machine() {
        return machine;
    }

    Catalogue catalogue() {
        return catalogue;
    }

    /** The files of {@code ids}, all when empty, for this machine. */
    List<ModelFile> files(Collection<String> ids) {
        return catalogue.files(ids, machine.architecture());
    }

    /** Which of {@code ids} (all when empty) are not complete. Empty means that nothing needs to be fetched. */
    public List<String> missing(Collection<String> ids) {
        return files(ids).stream()
                .filter(file -> state(file) == State.MISSING || state(file) == State.DAMAGED)
                .map(ModelFile::id)
                .distinct()
                .toList();
    }

    Path path(ModelFile file) {
        return machine.home().resolve(file.target());
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
