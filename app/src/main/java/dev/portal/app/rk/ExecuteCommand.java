package dev.portal.app.rk;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code ./portal rk execute}: given words on the emulated chip.
 *
 * <p>One program: prints {@code fnv1a64=…}, or the fault, with exit code 1. A batch: a row in (columns of the golden
 * files, words last) gives a row out: {@code id}, fingerprint; or {@code id}, {@code fault}, reason.
 */
@Command(
        name = "execute",
        description = "Run given program words on the emulated RK3588, with pattern inputs packed in a form.",
        mixinStandardHelpOptions = true)
public final class ExecuteCommand implements Callable<Integer> {
    private static final Pattern WORDS = Pattern.compile("[0-9a-fA-F]{16}(\\s+[0-9a-fA-F]{16})*");
    private static final List<String> MODELLED = List.of("int8", "fp16");

    @ArgGroup(multiplicity = "1")
    private Source source = new Source();

    @Option(
            names = "--form",
            paramLabel = "FORM",
            defaultValue = "row-major",
            description = "how A and C lie in memory: row-major (default) or native")
    private String form = "row-major";

    @Option(names = "--json", description = "Print JSON, one object a program.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    /** Where the words come from. */
    static final class Source {
        @Parameters(paramLabel = "FILE", description = "program words, 16 hex digits each; - reads standard input")
        @Nullable
        String file;

        @Option(names = "--batch", paramLabel = "FILE", description = "rows of a golden file, words last")
        @Nullable
        String batch;
    }

    @Override
    public Integer call() throws IOException {
        OperandForm operands = switch (form) {
            case "row-major" -> OperandForm.ROW_MAJOR;
            case "native" -> OperandForm.NATIVE;
            default -> throw new ParameterException(spec.commandLine(), "--form is row-major or native, not " + form);
        };
        PrintWriter out = spec.commandLine().getOut();
        if (source.batch != null) {
            TsvRows.text(source.batch)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .forEach(line -> {
                        String[] columns = line.split("\t", -1);
                        print(out, columns[0], answer(columns, operands));
                    });
            out.flush();
            return 0;
        }
        String file = String.valueOf(source.file);
        GivenProgram.Answer answer = GivenProgram.run(ProgramText.parse(TsvRows.text(file), file), operands);
        answer.diagnostics().forEach(found -> spec.commandLine().getErr().println(found));
        print(out, "", answer);
        out.flush();
        return answer.failed() ? 1 : 0;
    }

    /**
     * The words are the longest column that holds words: one of a single word may be a fingerprint. A row without them was
     * refused by its generator.
     */
    private static GivenProgram.Answer answer(String[] columns, OperandForm operands) {
        String words = "";
        for (int i = 1; i < columns.length; i++) {
            String column = columns[i].strip();
            if (column.length() > words.length() && WORDS.matcher(column).matches()) {
                words = column;
            }
        }
        if (!words.isEmpty()) {
            return GivenProgram.run(ProgramText.parse(words, columns[0]), operands);
        }
        boolean matmul = columns.length > 1 && MODELLED.contains(columns[1]);
        return new GivenProgram.Answer("", matmul ? "no words" : "unsupported", List.of());
    }

    private void print(PrintWriter out, String id, GivenProgram.Answer answer) {
        if (json) {
            ObjectNode node = new ObjectMapper().createObjectNode();
            if (!id.isEmpty()) {
                node.put("id", id);
            }
            if (answer.failed()) {
                node.put("fault", answer.fault());
            } else {
                node.put("fnv1a64", answer.fingerprint());
            }
            out.println(node);
        } else if (id.isEmpty()) {
            out.println(answer.failed() ? "fault " + answer.fault() : "fnv1a64=" + answer.fingerprint());
        } else {
            out.println(id + "\t" + (answer.failed() ? "fault\t" + answer.fault() : answer.fingerprint()));
        }
    }
}
