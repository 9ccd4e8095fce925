package dev.portal.app.rk;

import dev.portal.app.Failure;
import dev.portal.emulator.rk3588.TimingReport;
import dev.portal.emulator.rk3588.TimingReport.Kind;
import dev.portal.emulator.rk3588.TimingReport.Row;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code portal rk timing}: the emulator's timing model beside durations measured on boards, the rows that its parameters were
 * fitted to apart from those that it predicts, each group with its error. The measurements are not part of the repository.
 */
@Command(
        name = "timing",
        description = "Compares the emulator's timing model with durations measured on boards.",
        mixinStandardHelpOptions = true)
final class TimingCommand implements Callable<Integer> {
    private static final List<String> LEVELS = List.of("hw", "wall");

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--evidence",
            paramLabel = "FOLDER",
            description =
                    "with timing.tsv and timing_model.tsv; ../shared/golden/silicon beside the checkout by default")
    private @Nullable Path evidence;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        Path folder = evidence == null
                ? Path.of(System.getProperty("portal.root", ""))
                        .toAbsolutePath()
                        .normalize()
                        .resolveSibling("shared/golden/silicon")
                : evidence;
        if (!Files.isReadable(folder.resolve("timing.tsv"))) {
            throw Failure.notAvailable("the measurements of boards are not here: " + folder
                    + " has no timing.tsv; they are not part of this repository, point --evidence at their folder");
        }
        TimingReport report = TimingReport.of(
                Files.readAllLines(folder.resolve("timing.tsv")),
                Files.readAllLines(folder.resolve("timing_model.tsv")));
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(json(report));
        } else {
            for (Kind kind : Kind.values()) {
                for (String level : LEVELS) {
                    print(out, report, kind, level);
                }
            }
            out.println(report.notComparable() + " other rows: other operations and types, spans, or a library's host"
                    + " work in them");
        }
        out.flush();
        return 0;
    }

    private static List<Row> rows(TimingReport report, Kind kind, String level) {
        return report.rows(row -> row.kind() == kind && row.level().equals(level));
    }

    private static void print(PrintWriter out, TimingReport report, Kind kind, String level) {
        List<Row> rows = rows(report, kind, level);
        if (rows.isEmpty()) {
            return;
        }
        out.printf(
                Locale.ROOT,
                "%s, %s: %d rows, typical factor %.2f, worst %.2f%n",
                word(kind),
                level.equals("hw") ? "commit to interrupt" : "around one blocking call",
                rows.size(),
                TimingReport.typical(rows),
                TimingReport.worst(rows));
        for (Row row : rows) {
            out.printf(
                    Locale.ROOT,
                    "  %-36s silicon %10.1f us  model %10.1f us  %5.2f%n",
                    row.name(),
                    row.measuredMicros(),
                    row.modelMicros(),
                    row.factor());
        }
    }

    private static String word(Kind kind) {
        return switch (kind) {
            case FITTED -> "fitted";
            case PREDICTED -> "predicted";
            case OUTSIDE -> "outside the model (clock parked when idle, cold run)";
        };
    }

    private static ObjectNode json(TimingReport report) {
        ObjectNode node = new ObjectMapper().createObjectNode();
        for (Kind kind : Kind.values()) {
            ObjectNode group = node.putObject(kind.name().toLowerCase(Locale.ROOT));
            for (String level : LEVELS) {
                List<Row> rows = rows(report, kind, level);
                ObjectNode at = group.putObject(level);
                at.put("typical", TimingReport.typical(rows)).put("worst", TimingReport.worst(rows));
                var list = at.putArray("rows");
                rows.forEach(row -> list.addObject()
                        .put("name", row.name())
                        .put("silicon_us", row.measuredMicros())
                        .put("model_us", row.modelMicros()));
            }
        }
        return node.put("not_comparable", report.notComparable());
    }
}
