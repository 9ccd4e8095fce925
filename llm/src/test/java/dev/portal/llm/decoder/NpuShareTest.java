package dev.portal.llm.decoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.portal.base.VirtualClock;
import dev.portal.llm.decoder.NpuBackend.Meter;
import dev.portal.llm.decoder.NpuBackend.Steady;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a group's division follows from what both sides take. */
class NpuShareTest {
    /** One core at 10 bytes a nanosecond, three at 20; 10 us until a chain starts, 5 of them the caller's. */
    private static SplitRates rates(int outputs, double cpuBytesPerNano) {
        List<SplitRates.Line> lines = List.of(
                new SplitRates.Line(10_000, 0.1, 5_000),
                new SplitRates.Line(10_000, 0.07, 5_000),
                new SplitRates.Line(10_000, 0.05, 5_000));
        return new SplitRates(outputs, 1, 1_024, 1_024, 2, lines, 1 / cpuBytesPerNano);
    }

    @Test
    void bothPartsEndTogetherWithTheHandingInCounted() {
        SplitRates rates = rates(16_384, 20);
        Split best = rates.best();
        assertThat(best.cores()).isEqualTo(3);
        // One more tile on either side takes longer; so both end within a tile of each other.
        double tile = 3 * Split.COLUMN_GROUP * 1_024 * 0.05;
        assertThat(rates.npuNanos(best)).isCloseTo(rates.cpuNanos(best), within(2 * tile));
        assertThat(rates.cpuNanos(best)).isGreaterThan((16_384 - best.outputs()) * 1_024 / 20.0);
    }

    @Test
    void aSmallGroupIsLeftToTheProcessor() {
        // 100 KB take the processor 5 us: no chain has started by then.
        assertThat(rates(100, 20).best()).isEqualTo(Split.NONE);
    }

    @Test
    void aSlowProcessorGetsLittleAndAFastOneMuch() {
        assertThat(rates(16_384, 1).best().outputs()).isGreaterThan(15_000);
        assertThat(rates(16_384, 400).best().outputs()).isLessThan(1_500);
    }

    @Test
    void anotherCoreThatBringsNothingIsNotTaken() {
        List<SplitRates.Line> lines =
                List.of(new SplitRates.Line(10_000, 0.1, 5_000), new SplitRates.Line(15_000, 0.0999, 10_000));
        assertThat(new SplitRates(2_048, 1, 1_024, 1_024, 1, lines, 0.1).best().cores())
                .isEqualTo(1);
    }

    @Test
    void noDivisionOfAnyKindTakesLess() {
        for (int outputs : new int[] {64, 896, 1_000, 4_864, 9_728, 18_992}) {
            for (double rate : new double[] {2, 9, 17, 40}) {
                SplitRates rates = rates(outputs, rate);
                double least = rates.nanos(rates.best());
                for (int cores = 1; cores <= 3; cores++) {
                    for (int rows = 32; rows < outputs; rows += 32) {
                        assertThat(rates.nanos(new Split(cores, rows)))
                                .as("%d of %d outputs on %d cores, %f GB/s", rows, outputs, cores, rate)
                                .isGreaterThanOrEqualTo(least * 0.99);
                    }
                }
            }
        }
    }

    @Test
    void aLineGoesThroughBothTimes() {
        SplitRates.Line line = SplitRates.Line.through(1_000, 10_100, 3_000, 10_300, 5_000);
        assertThat(line.fixedNanos()).isCloseTo(10_000, within(1e-6));
        assertThat(line.nanosPerByte()).isCloseTo(0.1, within(1e-9));
    }

    @Test
    void theNpuIsMeasuredOnItsOwnClockAndItsFirstRunDoesNotCount() {
        VirtualClock npu = new VirtualClock();
        int[] runs = new int[1];
        Meter meter = Meter.of(npu, "model", new VirtualClock());
        assertThat(meter.npuNanos(() -> npu.advance(runs[0]++ == 0 ? 9 : 400), 1, 1))
                .isEqualTo(400);
    }

    @Test
    void theProcessorIsMeasuredUntilItGetsNoFasterHoweverLongItsLoopsTakeToCompile() {
        VirtualClock cpu = new VirtualClock();
        int[] runs = new int[1];
        // Evenly slow for two seconds, as interpreted loops are on a busy machine, then fast.
        Steady time = Meter.of(new VirtualClock(), "model", cpu)
                .cpuNanos(() -> cpu.advance(cpu.nanos() < 2_000_000_000 ? 5_000_000 : 50_000 + runs[0]++ % 7), 50_000);
        assertThat(time.nanos()).isEqualTo(50_000);
        assertThat(time.steady()).isTrue();
    }

    @Test
    void aProcessorWhoseLoopsAreNeverCompiledIsMeasuredForABoundedTimeAndSaysSo() {
        VirtualClock cpu = new VirtualClock();
        Steady time = Meter.of(new VirtualClock(), "model", cpu).cpuNanos(() -> cpu.advance(5_000_000), 50_000);
        assertThat(time.steady()).isFalse();
        assertThat(cpu.nanos()).isLessThan(4_100_000_000L);
    }

    @Test
    void timeThatStandsStillIsMeasuredForABoundedNumberOfRuns() {
        Steady time = Meter.of(new VirtualClock(), "model", new VirtualClock()).cpuNanos(() -> {}, 1);
        assertThat(time).isEqualTo(new Steady(1, false));
    }

    @Test
    void aTimeOfNothingIsRefused() {
        assertThatThrownBy(() -> new Steady(0, true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 ns");
    }
}
