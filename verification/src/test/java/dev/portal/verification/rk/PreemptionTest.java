package dev.portal.verification.rk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.VirtualClock;
import dev.portal.emulator.FaultPlan;
import dev.portal.emulator.FaultPlan.Fault;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.FaultPlan.Trigger;
import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.kernel.DeviceException;
import dev.portal.rknpu.ChainJob;
import dev.portal.rknpu.ChainOptions;
import dev.portal.rknpu.CompiledChain;
import dev.portal.rknpu.Counters.Recovery;
import dev.portal.rknpu.HaltBehaviour;
import dev.portal.rknpu.HaltProbe;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import dev.portal.rknpu.StopStrategy;
import dev.portal.scheduler.NpuCore;
import dev.portal.scheduler.NpuDetection;
import dev.portal.scheduler.NpuException;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuPriority;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.PortalNpuScheduler;
import dev.portal.scheduler.Preemption;
import dev.portal.scheduler.ResponseTime;
import dev.portal.scheduler.SchedulerListener;
import dev.portal.scheduler.SchedulerOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A running chain is stopped for something more urgent, and goes on afterwards. */
class PreemptionTest {
    private static final int STEPS = 20;
    private static final MatmulShape SHAPE = new MatmulShape(MatmulType.INT8_INT32, 1, 512, 256);

    /** A flag that is set from a moment on, until the job has yielded. */
    private static final class FlagAt implements Preemption {
        private final VirtualClock clock;
        private final long atNanos;
        boolean obeyed;

        FlagAt(VirtualClock clock, long atNanos) {
            this.clock = clock;
            this.atNanos = atNanos;
        }

        @Override
        public boolean requested() {
            return !obeyed && clock.nanos() >= atNanos;
        }
    }

    static Stream<Arguments> everyStrategyInEveryProfile() {
        return Stream.of(
                Arguments.of(StopStrategy.DRAIN, false, 1, false),
                Arguments.of(StopStrategy.DRAIN, true, 1, false),
                Arguments.of(StopStrategy.DRAIN, false, 3, false),
                Arguments.of(StopStrategy.CHUNK, false, 1, false),
                Arguments.of(StopStrategy.CHUNK, true, 2, false),
                Arguments.of(StopStrategy.HALT, true, 1, false),
                Arguments.of(StopStrategy.HALT, true, 3, false),
                Arguments.of(StopStrategy.HALT, false, 1, false),
                Arguments.of(StopStrategy.DRAIN, false, 3, true),
                Arguments.of(StopStrategy.CHUNK, true, 2, true),
                Arguments.of(StopStrategy.HALT, true, 3, true),
                Arguments.of(StopStrategy.HALT, false, 3, true));
    }

