package dev.portal.verification.bench;

import dev.portal.scheduler.SchedulerOptions.Reservation;
import dev.portal.verification.bench.LlmLoad.Bound;
import dev.portal.verification.bench.LlmLoad.Model;
import dev.portal.verification.bench.LlmLoad.Result;
import dev.portal.verification.bench.LlmLoad.Setting;
import dev.portal.verification.bench.LlmLoad.Speech;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Speech and the language model beside each other, on the emulator's clock: {@code ./portal bench llm-load [--millis N] [--seed
 * N] [--json]}. {@link LlmLoad} says what the load is.
 *
 * <p>Exit 1 when something took longer than the bound that the arbiter publishes for it.
 */
public final class LlmLoadBench {
    /** What {@code demo} and {@code chat} set where lanes share a token. */
    static final Reservation SHARE = new Reservation(250_000_000, 20_000_000);

    /** Two of 24 layers and a twelfth of the vocabulary, so that a second of the model takes seconds of the host. */
    static final Model QWEN = new Model(LlmNpuBench.SHAPES.getFirst(), 2, 12_672);

    private LlmLoadBench() {}

    /** A setting with its name, and those that it is compared with. */
    private record Row(
            String name,
            Setting setting,
            @Nullable Setting speechAlone,
            @Nullable Setting modelAlone) {}

    /** Runs all and prints the tables; exit 1 when a bound is broken. */
    public static void main(String[] args) {
        List<String> given = Arrays.asList(args);
        long nanos = option(given, "--millis", 1000) * 1_000_000;
        long seed = option(given, "--seed", 1);
        Map<Row, Result> results = run(QWEN, nanos, seed);
        boolean kept =
                results.values().stream().flatMap(r -> r.bounds().stream()).allMatch(Bound::isKept);
        if (given.contains("--json")) {
            printJson(results, nanos, seed, kept);
        } else {
            printText(results, nanos, seed, kept);
        }
        if (!kept) {
            System.exit(1);
        }
    }

    private static long option(List<String> args, String name, long standard) {
        int at = args.indexOf(name);
        return at < 0 ? standard : Long.parseLong(args.get(at + 1));
    }

