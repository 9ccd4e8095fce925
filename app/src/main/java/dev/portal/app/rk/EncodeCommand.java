package dev.portal.app.rk;

import dev.portal.app.Failure;
import dev.portal.hardware.rk3588.Soc;
import dev.portal.rknpu.MatmulEncoder;
import dev.portal.rknpu.MatmulProgram;
import dev.portal.rknpu.MatmulProgram.Form;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.OutputSpec;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code portal rk encode}: the words of one program, one a line, or exit 1 with the refusal; with {@code --batch} the
 * programs of a file of rows, refusals included.
 */
@Command(
        name = "encode",
        description = "Encodes a matrix product as a register program.",
        mixinStandardHelpOptions = true)
final class EncodeCommand implements Callable<Integer> {
    private static final List<String> COLUMNS =
            List.of("id", "dtype", "out", "M", "K", "N", "sched", "stride", "mult", "shift", "A", "B", "C", "next");

    @Spec
    private CommandSpec spec;

    @Option(names = "--dtype", paramLabel = "TYPE", description = "int8 or fp16")
    private @Nullable String dtype;

    @Option(
            names = "--out",
            paramLabel = "TYPE",
            description = "int32 (int8's default), int8, int16, fp32 (fp16's), fp16")
    private @Nullable String out;

    @Option(names = "--m", description = "rows of A")
    private @Nullable Integer m;

    @Option(names = "--k", description = "columns of A")
    private @Nullable Integer k;

    @Option(names = "--n", description = "columns of B")
    private @Nullable Integer n;

    @Option(names = "--a", paramLabel = "ADDR", description = "IOVA of A, for example 0x1000000")
    private @Nullable String a;

    @Option(names = "--b", paramLabel = "ADDR", description = "IOVA of the packed B")
    private @Nullable String b;

    @Option(names = "--c", paramLabel = "ADDR", description = "IOVA of C")
    private @Nullable String c;

    @Option(names = "--next", paramLabel = "ADDR", description = "IOVA of the next program of a chain")
    private @Nullable String next;

    @Option(names = "--form", defaultValue = "row-major", description = "row-major (default) or native")
    private String form;

    @Option(names = "--schedule", defaultValue = "on", description = "on (default) or off: one feature bank")
    private String schedule;

    @Option(names = "--stride", description = "elements from row to row of C; dense by default")
    private int stride;

    @Option(names = "--mult", description = "multiplier of int8 output")
    private @Nullable Integer multiplier;

    @Option(names = "--shift", description = "right shift of int8 output")
    private @Nullable Integer shift;

    @Option(names = "--batch", paramLabel = "FILE", description = "rows of programs (TSV), - for standard input")
    private @Nullable String batch;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    private final MatmulEncoder encoder = new MatmulEncoder(Soc.RK3588);

    @Override
    public Integer call() throws IOException {
        if (batch != null) {
            encodeBatch(batch);
            return 0;
        }
        long[] words;
        try {
            OutputSpec output = OutputSpec.parse(required("--dtype", dtype), out);
            MatmulProgram program = program(
                    output,
                    new MatmulShape(output.type(), required("--m", m), required("--k", k), required("--n", n)),
                    switched("--schedule", schedule),
                    stride,
                    multiplier,
                    shift);
            words = encode(
                    program,
                    address("--a", required("--a", a)),
                    address("--b", required("--b", b)),
                    address("--c", required("--c", c)),
                    next == null ? MatmulEncoder.TERMINAL : address("--next", next));
        } catch (IllegalArgumentException e) {
            throw new Failure("refused: " + e.getMessage());
        }
        print(words);
        return 0;
    }

    private void print(long[] words) {
        PrintWriter printer = spec.commandLine().getOut();
        if (json) {
            ObjectNode answer = new ObjectMapper().createObjectNode();
            var list = answer.putArray("words");
            for (long word : words) {
                list.add(ProgramText.word(word));
            }
            printer.println(answer);
            return;
        }
        for (long word : words) {
            printer.println(ProgramText.word(word));
        }
    }

    private void encodeBatch(String file) throws IOException {
        PrintWriter printer = spec.commandLine().getOut();
        for (TsvRows.Row row : TsvRows.read(file, COLUMNS)) {
            if (json) {
                printer.println(encodeJson(row));
            } else {
                printer.println(row.id() + "\t" + encodeRow(row));
            }
        }
        printer.flush();
    }

    private String encodeRow(TsvRows.Row row) {
        try {
            return ProgramText.line(words(row));
        } catch (IllegalArgumentException e) {
            return "refused\t" + e.getMessage();
        }
    }

    private ObjectNode encodeJson(TsvRows.Row row) {
        ObjectNode answer = new ObjectMapper().createObjectNode().put("id", row.id());
        try {
            long[] words = words(row);
            var list = answer.putArray("words");
            for (long word : words) {
                list.add(ProgramText.word(word));
            }
        } catch (IllegalArgumentException e) {
            answer.put("refused", e.getMessage());
        }
        return answer;
    }

    private long[] words(TsvRows.Row row) {
        OutputSpec output = OutputSpec.parse(row.get("dtype"), row.find("out").orElse(null));
        MatmulShape shape = new MatmulShape(output.type(), row.integer("M"), row.integer("K"), row.integer("N"));
        boolean requantises = output.type().requantises();
        MatmulProgram program = program(
                output,
                shape,
                row.integer("sched", 1) != 0,
                row.integer("stride", 0),
                requantises && row.find("mult").isPresent() ? Integer.valueOf(row.integer("mult")) : null,
                requantises && row.find("shift").isPresent() ? Integer.valueOf(row.integer("shift")) : null);
        return encode(program, row.address("A", 0), row.address("B", 0), row.address("C", 0), row.address("next", 0));
    }

    private MatmulProgram program(
            OutputSpec output,
            MatmulShape shape,
            boolean scheduled,
            int strideElements,
            @Nullable Integer givenMultiplier,
            @Nullable Integer givenShift) {
        return new MatmulProgram(
                shape,
                parseForm(),
                scheduled,
                strideElements == 0 ? shape.n() : strideElements,
                givenMultiplier == null ? output.multiplier() : givenMultiplier,
                givenShift == null ? output.shift() : givenShift);
    }

    private long[] encode(MatmulProgram program, long addressA, long addressB, long addressC, long addressNext) {
        long[] words = new long[program.form().words()];
        encoder.encode(program, addressA, addressB, addressC, addressNext, MemorySegment.ofArray(words), 0);
        return words;
    }

    private Form parseForm() {
        return switch (form) {
            case "row-major" -> Form.ROW_MAJOR;
            case "native" -> Form.NATIVE;
            default -> throw usage("--form " + form + "; expected row-major or native");
        };
    }

    private boolean switched(String option, String value) {
        return switch (value) {
            case "on" -> true;
            case "off" -> false;
            default -> throw usage(option + " " + value + "; expected on or off");
        };
    }

    private <T> T required(String option, @Nullable T value) {
        if (value == null) {
            throw usage("missing " + option + "; a program needs --dtype --m --k --n --a --b --c, or --batch FILE");
        }
        return value;
    }

    private long address(String option, String value) {
        return Numbers.address(value)
                .orElseThrow(() -> usage(option + " " + value + "; expected an address like 0x1000000"));
    }

    private ParameterException usage(String what) {
        return new ParameterException(spec.commandLine(), what);
    }
}
