package dev.portal.app.rk;

import dev.portal.hardware.rk3588.ProgramChecker;
import dev.portal.hardware.rk3588.ProgramChecker.Problem;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code portal rk check}: strict validation of a program; exit 1 with each reason and the index of its word. With {@code
 * --batch} one row an answer: {@code id ok}, or {@code id fault reason}; exit 1 when any row has a fault.
 */
@Command(
        name = "check",
        description = "Checks a matrix-product program for all that the chip does not forgive.",
        mixinStandardHelpOptions = true)
final class CheckCommand implements Callable<Integer> {
    private static final List<String> COLUMNS = List.of(
            "id", "dtype", "out", "M", "K", "N", "sched", "stride", "mult", "shift", "A", "B", "C", "next", "words");

    @Spec
    private CommandSpec spec;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "FILE",
            description = "words of 16 hexadecimal digits; - for standard input")
    private @Nullable String file;

    @Option(names = "--batch", paramLabel = "FILE", description = "rows with an id and words (TSV)")
    private @Nullable String batch;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (batch != null) {
            return checkBatch(batch);
        }
        if (file == null) {
            throw new ParameterException(spec.commandLine(), "missing FILE; - reads standard input");
        }
        List<Problem> problems = ProgramChecker.check(ProgramText.parse(TsvRows.text(file), file));
        PrintWriter printer = spec.commandLine().getOut();
        if (json) {
            printer.println(json(problems));
        } else if (problems.isEmpty()) {
            printer.println("ok");
        } else {
            problems.forEach(printer::println);
        }
        printer.flush();
        return problems.isEmpty() ? 0 : 1;
    }

    private static ObjectNode json(List<Problem> problems) {
        ObjectNode answer = new ObjectMapper().createObjectNode().put("ok", problems.isEmpty());
        var list = answer.putArray("problems");
        problems.forEach(
                problem -> list.addObject().put("index", problem.index()).put("reason", problem.reason()));
        return answer;
    }

    private int checkBatch(String rows) throws IOException {
        PrintWriter printer = spec.commandLine().getOut();
        int faults = 0;
        for (TsvRows.Row row : TsvRows.read(rows, COLUMNS)) {
            if (row.find("words").isEmpty()) {
                continue;
            }
            List<Problem> problems = ProgramChecker.check(ProgramText.parse(row.get("words"), row.id()));
            faults += problems.isEmpty() ? 0 : 1;
            if (json) {
                printer.println(json(problems).put("id", row.id()));
            } else {
                printer.println(row.id() + "\t" + (problems.isEmpty() ? "ok" : "fault\t" + problems.getFirst()));
            }
        }
        printer.flush();
        return faults == 0 ? 0 : 1;
    }
}
