package dev.portal.app.rk;

import dev.portal.hardware.rk3588.Precision;
import dev.portal.kernel.DeviceException;
import dev.portal.rknpu.Counters;
import dev.portal.rknpu.Matmul;
import dev.portal.rknpu.ProductCheck;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code portal rk soak}: random products in both types, on one and on three cores, against the processor; int8 in every
 * bit, fp16 by {@link ProductCheck}'s rule. At the end nothing may be left in the device's kernel. Exit 1 when an element
 * was wrong, something leaked, or the device gave up.
 */
@Command(
        name = "soak",
        description = "Runs random products on the NPU and compares each with the CPU.",
        mixinStandardHelpOptions = true)
final class SoakCommand implements Callable<Integer> {
    private static final int MOST_NAMED = 10;

    @Spec
    private CommandSpec spec;

    @Option(names = "--seed", defaultValue = "1", description = "of shapes and values; 1 by default")
    private long seed;

    @Option(names = "--shapes", defaultValue = "200", description = "how many products; 200 by default")
    private int shapes;

    @Option(names = "--first", defaultValue = "0", description = "number of the first product; 0 by default")
    private int first;

    @Option(names = "--max-m", defaultValue = "600", description = "rows of A at most; 600 by default")
    private int maxM;

    @Option(names = "--max-k", defaultValue = "9000", description = "columns of A at most; 9000 by default")
    private int maxK;

    @Option(names = "--max-n", defaultValue = "9000", description = "columns of B at most; 9000 by default")
    private int maxN;

    @Option(names = "--device", description = NpuChoice.USAGE)
    private @Nullable String device;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    /** What was found of one input type. */
    private static final class Tally {
        int products;
        long elements;
        long wrong;
        double worst;

        void add(ProductCheck.Outcome outcome) {
            products++;
            elements += outcome.elements();
            wrong += outcome.wrong();
            worst = Math.max(worst, outcome.worst());
        }
    }

    private final Tally integers = new Tally();
    private final Tally halves = new Tally();
    private final List<String> failures = new ArrayList<>();
    private int failed;
    private long macs;

    @Override
    public Integer call() {
        if (shapes < 1 || first < 0 || first > Integer.MAX_VALUE - shapes || maxM < 1 || maxK < 1 || maxN < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--shapes, --max-m, --max-k and --max-n are at least 1, --first at least 0");
        }
        SoakShapes soak = new SoakShapes(seed, maxM, maxK, maxN);
        PrintWriter notes = spec.commandLine().getErr();
        String name;
        int misuses;
        long recoveries;
        String left;
        Supplier<String> kernel;
        try (NpuChoice npu = NpuChoice.open(device, notes)) {
            name = npu.name();
            if (!json) {
                spec.commandLine().getOut().println("seed " + seed + ", " + shapes + " products on " + name);
                spec.commandLine().getOut().flush();
            }
            try (Matmul one = new Matmul(npu.device(), 1, npu.runner());
                    Matmul three = new Matmul(npu.device(), npu.device().soc().cores(), npu.runner())) {
                for (int number = first; number < first + shapes; number++) {
                    SoakShapes.Product product = soak.product(number);
                    progress(notes, number - first, product);
                    run(number, product, product.cores() == 1 ? one : three);
                }
                progress(notes);
            }
            recoveries = recoveries(npu.device().counters());
            left = ours(npu);
            kernel = npu.left();
            misuses = npu.report().map(report -> report.faults().size()).orElse(0);
        }
        return report(name, misuses, recoveries, left.isEmpty() ? kernel.get() : left);
    }

    private void run(int number, SoakShapes.Product product, Matmul matmul) {
        macs += product.shape().macs();
        try {
            MemorySegment a = product.a();
            MemorySegment b = product.b();
            MemorySegment c = matmul.multiply(product.output(), product.shape(), a, b);
            ProductCheck.Outcome outcome = ProductCheck.compare(product.output(), product.shape(), a, b, c);
            (product.shape().type().input() == Precision.INT8 ? integers : halves).add(outcome);
            if (!outcome.isRight()) {
                fail(
                        number,
                        product,
                        outcome.wrong() + " of " + outcome.elements() + " elements are wrong: " + outcome.first());
            }
        } catch (DeviceException e) {
            fail(number, product, String.valueOf(e.getMessage()));
        }
    }

