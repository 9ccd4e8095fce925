package dev.portal.app.doctor;

import dev.portal.app.models.Machine;
import dev.portal.app.models.ModelStore;
import dev.portal.base.SystemClock;
import dev.portal.kernel.LinuxKernel;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code ./portal doctor}: exit code 0 when all is well, 3 when something that is needed is missing. */
@Command(
        name = "doctor",
        description = "Look at JDK, device nodes, permissions, models; each finding with its fix.",
        mixinStandardHelpOptions = true)
public final class DoctorCommand implements Callable<Integer> {
    private static final int UNAVAILABLE = 3;

    private final Host host;
    private final ModelStore models;
    private final RknpuChecks rknpu;
    private final HexagonChecks hexagon;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    /** Examines this machine. */
    public DoctorCommand() {
        this(
                new RealHost(),
                ModelStore.of(Machine.current()),
                new RknpuChecks(new LinuxKernel(), new SystemClock()),
                new HexagonChecks(new LinuxKernel(), new LinuxKernel(), new SystemClock()));
    }

    DoctorCommand(Host host, ModelStore models, RknpuChecks rknpu, HexagonChecks hexagon) {
        this.host = host;
        this.models = models;
        this.rknpu = rknpu;
        this.hexagon = hexagon;
    }

    @Override
    public Integer call() {
        List<Finding> findings = new Doctor(host, models, rknpu, hexagon).examine();
        PrintWriter out = spec.commandLine().getOut();
        out.print(json ? json(findings) : text(findings));
        out.flush();
        return healthy(findings) ? 0 : UNAVAILABLE;
    }

    private static boolean healthy(List<Finding> findings) {
        return findings.stream().noneMatch(f -> f.level() == Finding.Level.MISSING);
    }

    private static String text(List<Finding> findings) {
        StringBuilder text = new StringBuilder();
        for (Finding finding : findings) {
            text.append(String.format(
                    Locale.ROOT, "%-8s %-9s %s%n", word(finding.level()), finding.topic(), finding.text()));
            if (finding.fix() != null) {
                text.append(String.format(Locale.ROOT, "%-18s fix: %s%n", "", finding.fix()));
            }
        }
        return text.toString();
    }

    private static String json(List<Finding> findings) {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode root = mapper.createObjectNode();
        root.put("healthy", healthy(findings));
        ArrayNode list = root.putArray("findings");
        for (Finding finding : findings) {
            ObjectNode node = list.addObject();
            node.put("level", word(finding.level()));
            node.put("topic", finding.topic());
            node.put("text", finding.text());
            node.put("fix", finding.fix());
        }
        return mapper.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n";
    }

    private static String word(Finding.Level level) {
        return level.name().toLowerCase(Locale.ROOT);
    }
}