    /** The flag comes at every moment of the chain, a fifth of a program apart. */
    @ParameterizedTest
    @MethodSource("everyStrategyInEveryProfile")
    void resultsAreThoseOfAnUndisturbedRunWhereverItWasStopped(
            StopStrategy strategy, boolean retires, int cores, boolean oneSubmit) {
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard().withHaltRetires(retires));
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                StepSet set = new StepSet(device, STEPS, SHAPE, 2, 7);
                CompiledChain chain = device.compile(
                        set.steps, ChainOptions.DEFAULT.withCores(cores).withOneSubmit(oneSubmit))) {
            HaltProbe.Finding finding = HaltProbe.measure(device, 0);
            assertThat(finding.behaviour()).isEqualTo(retires ? HaltBehaviour.RETIRES : HaltBehaviour.STICKS);
            long resetsBefore = device.counters().get(Recovery.RESET);
            long start = board.clock.nanos();
            chain.run();
            long whole = board.clock.nanos() - start;
            byte[] undisturbed = set.bytes();
            assertThat(set.right().cardinality()).isEqualTo(STEPS);
            ChainJob job = new ChainJob(chain, NpuWorkload.LLM, strategy);
            int points = 0;
            for (long at = 0; at <= whole + 3_000; at += 3_000) {
                set.wipe();
                FlagAt flag = new FlagAt(board.clock, board.clock.nanos() + at);
                int done = 0;
                while (job.execute(flag) instanceof NpuJobResult.Yielded) {
                    flag.obeyed = true;
                    assertThat(job.stepsDone()).isGreaterThan(done);
                    done = job.stepsDone();
                }
                assertThat(set.bytes()).as("flag after %d ns", at).isEqualTo(undisturbed);
                points++;
            }
            assertThat(points).isGreaterThan(20);
            assertThat(job.stops()).isPositive();
            boolean needsReset = strategy == StopStrategy.HALT && !retires;
            long resets = device.counters().get(Recovery.RESET) - resetsBefore;
            if (needsReset) {
                assertThat(resets).isPositive();
            } else {
                assertThat(resets).isZero();
            }
            assertThat(device.counters().get(Recovery.LOST_DISPATCH)).isZero();
        }
        assertThat(board.report.faults()).isEmpty();
        board.assertNothingLeaked();
    }

    @Test
    void obeyingTakesAtMostThreeProgramsAndTheDrainOfTheRest() {
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard());
        MatmulShape shape = new MatmulShape(MatmulType.INT8_INT32, 1, 512, 512);
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                StepSet set = new StepSet(device, 64, shape, 1, 8);
                CompiledChain chain = device.compile(set.steps)) {
            ChainJob job = new ChainJob(chain, NpuWorkload.LLM, StopStrategy.of(device.haltBehaviour()));
            long start = board.clock.nanos();
            chain.run();
            long program = (board.clock.nanos() - start) / 64;
            List<Long> waits = new ArrayList<>();
            for (long at = 20_000; at < 1_500_000; at += 17_000) {
                long flagAt = board.clock.nanos() + at;
                FlagAt flag = new FlagAt(board.clock, flagAt);
                while (job.execute(flag) instanceof NpuJobResult.Yielded) {
                    waits.add(board.clock.nanos() - flagAt);
                    flag.obeyed = true;
                }
            }
            assertThat(waits).hasSizeGreaterThan(60);
            assertThat(waits).allMatch(wait -> wait <= 3 * program + 64 * 1_000 + 167_000);
            assertThat(waits).allMatch(wait -> wait <= job.segmentNanos());
        }
    }

    @Test
    void aChainThatNeverEndsFailsItsJobTellsTheMonitorAndGoesOnAfterwards() {
        Fault lost = new Fault(Kind.LOST_DISPATCH, new Trigger.Count(4, 1_000), 0);
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard().withFaults(FaultPlan.of(lost)));
        NpuDetection detection =
                NpuDetection.detect("aarch64", Map.of(NpuDetection.TRANSPORT_VARIABLE, "emulated"), path -> false);
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT.withTimeoutMs(100));
                StepSet set = new StepSet(device, STEPS, SHAPE, 1, 10);
                CompiledChain chain = device.compile(set.steps);
                PortalNpuScheduler scheduler = PortalNpuScheduler.stepped(
                        detection, SchedulerOptions.defaults(), board.clock, SchedulerListener.NONE)) {
            ChainJob job = new ChainJob(chain, NpuWorkload.LLM, StopStrategy.DRAIN);
            assertThatThrownBy(() -> scheduler.submitInference(NpuCore.LLM, job))
                    .isInstanceOf(NpuException.JobFailed.class)
                    .hasRootCauseInstanceOf(DeviceException.class);
            assertThat(scheduler.telemetry().consecutiveFailures()).isEqualTo(1);
            assertThat(device.counters().get(Recovery.PARKED)).isEqualTo(1);
            board.driver.heal();
            scheduler.submitInference(NpuCore.LLM, job);
            assertThat(set.right().cardinality()).isEqualTo(STEPS);
            assertThat(scheduler.telemetry().consecutiveFailures()).isZero();
        }
        board.assertNothingLeaked();
    }

    @Test
    void theResponseTimeAnalysisTakesTheSegmentsOfTheChain() {
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard());
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                StepSet set = new StepSet(device, 64, SHAPE, 1, 9);
                CompiledChain chain = device.compile(set.steps)) {
            for (StopStrategy strategy : StopStrategy.values()) {
                ChainJob job = new ChainJob(chain, NpuWorkload.LLM, NpuPriority.LOW, strategy, 4);
                var declared = job.declaration(100_000_000, 100_000_000);
                assertThat(declared.segmentsNs()).allMatch(piece -> piece > 0 && piece <= job.segmentNanos());
                var urgent = new ResponseTime.Task(10_000_000, List.of(1_000_000L), 2);
                var own = new ResponseTime.Task(declared.periodNs(), declared.segmentsNs(), 1);
                var bound = ResponseTime.bound(List.of(urgent, own), 0).orElseThrow();
                assertThat(bound.blocking()).isEqualTo(own.longestSegment() - 1);
                assertThat(bound.response()).isEqualTo(1_000_000 + bound.blocking());
            }
        }
    }
}
