package dev.portal.app.models;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./portal models}: what is installed, and how to bring the rest. */
@Command(
        name = "models",
        description = "Models, speech libraries and test speech: what is installed, and how to bring the rest.",
        mixinStandardHelpOptions = true)
public final class ModelsCommand implements Runnable {
    private static final int FAILED = 1;
    private static final int UNAVAILABLE = 3;

    private static final String ARCH = "x86_64 or aarch64: for the libraries of another machine than this.";

    private final Machine machine;
    private final Catalogue catalogue;

    @Spec
    private CommandSpec spec;

    /** For this machine. */
    public ModelsCommand() {
        this(Machine.current(), Catalogue.bundled());
    }

    ModelsCommand(Machine machine, Catalogue catalogue) {
        this.machine = machine;
        this.catalogue = catalogue;
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** Lists the catalogue with the state of each entry. */
    @Command(
            name = "list",
            description = "What is installed, from where, with licence, checksum and size.",
            mixinStandardHelpOptions = true)
    int list(
            @Option(names = "--arch", description = ARCH) @Nullable String arch,
            @Option(names = "--json", description = "Print JSON.") boolean json,
            @Option(names = "--verify", description = "Read every file and compare its checksum.") boolean verify)
            throws IOException {
        ModelList list = ModelList.of(store(arch), verify);
        PrintWriter out = spec.commandLine().getOut();
        out.print(json ? list.json() : list.table());
        out.flush();
        return 0;
    }

    /** Brings what is missing. */
    @Command(
            name = "fetch",
            description = "Bring what is missing, all of it or the named entries.",
            mixinStandardHelpOptions = true)
    int fetch(
            @Parameters(paramLabel = "ID", arity = "0..*", description = "Entries of 'models list'.") @Nullable
                    List<String> ids,
            @Option(names = "--arch", description = ARCH) @Nullable String arch,
            @Option(
                            names = "--accept",
                            paramLabel = "NAME=VERSION@SHA256",
                            description = "Take this version of a package, whose archive has this checksum, instead of"
                                    + " the pinned one; may be repeated.")
                    @Nullable
                    List<String> accept) {
        ModelStore store = store(arch);
        Set<String> wanted = ids == null ? Set.of() : new LinkedHashSet<>(ids);
        for (String id : wanted) {
            if (!catalogue.ids().contains(id)) {
                throw usage("no entry '" + id + "'; there are " + String.join(", ", catalogue.ids()));
            }
        }
        List<Acceptance> accepted = new ArrayList<>();
        try {
            for (String word : accept == null ? List.<String>of() : accept) {
                accepted.add(Acceptance.parse(word));
            }
        } catch (IllegalArgumentException e) {
            throw usage("--accept: " + e.getMessage());
        }
        return fetch(store, wanted, accepted);
    }

    private int fetch(ModelStore store, Set<String> wanted, List<Acceptance> accepted) {
        try {
            Fetcher.Result result = Fetcher.of(store).fetch(wanted, accepted);
            spec.commandLine()
                    .getOut()
                    .println(
                            result.fetched() == 0 && result.linked() == 0
                                    ? "models: nothing to fetch, all is in " + machine.home()
                                    : "models: " + result.fetched() + " files (" + (result.bytes() >> 20)
                                            + " MiB) brought, " + result.linked() + " of the system used, in "
                                            + machine.home());
            return 0;
        } catch (FetchException e) {
            PrintWriter err = spec.commandLine().getErr();
            e.text().lines().forEach(line -> err.println("portal: " + line));
            return e.unavailable() ? UNAVAILABLE : FAILED;
        }
    }

    private ModelStore store(@Nullable String arch) {
        if (arch != null && !arch.equals("x86_64") && !arch.equals("aarch64")) {
            throw usage("--arch is '" + arch + "'; it is x86_64 or aarch64");
        }
        return new ModelStore(arch == null ? machine : machine.preparing(arch), catalogue);
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
