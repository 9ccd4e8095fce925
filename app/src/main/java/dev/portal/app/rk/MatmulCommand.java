package dev.portal.app.rk;

import dev.portal.app.Failure;
import dev.portal.kernel.DeviceException;
import dev.portal.rknpu.CpuReference;
import dev.portal.rknpu.Fnv1a64;
import dev.portal.rknpu.Matmul;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.OutputSpec;
import dev.portal.rknpu.PatternInputs;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code portal rk matmul}: a product of the pattern inputs through our own encoder and the driver, compared with the
 * processor; prints fingerprint and mismatches, exit 1 when there are any. With {@code --batch}, rows of products, each
 * answered by its fingerprint or the fault.
 */
@Command(
        name = "matmul",
        description = "Computes a matrix product on the NPU, compares it with the CPU, prints its fingerprint.",
        mixinStandardHelpOptions = true)
final class MatmulCommand implements Callable<Integer> {
    private static final List<String> COLUMNS = List.of("dtype", "M", "K", "N", "out");

    private static final long MAX_BYTES = 1L << 30;
    private static final String TOO_LARGE = "not enough memory for the operands and their copies in the NPU's memory;"
            + " PORTAL_JAVA_OPTS=-Xmx8g gives more, or split the product";

    @Spec
    private CommandSpec spec;

    @Option(names = "--dtype", paramLabel = "TYPE", description = "int8 or fp16")
    private @Nullable String dtype;

    @Option(
            names = "--out",
            paramLabel = "TYPE",
            description = "int32 (int8's default), int8:mult=…,shift=…,half-even, int16, fp32 (fp16's), fp16")
    private @Nullable String out;

    @Option(names = "--m", description = "rows of A")
    private @Nullable Integer m;

    @Option(names = "--k", description = "columns of A")
    private @Nullable Integer k;

    @Option(names = "--n", description = "columns of B")
    private @Nullable Integer n;

    @Option(
            names = "--pattern",
            description = "operands of the golden results; there are no others, and this is the default")
    @SuppressWarnings("UnusedVariable") // Taken for the sake of the command line that is documented.
    private boolean pattern;

    @Option(names = "--cores", defaultValue = "1", description = "1 (default) to 3")
    private int cores;

    @Option(names = "--device", description = NpuChoice.USAGE)
    private @Nullable String device;

    @Option(names = "--batch", paramLabel = "FILE", description = "rows of dtype M K N out (TSV), - for standard input")
    private @Nullable String batch;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (cores < 1 || cores > 3) {
            throw new ParameterException(spec.commandLine(), "--cores is 1 to 3, not " + cores);
        }
        PrintWriter printer = spec.commandLine().getOut();
        List<TsvRows.Row> rows = batch == null ? List.of() : TsvRows.read(batch, COLUMNS);
        if (batch == null) {
            required("--dtype", dtype);
            required("--m", m);
            required("--k", k);
            required("--n", n);
        }
        try (NpuChoice npu = NpuChoice.open(device, spec.commandLine().getErr());
                Matmul matmul = new Matmul(npu.device(), cores, npu.runner())) {
            if (batch == null) {
                return single(npu.name(), matmul, printer);
            }
            for (TsvRows.Row row : rows) {
                printer.println(answer(row, matmul));
                printer.flush();
            }
            return 0;
        } catch (OutOfMemoryError e) {
            throw new Failure(TOO_LARGE);
        }
    }

    private int single(String npu, Matmul matmul, PrintWriter printer) {
        OutputSpec output;
        MatmulShape shape;
        try {
            output = OutputSpec.parse(required("--dtype", dtype), out);
            shape = new MatmulShape(output.type(), required("--m", m), required("--k", k), required("--n", n));
            checkSize(shape);
        } catch (IllegalArgumentException e) {
            throw new Failure("refused: " + e.getMessage());
        }
        MemorySegment a = PatternInputs.a(shape);
        MemorySegment b = PatternInputs.b(shape);
        MemorySegment c = matmul.multiply(output, shape, a, b);
        long mismatches = mismatches(
                c, CpuReference.multiply(output, shape, a, b), shape.type().outputBytes());
        String fingerprint = Fnv1a64.hex(Fnv1a64.of(c));
        if (json) {
            ObjectNode node = new ObjectMapper().createObjectNode();
            node.put("fnv1a64", fingerprint);
            node.put("mismatches", mismatches);
            node.put("device", npu);
            printer.println(node);
        } else {
            printer.println("fnv1a64=" + fingerprint + " mismatches=" + mismatches);
        }
        printer.flush();
        return mismatches == 0 ? 0 : 1;
    }

    private static long mismatches(MemorySegment c, MemorySegment expected, int elementBytes) {
        long count = 0;
        for (long at = 0; at < c.byteSize(); at += elementBytes) {
            if (c.asSlice(at, elementBytes).mismatch(expected.asSlice(at, elementBytes)) >= 0) {
                count++;
            }
        }
        return count;
    }

    /** A row's own columns, then the fingerprint, or {@code fault} and the reason. */
    private String answer(TsvRows.Row row, Matmul matmul) {
        String result = "";
        String fault = "";
        try {
            OutputSpec output =
                    OutputSpec.parse(row.get("dtype"), row.find("out").orElse(null));
            MatmulShape shape = new MatmulShape(output.type(), row.integer("M"), row.integer("K"), row.integer("N"));
            checkSize(shape);
            MemorySegment c = matmul.multiply(output, shape, PatternInputs.a(shape), PatternInputs.b(shape));
            result = Fnv1a64.hex(Fnv1a64.of(c));
        } catch (IllegalArgumentException | DeviceException e) {
            fault = String.valueOf(e.getMessage()).replaceAll("\\s+", " ");
        } catch (OutOfMemoryError e) {
            fault = TOO_LARGE;
        }
        if (json) {
            ObjectNode node = new ObjectMapper().createObjectNode();
            COLUMNS.forEach(column -> node.put(column, row.find(column).orElse("")));
            return (fault.isEmpty() ? node.put("fnv1a64", result) : node.put("fault", fault)).toString();
        }
        String key = COLUMNS.stream().map(column -> row.find(column).orElse("")).collect(Collectors.joining("\t"));
        return key + "\t" + (fault.isEmpty() ? result : "fault\t" + fault);
    }

    /** Operands and result are arrays here; what one cannot hold is refused before it is made. */
    private static void checkSize(MatmulShape shape) {
        double most = Math.max(
                bytes(shape.m(), shape.k(), shape.type().inputBytes()),
                Math.max(
                        bytes(shape.k(), shape.n(), shape.type().inputBytes()),
                        bytes(shape.m(), shape.n(), shape.type().outputBytes())));
        if (most > MAX_BYTES) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "%s has an operand or result of %.0f bytes; this command takes %d at most, so split M, K or N",
                    shape,
                    most,
                    MAX_BYTES));
        }
    }

    /** Without overflow. */
    private static double bytes(int rows, int columns, int elementBytes) {
        return (double) rows * columns * elementBytes;
    }

    private <T> T required(String name, @Nullable T value) {
        if (value == null) {
            throw new ParameterException(spec.commandLine(), "give " + name + ", or --batch with a file of rows");
        }
        return value;
    }
}
