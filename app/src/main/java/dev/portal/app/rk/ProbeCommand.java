package dev.portal.app.rk;

import dev.portal.app.Failure;
import dev.portal.kernel.DeviceException;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code portal rk probe NAME}: one of the seed's experiments on a submission. Prints what was expected and what came;
 * exit 1 when they differ.
 */
@Command(
        name = "probe",
        description = "Repeats one of the seed's experiments; prints what was expected and what came.",
        mixinStandardHelpOptions = true)
final class ProbeCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "NAME",
            description = "static-id, doorbell-id, task-number, steer, halt, extend, spin, fp16-order, fp16-levers,"
                    + " fp16-registers")
    private String name;

    @Option(names = "--device", description = NpuChoice.USAGE)
    private @Nullable String device;

    @Option(
            names = "--profile",
            paramLabel = "PROFILE",
            converter = ProfileConverter.class,
            defaultValue = "halt-sticks",
            description = EmulatedProfile.USAGE)
    private EmulatedProfile profile;

    @Option(
            names = "--redirect",
            description =
                    "on a board, extend and spin need this: they reset the device and may wedge the board until its"
                            + " power is cycled")
    private boolean redirect;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    @Override
    public Integer call() {
        Probe probe = Arrays.stream(Probe.values())
                .filter(p -> p.word().equals(name))
                .findFirst()
                .orElseThrow(() -> new ParameterException(
                        spec.commandLine(),
                        "no probe '" + name + "'; there are "
                                + Arrays.stream(Probe.values()).map(Probe::word).collect(Collectors.joining(", "))));
        Probe.Finding finding;
        String where;
        List<String> log;
        try (NpuChoice npu =
                NpuChoice.open(device, profile.options(), spec.commandLine().getErr())) {
            if (probe.redirects() && !npu.isEmulated() && !redirect) {
                throw new ParameterException(
                        spec.commandLine(),
                        name + " redirects a running chain, which resets the device and may wedge the board; say"
                                + " --redirect if that is what you want");
            }
            where = npu.isEmulated() ? npu.name() + ", " + profile : npu.name();
            int before = npu.log().lines().size();
            finding = probe.run(npu);
            log = npu.log().lines().subList(before, npu.log().lines().size());
        } catch (DeviceException.Unavailable e) {
            throw Failure.notAvailable(String.valueOf(e.getMessage()));
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            printJson(out, finding, where, log);
        } else {
            printText(out, finding, where, log);
        }
        out.flush();
        return finding.asExpected() ? 0 : 1;
    }

    private void printJson(PrintWriter out, Probe.Finding finding, String where, List<String> log) {
        ObjectNode node = new ObjectMapper().createObjectNode();
        node.put("probe", name);
        node.put("device", where);
        strings(node.putArray("expected"), finding.expected());
        strings(node.putArray("came"), finding.came());
        node.put("asExpected", finding.asExpected());
        ObjectNode values = node.putObject("values");
        finding.values().forEach((key, value) -> values.put(key, value));
        strings(node.putArray("seed"), finding.seed());
        strings(node.putArray("log"), log);
        out.println(node);
    }

    private void printText(PrintWriter out, Probe.Finding finding, String where, List<String> log) {
        out.println("probe " + name + " on " + where);
        print(out, "expected", finding.expected());
        print(out, "came", finding.came());
        print(out, "seed", finding.seed());
        print(out, "log", log);
        out.println(finding.asExpected() ? "as expected" : "NOT as expected");
    }

    private static void print(PrintWriter out, String label, List<String> lines) {
        String head = label;
        for (String line : lines) {
            out.println(String.format(Locale.ROOT, "  %-9s %s", head, line));
            head = "";
        }
    }

    private static void strings(ArrayNode node, List<String> lines) {
        lines.forEach(node::add);
    }
}
