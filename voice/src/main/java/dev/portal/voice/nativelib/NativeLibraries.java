package dev.portal.voice.nativelib;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Loads the native speech libraries, and nothing else does.
 *
 * <p>A library that the system has installed is preferred: it is found by its soname, and the system's loader brings its
 * dependencies. Otherwise Portal's own folder {@code native/<arch>/} is used. The loader does not search that folder,
 * not even for the dependencies of what it loads, so each file is opened by absolute path, dependencies first; the
 * loader then finds each dependency by soname among what is loaded.
 *
 * <p>Libraries stay loaded until the process ends (global arena): they keep state of their own, and code that is running
 * cannot be unloaded. Any thread; loading twice is cheap.
 */
@SuppressWarnings("restricted")
public final class NativeLibraries {
    private final Path folder;

    /**
     * @param portalHome Portal's own folder, which {@code ./portal models fetch} fills
     * @param architecture the Java name, as in the system property {@code os.arch}
     */
    public NativeLibraries(Path portalHome, String architecture) {
        this.folder =
                portalHome.resolve("native").resolve(folderName(architecture)).toAbsolutePath();
    }

    /** For this machine's architecture. */
    public static NativeLibraries ofThisMachine(Path portalHome) {
        return new NativeLibraries(portalHome, System.getProperty("os.arch", "unknown"));
    }

    private static String folderName(String architecture) {
        String name = architecture.toLowerCase(Locale.ROOT);
        return name.equals("amd64") ? "x86_64" : name;
    }

    /**
     * The symbols of {@code libraries}.
     *
     * @param purpose for error messages, as in "speech recognition by pocketsphinx"
     * @param dependencies file names in loading order, only needed from Portal's own folder; one that is absent there is
     *     skipped, since not every architecture has each (libquadmath)
     * @param libraries file names in loading order; all from the system, or all from Portal's own folder
     * @throws NativeLibraryException one is missing or cannot be loaded
     */
    SymbolLookup load(String purpose, List<String> dependencies, List<String> libraries) {
        Optional<SymbolLookup> installed = fromSystem(libraries);
        if (installed.isPresent()) {
            return installed.get();
        }
        List<String> missing = libraries.stream()
                .filter(name -> !Files.exists(folder.resolve(name)))
                .toList();
        if (!missing.isEmpty()) {
            throw new NativeLibraryException(purpose + " needs " + String.join(", ", missing)
                    + ", which neither the system has nor " + folder
                    + " holds. Run './portal models fetch', or install the library.");
        }
        List<SymbolLookup> lookups = new ArrayList<>();
        for (String name : dependencies) {
            Path file = folder.resolve(name);
            if (Files.exists(file)) {
                open(purpose, file);
            }
        }
        for (String name : libraries) {
            lookups.add(open(purpose, folder.resolve(name)));
        }
        return firstOf(lookups);
    }

    private static Optional<SymbolLookup> fromSystem(List<String> libraries) {
        List<SymbolLookup> lookups = new ArrayList<>();
        for (String name : libraries) {
            try {
                lookups.add(SymbolLookup.libraryLookup(name, Arena.global()));
            } catch (IllegalArgumentException notInstalled) {
                return Optional.empty();
            }
        }
        return Optional.of(firstOf(lookups));
    }

    private static SymbolLookup open(String purpose, Path file) {
        try {
            return SymbolLookup.libraryLookup(file, Arena.global());
        } catch (IllegalArgumentException e) {
            throw new NativeLibraryException(
                    purpose + ": the loader refuses " + file + " (" + e.getMessage()
                            + "). A library that it depends on is missing, or it was built for another system. Run"
                            + " './portal models fetch' again, or install the library.",
                    e);
        }
    }

    private static SymbolLookup firstOf(List<SymbolLookup> lookups) {
        return name -> {
            for (SymbolLookup lookup : lookups) {
                Optional<MemorySegment> symbol = lookup.find(name);
                if (symbol.isPresent()) {
                    return symbol;
                }
            }
            return Optional.empty();
        };
    }

    /** The address of a function that must be there. */
    static MemorySegment require(SymbolLookup lookup, String function) {
        return lookup.find(function)
                .orElseThrow(() -> new NativeLibraryException("the library that was loaded has no function " + function
                        + ": it is of another version than Debian 12's. Run './portal models fetch'."));
    }
}
