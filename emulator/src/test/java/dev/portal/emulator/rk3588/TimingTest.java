package dev.portal.emulator.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.hardware.rk3588.RknpuSubmit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * The timing model against measured rows. Fitted rows (timing_model.tsv) and predictions are printed apart, each with
 * its error; every figure is {@code model}.
 */
class TimingTest {
    private record Measured(String name, boolean half, int m, int k, int n, int cores, int programs, double micros) {}

    private static final List<Measured> FITTED_HARDWARE = List.of(
            new Measured("fp16 4x32x16", true, 4, 32, 16, 1, 1, 11.7),
            new Measured("fp16 512x2048x2048", true, 512, 2048, 2048, 1, 1, 5740),
            new Measured("fp16 512x3840x4096", true, 512, 3840, 4096, 1, 1, 21450),
            new Measured("fp16 1024x3840x4096", true, 1024, 3840, 4096, 1, 1, 42910),
            new Measured("int8 160x3072x9216 3c", false, 160, 3072, 3072, 3, 1, 1695),
            new Measured("int8 144x2048x9216 3c", false, 144, 2048, 3072, 3, 1, 1319),
            new Measured("int8 96x3072x9216 3c", false, 96, 3072, 3072, 3, 1, 1854),
            new Measured("int8 144x2048x4608 3c", false, 144, 2048, 1536, 3, 1, 671));

    private static MatmulTask task(Measured row) {
        RegisterGroups registers = new RegisterGroups();
        long[] words = row.half()
                ? Programs.half(row.m(), row.k(), row.n(), 0, 0, 0)
                : Programs.int8(row.m(), row.k(), row.n(), 0, 0, 0);
        for (long word : words) {
            int offset = (int) (word & 0xffff);
            if (registers.holds(offset)) {
                registers.set(0, offset, (int) (word >>> 16));
            }
        }
        return MatmulTask.of(registers, 0, 0xd, 0);
    }

    private static double model(Measured row) {
        TimingModel timing = TimingModel.standard();
        double floor = timing.commitNanos() + timing.interruptNanos();
        return (floor + (double) row.programs() * timing.programNanos(task(row), row.cores())) / 1000;
    }

    private static double check(String label, List<Measured> rows, double wall) {
        double sum = 0;
        for (Measured row : rows) {
            double model = model(row) + wall;
            double ratio = Math.log(model / row.micros());
            sum += ratio * ratio;
            System.out.printf(
                    Locale.ROOT,
                    "%s %-24s measured %9.1f us, model %9.1f us, %.2f%n",
                    label,
                    row.name(),
                    row.micros(),
                    model,
                    model / row.micros());
        }
        double typical = Math.exp(Math.sqrt(sum / rows.size()));
        System.out.printf(Locale.ROOT, "%s: typical factor %.2f over %d rows%n", label, typical, rows.size());
        return typical;
    }

    @Test
    void fittedRowsStayWithinTheirStatedError() {
        List<Measured> calls = List.of(
                new Measured("int8 1x2048x128", false, 1, 2048, 128, 1, 1, 80),
                new Measured("int8 16x2048x128", false, 16, 2048, 128, 1, 1, 80),
                new Measured("int8 8x3584x128", false, 8, 3584, 128, 1, 1, 98),
                new Measured("int8 16 x 1x512x512", false, 1, 512, 512, 1, 16, 440),
                new Measured("int8 32 x 1x512x512", false, 1, 512, 512, 1, 32, 988),
                new Measured("int8 1x1024x3072", false, 1, 1024, 3072, 1, 1, 364.9),
                new Measured("int8 1x3072x1024", false, 1, 3072, 1024, 1, 1, 357.1));
        assertThat(check("fitted hw", FITTED_HARDWARE, 0)).isLessThan(1.25);
        assertThat(check("fitted wall", calls, 41)).isLessThan(1.10);
    }

    /** Hardware rows of timing.tsv that no parameter was fitted to; printed, and held only to an order of magnitude. */
    @Test
    void predictionsArePrintedWithTheirError() {
        List<Measured> rows = new ArrayList<>();
        for (String line : Golden.lines("silicon/timing.tsv")) {
            String[] f = line.split("\t");
            boolean product = f[0].matches("\\d+x\\d+x\\d+") && f[4].matches("\\d+(\\.\\d+)?");
            if (product && f[1].equals("fp16") && f[2].equals("1") && f[5].equals("hw") && !isFitted(f[0], f[4])) {
                int[] s = Arrays.stream(f[0].split("x"))
                        .mapToInt(Integer::parseInt)
                        .toArray();
                rows.add(new Measured("fp16 " + f[0], true, s[0], s[1], s[2], 1, 1, Double.parseDouble(f[4])));
            }
        }
        assertThat(rows).isNotEmpty();
        assertThat(check("predicted hw", rows, 0)).isLessThan(10);
    }

    private static boolean isFitted(String shape, String micros) {
        return FITTED_HARDWARE.stream()
                .anyMatch(row -> row.name().equals("fp16 " + shape)
                        && Math.abs(row.micros() - Double.parseDouble(micros)) < 0.1);
    }

    @Test
    void anElapsedTimeIsAMultipleOfTheDriversClock() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            RknpuSubmit args = board.submission(Board.BLOCKING, chain.tasks, 1);
            assertThat(board.submit(args)).isZero();
            long ticks = Math.round(args.hwElapseTime() * 24 / 1000.0);
            assertThat(ticks * 1000 / 24).isEqualTo(args.hwElapseTime());
            assertThat(args.hwElapseTime()).isBetween(11_000L, 14_000L);
        }
    }

    @Test
    void aBlockingCallTakesFortyOneMicrosecondsMoreThanTheHardware() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 4);
            long before = board.clock.nanos();
            RknpuSubmit args = board.submission(Board.BLOCKING, chain.tasks, 4);
            assertThat(board.submit(args)).isZero();
            assertThat(board.clock.nanos() - before - args.hwElapseTime()).isBetween(40_900L, 41_100L);
        }
    }

    @Test
    void anAsynchronousSubmitReturnsInFiveMicroseconds() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 4);
            long before = board.clock.nanos();
            assertThat(board.submit(board.submission(Board.ASYNC, chain.tasks, 4)))
                    .isZero();
            assertThat(board.clock.nanos() - before).isEqualTo(5_000);
        }
    }
}
