package dev.portal.emulator.rk3588;

import dev.portal.hardware.rk3588.Precision;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The timing model beside durations that were measured on boards ({@code timing.tsv} of the silicon evidence): which rows its
 * parameters were fitted to ({@code timing_model.tsv}), which it predicts, and which it has nothing to say about.
 *
 * <p>Comparable is a product of int8 or fp16 whose driver time ({@code hw}) or submit-to-return time ({@code wall}) was taken.
 * Times of libraries hold the host's packing and tiling, which is no part of this model.
 */
public final class TimingReport {
    private static final Pattern PRODUCT = Pattern.compile("(?:(\\d+) x |(\\d+) streams of )?(\\d+)x(\\d+)x(\\d+)");
    private static final Pattern CHAIN = Pattern.compile("(\\d+)-program chain");
    private static final Pattern SUBMITS = Pattern.compile("(\\d+) submits");
    private static final Pattern NUMBER = Pattern.compile("\\d+(\\.\\d+)?");
    private static final double WALL_MICROS = 41;

    /** fp16 shapes of one source that ran three to eight times slower; it says that its clock parks when idle. */
    private static final Set<String> PARKED = Set.of("64x256x256", "128x512x512", "256x1024x1024", "512x1024x1024");

    /** What a row is to the model. */
    public enum Kind {
        /** Its parameters were chosen with this row. */
        FITTED,
        /** They were not. */
        PREDICTED,
        /** The same operation in circumstances that the model leaves out: a clock that parks, a cold first run. */
        OUTSIDE
    }

    /**
     * One measured row.
     *
     * @param name shape, type and cores
     * @param level {@code hw} or {@code wall}
     * @param measuredMicros on a board
     * @param modelMicros by the model
     */
    public record Row(Kind kind, String name, String level, double measuredMicros, double modelMicros) {
        /** Model over measured. */
        public double factor() {
            return modelMicros / measuredMicros;
        }
    }

    private final List<Row> rows = new ArrayList<>();
    private int notComparable;

    private TimingReport() {}

    /**
     * Compares.
     *
     * @param timing lines of {@code timing.tsv}
     * @param fitted lines of {@code timing_model.tsv}
     */
    public static TimingReport of(List<String> timing, List<String> fitted) {
        TimingReport report = new TimingReport();
        Set<String> keys = new HashSet<>();
        for (String line : fitted) {
            String[] f = line.split("\t", -1);
            if (!line.startsWith("#") && f.length > 4 && !f[0].equals("lib")) {
                keys.add(key(f[0], f[1], f[2], f[4]));
            }
        }
        for (String line : timing) {
            if (!line.startsWith("#") && !line.isBlank()) {
                report.add(line.split("\t", -1), keys);
            }
        }
        return report;
    }

    /** Level, shape without remarks, type and microseconds to a tenth: what both files have in common. */
    private static String key(String level, String shape, String type, String micros) {
        return level + " " + plain(shape).replaceFirst("^1 streams of ", "") + " " + type + " "
                + Math.round(Double.parseDouble(micros) * 10);
    }

    private static String plain(String shape) {
        Matcher chain = CHAIN.matcher(shape);
        Matcher product = PRODUCT.matcher(shape);
        return chain.lookingAt() ? chain.group() : product.find() ? product.group() : shape;
    }

    private void add(String[] f, Set<String> fitted) {
        Matcher product = PRODUCT.matcher(f[0]);
        Matcher chain = CHAIN.matcher(f[0]);
        boolean comparable = (chain.lookingAt() || product.matches())
                && (f[1].equals("int8") || f[1].equals("fp16"))
                && f[2].matches("[123]")
                && NUMBER.matcher(f[3]).lookingAt()
                && NUMBER.matcher(f[4]).matches()
                && (f[5].equals("hw") || f[5].equals("wall"))
                && !f[6].contains("int_mask 0x3 ");
        if (!comparable) {
            notComparable++;
            return;
        }
        int cores = Integer.parseInt(f[2]);
        double model =
                (chain.lookingAt() ? model(chain) : model(product, cores, f)) + (f[5].equals("wall") ? WALL_MICROS : 0);
        Kind kind = fitted.contains(key(f[5], f[0], f[1], f[4])) ? Kind.FITTED : Kind.PREDICTED;
        if (f[6].equals("cold") || (f[1].equals("fp16") && f[5].equals("hw") && PARKED.contains(f[0]))) {
            kind = Kind.OUTSIDE;
        }
        String name = f[1] + " " + plain(f[0]) + (cores == 1 ? "" : " on " + cores + " cores");
        rows.add(new Row(kind, name, f[5], Double.parseDouble(f[4]), model));
    }

    /** A chain of programs that are too small for anything but the least time of a program. */
    private static double model(Matcher chain) {
        TimingModel timing = TimingModel.standard();
        return floor(timing) + Integer.parseInt(chain.group(1)) * timing.programFloorNanos() / 1000.0;
    }

    private static double floor(TimingModel timing) {
        return (timing.commitNanos() + timing.interruptNanos()) / 1000.0;
    }

    private static double model(Matcher product, int cores, String[] f) {
        Precision type = f[1].equals("int8") ? Precision.INT8 : Precision.FP16;
        int programs = product.group(1) == null ? 1 : Integer.parseInt(product.group(1));
        int streams = product.group(2) == null ? 1 : Integer.parseInt(product.group(2));
        int m = Integer.parseInt(product.group(3));
        int k = Integer.parseInt(product.group(4));
        int n = Integer.parseInt(product.group(5));
        TimingModel timing = TimingModel.standard().atClock(clock(f[3]));
        Matcher submits = SUBMITS.matcher(f[6]);
        int jobs = submits.find() ? Integer.parseInt(submits.group(1)) : 1;
        int rounds = Math.ceilDiv(programs * streams, cores);
        boolean shared = programs * streams == 1;
        double nanos = rounds * (double) timing.productNanos(type, m, k, shared ? Math.ceilDiv(n, cores) : n, 4, cores);
        return jobs * floor(timing) + nanos / 1000;
    }

    private static long clock(String text) {
        Matcher number = NUMBER.matcher(text);
        return number.lookingAt() ? Math.round(Double.parseDouble(number.group()) * 1e6) : 1_000_000_000L;
    }

    /** Rows of a kind and level, in the order of the file. */
    public List<Row> rows(Predicate<Row> wanted) {
        return rows.stream().filter(wanted).toList();
    }

    /** Rows of other levels, types and operations. */
    public int notComparable() {
        return notComparable;
    }

    /** The typical factor between model and measured: exp of the root mean square of the log ratio; 1 is exact. */
    public static double typical(List<Row> rows) {
        double squares = rows.stream()
                .mapToDouble(row -> Math.log(row.factor()))
                .map(log -> log * log)
                .sum();
        return Math.exp(Math.sqrt(squares / Math.max(1, rows.size())));
    }

    /** The largest factor, up or down. */
    public static double worst(List<Row> rows) {
        return rows.stream()
                .mapToDouble(row -> Math.max(row.factor(), 1 / row.factor()))
                .max()
                .orElse(1);
    }
}
