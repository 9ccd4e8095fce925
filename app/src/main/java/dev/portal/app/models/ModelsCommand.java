package dev.portal.app.models;

import java.io.IOException;
import java.io.PrintWriter;
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

    private final Machine machine;

    @Spec
    private CommandSpec spec;

    /** For this machine. */
    public ModelsCommand() {
        this(Machine.current());
    }

    ModelsCommand(Machine machine) {
        this.machine = machine;
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
            @Option(names = "--json", description = "Print JSON.") boolean json,
            @Option(names = "--verify", description = "Read every file and compare its checksum.") boolean verify)
            throws IOException {
        ModelList list = ModelList.of(ModelStore.of(machine), verify);
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
                    List<String> ids) {
        ModelStore store = ModelStore.of(machine);
        Set<String> wanted = ids == null ? Set.of() : new LinkedHashSet<>(ids);
        for (String id : wanted) {
            if (!store.catalogue().ids().contains(id)) {
                throw new ParameterException(
                        spec.commandLine(),
                        "no entry '" + id + "'; there are "
                                + String.join(", ", store.catalogue().ids()));
            }
        }
        try {
            Fetcher.Result result = Fetcher.of(store).fetch(wanted);
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
}
