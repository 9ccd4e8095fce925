package dev.portal.app.rk;

import dev.portal.app.Failure;
import dev.portal.kernel.DeviceException;
import dev.portal.rknpu.Chain;
import dev.portal.rknpu.ChainOptions;
import dev.portal.rknpu.Counters;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.ProgramRefusedException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code portal rk chain}: runs a chain of products of the pattern inputs and says which outputs were computed and which
 * of them are right. Exit 1 when one that was computed is wrong, or one that should have been computed was not.
 */
@Command(
        name = "chain",
        description = "Runs a chain of products without waiting for each; can halt it on the way.",
        mixinStandardHelpOptions = true)
final class ChainCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--steps", required = true, paramLabel = "S", description = "products, 1 to 1024")
    private int steps;

    @Option(names = "--halt", paramLabel = "H", description = "end the chain after step H; one core only")
    private @Nullable Integer halt;

    @Option(
            names = "--after",
            paramLabel = "P",
            defaultValue = "-1",
            description = "halt when step P is done; without it at once")
    private int after;

    @Option(names = "--cores", defaultValue = "1", description = "1 (default) to 3")
    private int cores;

    @Option(names = "--dtype", paramLabel = "TYPE", defaultValue = "int8", description = "int8 (default) or fp16")
    private String dtype;

    @Option(names = "--async-fp16", description = "run fp16 without waiting, which is not reliable on boards")
    private boolean asynchronousHalf;

    @Option(names = "--m", defaultValue = "1", description = "rows of A, 1 (default)")
    private int m;

    @Option(names = "--k", defaultValue = "512", description = "columns of A, 512 (default)")
    private int k;

    @Option(names = "--n", defaultValue = "512", description = "columns of B, 512 (default)")
    private int n;

    @Option(names = "--device", description = NpuChoice.USAGE)
    private @Nullable String device;

    @Option(
            names = "--profile",
            paramLabel = "PROFILE",
            converter = ProfileConverter.class,
            defaultValue = "halt-sticks",
            description = EmulatedProfile.USAGE)
    private EmulatedProfile profile;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    /** What came out of it. */
    private record Outcome(
            int ended,
            @Nullable Integer haltedAfter,
            List<Integer> computed,
            List<Integer> correct,
            List<Integer> untouched,
            List<String> diagnoses,
            Map<String, Long> counters,
            long nanos,
            boolean emulated) {
        long resets() {
            return counters.getOrDefault("reset", 0L);
        }
    }

    @Override
    public Integer call() {
        check();
        Outcome outcome;
        try {
            outcome = run();
        } catch (ProgramRefusedException e) {
            throw new Failure("refused: " + e.getMessage());
        } catch (DeviceException.Unavailable e) {
            throw Failure.notAvailable(String.valueOf(e.getMessage()));
        }
        print(outcome, spec.commandLine().getOut());
        boolean allRight = outcome.computed().equals(outcome.correct());
        boolean enough = halt != null || outcome.computed().size() == steps;
        return allRight
                        && enough
                        && outcome.untouched().size()
                                == steps - outcome.computed().size()
                ? 0
                : 1;
    }

    private void check() {
        if (steps < 1 || steps > Chain.MAX_STEPS) {
            throw usage("--steps is 1 to " + Chain.MAX_STEPS + ", not " + steps);
        }
        if (cores < 1 || cores > 3) {
            throw usage("--cores is 1 to 3, not " + cores);
        }
        if (!dtype.equals("int8") && !dtype.equals("fp16")) {
            throw usage("--dtype is int8 or fp16, not " + dtype);
        }
        if (m < 1 || k < 1 || n < 1) {
            throw usage("--m, --k and --n are at least 1");
        }
        Integer at = halt;
        if (at != null) {
            if (at < 0 || at >= steps) {
                throw usage("--halt is a step of the chain, 0 to " + (steps - 1) + ", not " + at);
            }
            if (cores != 1) {
                throw usage("--halt needs one core: several are at different steps");
            }
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private Outcome run() {
        MatmulType type = dtype.equals("int8") ? MatmulType.INT8_INT32 : MatmulType.FP16_FP32;
        MatmulShape shape = new MatmulShape(type, m, k, n);
        ChainOptions options = ChainOptions.DEFAULT.withCores(cores).withAsynchronousHalf(asynchronousHalf);
        try (NpuChoice npu = NpuChoice.open(
                        device, profile.options(), spec.commandLine().getErr());
                PatternChain pattern = new PatternChain(npu.device(), steps, shape)) {
            long start = npu.clock().nanos();
            Integer haltedAfter = null;
            int ended;
            long nanos;
            try (Chain chain = npu.device().begin(pattern.steps(), options)) {
                if (halt != null) {
                    while (chain.progress() < Math.min(after, steps - 1)) {
                        npu.clock().spin();
                    }
                    haltedAfter = chain.halt(halt);
                }
                ended = chain.end();
                nanos = npu.clock().nanos() - start;
            }
            return new Outcome(
                    ended,
                    haltedAfter,
                    which(pattern::isComputed),
                    which(step -> pattern.isComputed(step) && pattern.isCorrect(step)),
                    which(pattern::isUntouched),
                    diagnoses(pattern),
                    counters(npu.device().counters()),
                    nanos,
                    npu.isEmulated());
        }
    }

    /** What had to be put right, by name. */
    private static Map<String, Long> counters(Counters counters) {
        Map<String, Long> named = new LinkedHashMap<>();
        for (Counters.Recovery recovery : Counters.Recovery.values()) {
            named.put(recovery.name().toLowerCase(Locale.ROOT), counters.get(recovery));
        }
        return named;
    }

    /** Of fp16 steps that are wrong. */
    private List<String> diagnoses(PatternChain pattern) {
        if (dtype.equals("int8")) {
            return List.of();
        }
        return IntStream.range(0, steps)
                .filter(step -> pattern.isComputed(step) && !pattern.isCorrect(step))
                .mapToObj(step -> "step " + step + ": " + pattern.diagnose(step))
                .toList();
    }

    private List<Integer> which(IntPredicate predicate) {
        return IntStream.range(0, steps).filter(predicate).boxed().toList();
    }

    private void print(Outcome outcome, PrintWriter printer) {
        if (json) {
            ObjectNode node = new ObjectMapper().createObjectNode();
            node.put("steps", steps);
            node.put("cores", cores);
            if (halt != null) {
                node.put("halt", halt);
                node.put("haltedAfter", outcome.haltedAfter());
            }
            node.put("ended", outcome.ended());
            list(node.putArray("computed"), outcome.computed());
            list(node.putArray("correct"), outcome.correct());
            list(node.putArray("untouched"), outcome.untouched());
            ArrayNode diagnoses = node.putArray("diagnoses");
            outcome.diagnoses().forEach(diagnoses::add);
            node.put("resets", outcome.resets());
            ObjectNode counters = node.putObject("counters");
            outcome.counters().forEach((name, value) -> counters.put(name, value));
            node.put("nanos", outcome.nanos());
            node.put("clock", outcome.emulated() ? "model" : "host");
            node.put("device", outcome.emulated() ? "emulated, " + profile : String.valueOf(device));
            printer.println(node);
        } else {
            printer.println("computed  " + ranges(outcome.computed()));
            printer.println("correct   " + ranges(outcome.correct()));
            printer.println("untouched " + ranges(outcome.untouched()));
            outcome.diagnoses().forEach(printer::println);
            if (halt != null) {
                printer.println("halt asked for after step " + halt + ", made after step " + outcome.haltedAfter()
                        + "; resets: " + outcome.resets());
            }
            printer.printf("%.1f us (%s)%n", outcome.nanos() / 1e3, outcome.emulated() ? "model, " + profile : "host");
        }
        printer.flush();
    }

    private static void list(ArrayNode node, List<Integer> values) {
        values.forEach(node::add);
    }

    /** {@code 0-8, 12}. */
    static String ranges(List<Integer> values) {
        StringBuilder text = new StringBuilder();
        int i = 0;
        while (i < values.size()) {
            int from = values.get(i);
            int to = from;
            while (i + 1 < values.size() && values.get(i + 1) == to + 1) {
                to++;
                i++;
            }
            i++;
            text.append(text.isEmpty() ? "" : ", ").append(from == to ? "" + from : from + "-" + to);
        }
        return text.isEmpty() ? "none" : text.toString();
    }
}
