package dev.portal.app.models;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A jar from Maven's repositories, without its dependencies: a zip file that happens to hold a model. */
final class MavenSource implements PackageSource {
    private static final String INSTALL = "install Maven (Debian: sudo apt-get install maven), then run this again";
    private static final String COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy";

    private final Tools tools;

    MavenSource(Tools tools) {
        this.tools = tools;
    }

    @Override
    public Path download(PackageRef wanted, Path folder) throws FetchException, IOException {
        Tools.Outcome outcome = tools.run(
                folder,
                INSTALL,
                "mvn",
                List.of(
                        "-B",
                        "-q",
                        COPY,
                        "-Dartifact=" + wanted.name() + ":" + wanted.version(),
                        "-DoutputDirectory=" + folder));
        if (!outcome.succeeded()) {
            throw SourceFailure.of(wanted, "mvn", outcome);
        }
        return Folders.only(folder, ".jar");
    }

    @Override
    public void unpack(Path archive, Path into) throws IOException {
        Folders.unzip(archive, Files.createDirectories(into));
    }
}