    private static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        for (boolean retires : new boolean[] {false, true}) {
            String how = retires ? ", halt" : ", drain";
            Setting speech = new Setting(3, 1, retires, false, Speech.TURN, null);
            rows.add(new Row("speech alone" + how, speech, null, null));
            for (int cores : new int[] {1, 3}) {
                String on = cores == 1 ? ", 1 core" : ", 3 cores";
                Setting model = new Setting(3, cores, retires, true, Speech.NONE, null);
                rows.add(new Row("LLM alone" + on + how, model, null, null));
                rows.add(new Row(
                        "both" + on + how, new Setting(3, cores, retires, true, Speech.TURN, null), speech, model));
            }
            Setting oneSpeech = new Setting(1, 1, retires, false, Speech.TURN, null);
            Setting oneModel = new Setting(1, 1, retires, true, Speech.NONE, null);
            rows.add(new Row("one token: speech alone" + how, oneSpeech, null, null));
            rows.add(new Row("one token: LLM alone" + how, oneModel, null, null));
            rows.add(new Row(
                    "one token: both" + how, new Setting(1, 1, retires, true, Speech.TURN, null), oneSpeech, oneModel));
            Setting endless = new Setting(1, 1, retires, false, Speech.CONTINUOUS, null);
            rows.add(new Row("one token: endless speech" + how, endless, null, null));
            rows.add(new Row(
                    "one token: both, endless" + how,
                    new Setting(1, 1, retires, true, Speech.CONTINUOUS, null),
                    endless,
                    oneModel));
            rows.add(new Row(
                    "one token: both, reserved" + how,
                    new Setting(1, 1, retires, true, Speech.CONTINUOUS, SHARE),
                    endless,
                    oneModel));
        }
        return rows;
    }

    private static Map<Row, Result> run(Model model, long nanos, long seed) {
        Map<Row, Result> results = new LinkedHashMap<>();
        rows().forEach(row -> results.put(row, LlmLoad.run(model, row.setting(), nanos, seed)));
        return results;
    }

    private static Result of(Map<Row, Result> results, Setting setting) {
        return results.values().stream()
                .filter(result -> result.setting().equals(setting))
                .findFirst()
                .orElseThrow();
    }

    // Text.

    private static void printText(Map<Row, Result> results, long nanos, long seed, boolean kept) {
        System.out.printf(
                Locale.ROOT,
                "llm-load: a spoken turn beside %s (%d of %d layers, tokens/s of the whole), %d ms, seed %d; all times model%n",
                QWEN.shape().name(),
                QWEN.layers(),
                QWEN.shape().layers(),
                nanos / 1_000_000,
                seed);
        System.out.println("                                    STT waits, us      STT window, us           windows/s"
                + "   LLM tok/s  of alone   pause ms  loans");
        System.out.println("                                    p99     worst      p99     worst  of alone");
        results.forEach((row, result) -> System.out.println(line(results, row, result, nanos)));
        System.out.printf(
                Locale.ROOT,
                "  reserved: after %d ms without the device the LLM has a turn of %d ms; without it the bound is the"
                        + " starvation bound's 30 s%n",
                SHARE.everyNanos() / 1_000_000,
                SHARE.quantumNanos() / 1_000_000);
        System.out.println("  seen beside the published bounds, us:");
        for (Bound bound : worst(results)) {
            System.out.printf(
                    Locale.ROOT,
                    "    %-72s %10.1f of %10.1f%s%n",
                    bound.name(),
                    bound.seenNanos() / 1e3,
                    bound.boundNanos() / 1e3,
                    bound.isKept() ? "" : "  BROKEN");
        }
        System.out.println(kept ? "  every bound is kept" : "  a bound is BROKEN");
    }

    private static String line(Map<Row, Result> results, Row row, Result result, long nanos) {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "  %-32s", row.name()));
        if (row.setting().speech() == Speech.NONE) {
            line.append(" ".repeat(58));
        } else {
            line.append(String.format(
                    Locale.ROOT,
                    "%7.1f %9.1f %8.1f %9.1f %9s %10.1f",
                    Result.high(result.sttWaits()) / 1e3,
                    Result.worst(result.sttWaits()) / 1e3,
                    Result.high(result.sttResponses()) / 1e3,
                    Result.worst(result.sttResponses()) / 1e3,
                    row.speechAlone() == null
                            ? ""
                            : ratio((double) Result.worst(result.sttResponses()), (double)
                                    Result.worst(of(results, row.speechAlone()).sttResponses())),
                    result.windowsPerSecond(nanos)));
        }
        if (row.setting().answers()) {
            line.append(String.format(
                    Locale.ROOT,
                    " %11.2f %9s %10.1f %6d",
                    result.tokensPerSecond(),
                    row.modelAlone() == null
                            ? ""
                            : ratio(
                                    result.tokensPerSecond(),
                                    of(results, row.modelAlone()).tokensPerSecond()),
                    result.pauseNanos() / 1e6,
                    result.loans()));
        }
        return line.toString().stripTrailing();
    }

    private static String ratio(double one, double other) {
        return String.format(Locale.ROOT, "%.2f", one / other);
    }

    /** Of each promise the run in which it was nearest to its bound. */
    private static List<Bound> worst(Map<Row, Result> results) {
        Map<String, Bound> worst = new LinkedHashMap<>();
        for (Result result : results.values()) {
            String where = result.setting().tokens() == 1 ? ", one token" : "";
            for (Bound bound : result.bounds()) {
                worst.merge(
                        bound.name() + where,
                        new Bound(bound.name() + where, bound.seenNanos(), bound.boundNanos()),
                        (a, b) -> part(a) >= part(b) ? a : b);
            }
        }
        return List.copyOf(worst.values());
    }

    private static double part(Bound bound) {
        return (double) bound.seenNanos() / Math.max(1, bound.boundNanos());
    }

    // JSON.

    private static void printJson(Map<Row, Result> results, long nanos, long seed, boolean kept) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "{\"label\":\"model\",\"shape\":\"%s\",\"millis\":%d,\"seed\":%d,\"rows\":[",
                QWEN.shape().name(),
                nanos / 1_000_000,
                seed));
        results.forEach((row, result) -> text.append(text.charAt(text.length() - 1) == '[' ? "" : ",")
                .append(String.format(
                        Locale.ROOT,
                        "{\"name\":\"%s\",\"waitHighNanos\":%d,\"waitMaxNanos\":%d,\"windowHighNanos\":%d,"
                                + "\"windowMaxNanos\":%d,\"windowsPerSecond\":%.2f,\"tokensPerSecond\":%.3f,"
                                + "\"pauseNanos\":%d,\"loans\":%d,\"bounds\":[%s]}",
                        row.name(),
                        Result.high(result.sttWaits()),
                        Result.worst(result.sttWaits()),
                        Result.high(result.sttResponses()),
                        Result.worst(result.sttResponses()),
                        result.windowsPerSecond(nanos),
                        result.tokensPerSecond(),
                        result.pauseNanos(),
                        result.loans(),
                        String.join(
                                ",",
                                result.bounds().stream()
                                        .map(b -> String.format(
                                                Locale.ROOT,
                                                "{\"name\":\"%s\",\"seenNanos\":%d,\"boundNanos\":%d}",
                                                b.name(),
                                                b.seenNanos(),
                                                b.boundNanos()))
                                        .toList()))));
        System.out.println(text.append("],\"boundsKept\":").append(kept).append('}'));
    }
}
