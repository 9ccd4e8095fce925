package dev.portal.verification;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Where the build put the classes of every module. */
final class CompiledClasses {
    private CompiledClasses() {}

    /** The folders that exist of {@code MODULE/target/KIND}, for each kind ({@code classes}, {@code test-classes}). */
    static List<Path> folders(String... kinds) {
        List<Path> folders = new ArrayList<>();
        for (String module : Repository.modules()) {
            for (String kind : kinds) {
                Path folder =
                        Repository.root().resolve(module).resolve("target").resolve(kind);
                if (Files.isDirectory(folder)) {
                    folders.add(folder);
                }
            }
        }
        return folders;
    }
}