    private void fail(int number, SoakShapes.Product product, String what) {
        failed++;
        if (failures.size() < MOST_NAMED) {
            failures.add("product " + number + ", " + product.shape() + " on " + product.cores() + " core(s): " + what
                    + "; alone: " + rerun(number, 1));
        }
    }

    private String rerun(int from, int count) {
        StringBuilder line = new StringBuilder("./portal rk soak --seed " + seed + " --shapes " + count);
        append(line, "--first", from, 0);
        append(line, "--max-m", maxM, 600);
        append(line, "--max-k", maxK, 9000);
        append(line, "--max-n", maxN, 9000);
        return line + (device == null ? "" : " --device " + device);
    }

    private static void append(StringBuilder line, String option, int value, int standard) {
        if (value != standard) {
            line.append(' ').append(option).append(' ').append(value);
        }
    }

    private static long recoveries(Counters counters) {
        return counters.get(Counters.Recovery.TRANSIENT)
                + counters.get(Counters.Recovery.LOST_DISPATCH)
                + counters.get(Counters.Recovery.RESET);
    }

    /** What our own side still holds; on silicon there is no other to ask. */
    private static String ours(NpuChoice npu) {
        return npu.device().openBuffers() == 0 && npu.device().allocatedBytes() == 0
                ? ""
                : npu.device().openBuffers() + " buffers of " + npu.device().allocatedBytes() + " bytes";
    }

    private int report(String name, int misuses, long recoveries, String left) {
        boolean good = failed == 0 && left.isEmpty() && misuses == 0;
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            ObjectNode node = new ObjectMapper().createObjectNode();
            node.put("seed", seed).put("shapes", shapes).put("device", name).put("macs", macs);
            tally(node.putObject("int8"), integers);
            tally(node.putObject("fp16"), halves).put("worst", halves.worst);
            node.put("failed", failed).put("recoveries", recoveries).put("misuses", misuses);
            node.put("leaked", left);
            failures.forEach(node.putArray("failures")::add);
            node.put("rerun", rerun(first, shapes)).put("ok", good);
            out.println(node);
        } else {
            out.printf(
                    Locale.ROOT,
                    "int8 %6d products, %d of %d elements wrong (every bit)%n",
                    integers.products,
                    integers.wrong,
                    integers.elements);
            out.printf(
                    Locale.ROOT,
                    "fp16 %6d products, %d of %d elements wrong (exact where sums are, else within"
                            + " K x 2^-24 x sum|ab|; worst %.3f of that)%n",
                    halves.products,
                    halves.wrong,
                    halves.elements,
                    halves.worst);
            failures.forEach(out::println);
            if (failed > failures.size()) {
                out.println("and " + (failed - failures.size()) + " more products");
            }
            out.println(left.isEmpty() ? "nothing leaked" : "leaked: " + left);
            if (misuses > 0) {
                out.println("the emulated chip reports misuse " + misuses + " times");
            }
            out.println(recoveries + " recoveries; rerun: " + rerun(first, shapes));
        }
        out.flush();
        return good ? 0 : 1;
    }

    private static ObjectNode tally(ObjectNode node, Tally tally) {
        return node.put("products", tally.products)
                .put("elements", tally.elements)
                .put("wrong", tally.wrong);
    }

    private void progress(PrintWriter notes, int done, SoakShapes.Product product) {
        if (Boolean.getBoolean("portal.terminal")) {
            notes.print("\r\033[K[" + (done + 1) + "/" + shapes + "] " + product.shape() + " on " + product.cores()
                    + (failed == 0 ? "" : ", " + failed + " wrong so far"));
            notes.flush();
        }
    }

    private static void progress(PrintWriter notes) {
        if (Boolean.getBoolean("portal.terminal")) {
            notes.print("\r\033[K");
            notes.flush();
        }
    }
}
