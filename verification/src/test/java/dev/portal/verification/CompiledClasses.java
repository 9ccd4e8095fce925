package dev.portal.verification;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The compiled classes of every module, read once for all tests: that is what takes the time. */
final class CompiledClasses {
    private CompiledClasses() {}

    private static final class Imported {
        static final JavaClasses EVERYTHING = new ClassFileImporter().importPaths(folders());
        static final JavaClasses PRODUCT =
                EVERYTHING.that(DescribedPredicate.describe("are part of the product", CompiledClasses::ships));
    }

    private static boolean ships(JavaClass type) {
        String source = type.getSource().orElseThrow().getUri().toString();
        return source.contains("/target/classes/") && !source.contains("/verification/target/");
    }

    /** Product and tests. */
    static JavaClasses everything() {
        return Imported.EVERYTHING;
    }

    /** What ships. */
    static JavaClasses product() {
        return Imported.PRODUCT;
    }

    private static List<Path> folders() {
        List<Path> folders = new ArrayList<>();
        for (String module : Repository.modules()) {
            for (String kind : List.of("classes", "test-classes")) {
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
