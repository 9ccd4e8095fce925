package dev.portal.emulator.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.hardware.rk3588.RknpuSubmit;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * The timing model against measured rows. Fitted rows (timing_model.tsv) and predictions are printed apart, each with
 * its error; every figure is {@code model}.
 */
class TimingTest {
    private static TimingReport report() {
        return TimingReport.of(Golden.lines("silicon/timing.tsv"), Golden.lines("silicon/timing_model.tsv"));
    }

    private static List<TimingReport.Row> rows(TimingReport.Kind kind, String level) {
        List<TimingReport.Row> rows =
                report().rows(row -> row.kind() == kind && row.level().equals(level));
        rows.forEach(row -> System.out.printf(
                Locale.ROOT,
                "%s %s %-28s measured %9.1f us, model %9.1f us, %.2f%n",
                kind,
                level,
                row.name(),
                row.measuredMicros(),
                row.modelMicros(),
                row.factor()));
        return rows;
    }

    /** The errors that the evidence states for these parameters: 1.16 and 1.40 at worst, 1.06 and 1.12. */
    @Test
    void fittedRowsStayWithinTheirStatedError() {
        List<TimingReport.Row> hardware = rows(TimingReport.Kind.FITTED, "hw");
        assertThat(hardware).hasSize(11);
        assertThat(TimingReport.typical(hardware)).isLessThan(1.17);
        assertThat(TimingReport.worst(hardware)).isLessThan(1.41);
        List<TimingReport.Row> wall = rows(TimingReport.Kind.FITTED, "wall");
        assertThat(wall).hasSize(11);
        assertThat(TimingReport.typical(wall)).isLessThan(1.07);
        assertThat(TimingReport.worst(wall)).isLessThan(1.13);
    }

    /** Rows that no parameter was fitted to; printed apart, and held to a factor of two. */
    @Test
    void predictionsArePrintedWithTheirError() {
        for (String level : List.of("hw", "wall")) {
            List<TimingReport.Row> predicted = rows(TimingReport.Kind.PREDICTED, level);
            assertThat(predicted).isNotEmpty();
            assertThat(TimingReport.typical(predicted)).as(level).isLessThan(2);
        }
    }

    @Test
    void everyRowIsFittedPredictedOutsideOrNotComparable() {
        TimingReport report = report();
        assertThat(report.rows(row -> true).size() + report.notComparable())
                .isEqualTo(Golden.lines("silicon/timing.tsv").size());
        assertThat(report.rows(row -> row.kind() == TimingReport.Kind.OUTSIDE))
                .extracting(TimingReport.Row::factor)
                .allSatisfy(factor -> assertThat(factor).isLessThan(1));
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
