package dev.portal.app.models;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Debian packages without root and without installing them: apt-get keeps its lists and cache in a folder of ours, takes
 * the system's list of sources and keys, and {@code dpkg -x} only unpacks.
 */
final class DebianSource implements PackageSource {
    private static final String INSTALL =
            "this is not a Debian-like system: install pocketsphinx, its en-us model and flite with your package manager; Portal uses the system's libraries where it finds them";
    private static final Pattern CANDIDATE = Pattern.compile("Candidate: (\\S+)");
    private static final Pattern SHA256 = Pattern.compile("(?m)^SHA256: ([0-9a-f]{64})$");

    private final Tools tools;
    private final Path state;
    private final String architecture;

    /**
     * @param state a folder for apt's lists and cache, created when needed
     * @param machine the machine the packages are for
     */
    DebianSource(Tools tools, Path state, String machine) {
        this.tools = tools;
        this.state = state;
        this.architecture = machine.equals("x86_64") ? "amd64" : machine.equals("aarch64") ? "arm64" : machine;
    }

    @Override
    public Path download(PackageRef wanted, Path folder) throws FetchException, IOException {
        update(wanted);
        Tools.Outcome outcome = apt(folder, "apt-get", "download", wanted.name() + "=" + wanted.version());
        if (outcome.succeeded()) {
            return Folders.only(folder, ".deb");
        }
        Tools.Outcome policy = apt(folder, "apt-cache", "policy", wanted.name());
        Matcher candidate = CANDIDATE.matcher(policy.output());
        boolean other = candidate.find()
                && !candidate.group(1).equals(wanted.version())
                && !candidate.group(1).equals("(none)");
        if (other) {
            throw moved(wanted, candidate.group(1), folder);
        }
        throw SourceFailure.of(wanted, "apt-get", outcome);
    }

    /** The mirror no longer has the pinned version: say which it has, and how to take that knowingly. */
    private FetchException moved(PackageRef wanted, String offered, Path folder) throws FetchException, IOException {
        Tools.Outcome show = apt(folder, "apt-cache", "show", wanted.name() + "=" + offered);
        Matcher sha256 = SHA256.matcher(show.output());
        String sum = sha256.find() ? sha256.group(1) : "SHA256-OF-THE-DEB";
        return new FetchException(
                FetchException.Kind.UNAVAILABLE,
                wanted + " is pinned, but this machine's package sources offer " + offered
                        + "; install it with the system's package manager, or take it as their signed index describes it: "
                        + "./portal models fetch --accept " + wanted.name() + "=" + offered + "@" + sum);
    }

    @Override
    public void unpack(Path archive, Path into) throws FetchException, IOException {
        Files.createDirectories(into);
        Tools.Outcome outcome = tools.run(into, INSTALL, "dpkg", List.of("-x", archive.toString(), into.toString()));
        if (!outcome.succeeded()) {
            throw new FetchException(
                    FetchException.Kind.FAILED,
                    archive.getFileName() + " is not a whole package (" + outcome.reason() + "); run this again");
        }
    }

    private void update(PackageRef wanted) throws FetchException, IOException {
        Path done = state.resolve("updated");
        if (Files.exists(done)) {
            return;
        }
        Files.createDirectories(state.resolve("lists/partial"));
        Files.createDirectories(state.resolve("cache/archives/partial"));
        Tools.Outcome outcome = apt(state, "apt-get", "update");
        // apt-get update warns and succeeds when a source cannot be reached, so its words decide.
        if (!outcome.succeeded() || SourceFailure.soundsLikeNoNetwork(outcome.output())) {
            throw SourceFailure.of(wanted, "apt-get update", outcome);
        }
        Files.createFile(done);
    }

    private Tools.Outcome apt(Path folder, String program, String... arguments) throws FetchException {
        List<String> all = new ArrayList<>(List.of(
                "-o",
                "Dir::State=" + state,
                "-o",
                "Dir::State::status=/dev/null",
                "-o",
                "Dir::Cache=" + state.resolve("cache"),
                "-o",
                "APT::Architecture=" + architecture,
                "-o",
                "APT::Architectures::=" + architecture,
                "-o",
                "APT::Sandbox::User=root",
                "-o",
                "Acquire::Languages=none",
                "-o",
                "Acquire::Retries=1",
                "-o",
                "Acquire::http::Timeout=20",
                "-o",
                "Acquire::https::Timeout=20",
                "-q"));
        all.addAll(List.of(arguments));
        return tools.run(folder, INSTALL, program, all);
    }
}
