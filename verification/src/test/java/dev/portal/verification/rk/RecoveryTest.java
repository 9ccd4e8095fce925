package dev.portal.verification.rk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.RandomStream;
import dev.portal.emulator.FaultPlan;
import dev.portal.emulator.FaultPlan.Fault;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.FaultPlan.Trigger;
import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.kernel.DeviceException;
import dev.portal.kernel.Errno;
import dev.portal.rknpu.CoreRunner;
import dev.portal.rknpu.Counters;
import dev.portal.rknpu.Counters.Recovery;
import dev.portal.rknpu.Matmul;
import dev.portal.rknpu.OutputSpec;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults that the driver recovers from (spec 11): the product is right, the recovery counted, nothing leaked. */
final class RecoveryTest {
    private static final RknpuOptions QUICK = RknpuOptions.DEFAULT.withTimeoutMs(100);

    private static boolean isRight(Matmul matmul, int m) {
        Operands operands = Operands.exact(OutputSpec.parse("int8", "int32"), m, 64, 64, new RandomStream(m));
        return operands.check(matmul.multiply(operands.output(), operands.shape(), operands.a(), operands.b()))
                .isRight();
    }

    /** Three submits warm the three cores; the fault comes with the fourth. */
    @ParameterizedTest
    @CsvSource({
        "SUBMIT_ERRNO, " + Errno.EBUSY + ", TRANSIENT",
        "SUBMIT_ERRNO, " + Errno.EINVAL + ", TRANSIENT",
        "LOST_DISPATCH, 0, LOST_DISPATCH",
        "IOMMU_FAULT, 0, LOST_DISPATCH"
    })
    void aFaultUnderAProductIsRecoveredAndCounted(Kind kind, long amount, Recovery recovery) {
        EmulatedBoard board = EmulatedBoard.with(new Fault(kind, new Trigger.Count(4, 1), amount));
        try (RknpuDevice device = board.open(QUICK);
                Matmul matmul = new Matmul(device, 1, CoreRunner.SEQUENTIAL)) {
            assertThat(device.counters().get(recovery)).isZero();
            assertThat(isRight(matmul, 4)).isTrue();
            assertThat(device.counters().get(recovery)).isEqualTo(1);
        }
        board.assertNothingLeaked();
    }

    /** The warm-up of the second core gets lost, once to thrice; opening goes on, and says how often. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aDispatchThatIsLostWhileTheDeviceIsOpenedIsTriedAgainAndCounted(int times) {
        EmulatedBoard board = EmulatedBoard.with(new Fault(Kind.LOST_DISPATCH, new Trigger.Count(2, times), 0));
        try (RknpuDevice device = board.open(QUICK);
                Matmul matmul = new Matmul(device, 3, CoreRunner.SEQUENTIAL)) {
            assertThat(device.counters().get(Recovery.LOST_DISPATCH)).isEqualTo(times);
            assertThat(isRight(matmul, 5)).isTrue();
        }
        board.assertNothingLeaked();
    }

    /** Dispatches get lost in the first three commits after a switch of the IOMMU domain, and in no later one (spec 8.6). */
    @Test
    void lossesAfterADomainSwitchAreOvercomeWhenTheDeviceIsOpened() {
        EmulatedBoard board = EmulatedBoard.with(new Fault(Kind.LOST_AFTER_SWITCH, new Trigger.Ratio(1), 0));
        RknpuOptions domain = new RknpuOptions(Optional.empty(), 100, 3, true, true, Set.of());
        try (RknpuDevice device = board.open(domain);
                Matmul matmul = new Matmul(device, 3, CoreRunner.SEQUENTIAL)) {
            assertThat(device.counters().get(Recovery.LOST_DISPATCH)).isEqualTo(3);
            assertThat(isRight(matmul, 5)).isTrue();
            assertThat(device.counters().get(Recovery.LOST_DISPATCH)).isEqualTo(3);
        }
        assertThat(board.log.contains("switch iommu domain from 0 to 3")).isTrue();
        board.assertNothingLeaked();
    }

    @Test
    void aDeviceThatLosesEveryDispatchIsGivenUpAndNothingStaysOpen() {
        EmulatedBoard board = EmulatedBoard.with(new Fault(Kind.LOST_DISPATCH, new Trigger.Ratio(1), 0));
        assertThatThrownBy(() -> board.open(QUICK))
                .isInstanceOf(DeviceException.TimedOut.class)
                .hasMessageContaining("within 100 ms, 4 times");
        board.assertNothingLeaked();
    }

    @Test
    void aColdFirstPassIsSeenAndRepeated() {
        EmulatedBoard board = EmulatedBoard.with(new Fault(Kind.COLD_FIRST_PASS, new Trigger.Count(1, 1), 0));
        try (RknpuDevice device = board.open(QUICK);
                Matmul matmul = new Matmul(device, 1, CoreRunner.SEQUENTIAL)) {
            assertThat(device.counters().get(Recovery.WARM_UP)).isEqualTo(4);
            assertThat(isRight(matmul, 6)).isTrue();
        }
        board.assertNothingLeaked();
    }

    @Test
    void anotherProcessesResetIsSurvived() {
        EmulatedBoard board = EmulatedBoard.with(new Fault(Kind.FOREIGN_RESET, new Trigger.Count(5, 1), 0));
        try (RknpuDevice device = board.open(QUICK);
                Matmul matmul = new Matmul(device, 1, CoreRunner.SEQUENTIAL)) {
            for (int i = 0; i < 3; i++) {
                assertThat(isRight(matmul, 7 + i)).isTrue();
            }
        }
        assertThat(board.log.contains("soft reset, num: 6")).isTrue();
        board.assertNothingLeaked();
    }

    static LongStream seeds() {
        Long given = Long.getLong("portal.seed");
        return given == null ? LongStream.rangeClosed(1, 12) : LongStream.of(given);
    }

    /** A chaos phase, then a heal phase, then a liveness check. */
    @ParameterizedTest
    @MethodSource("seeds")
    void aRunWithRandomFaultsEndsHealthy(long seed) {
        FaultPlan plan = new FaultPlan(List.of(
                new Fault(Kind.LOST_DISPATCH, new Trigger.Ratio(0.05), 0),
                new Fault(Kind.SUBMIT_ERRNO, new Trigger.Ratio(0.2), Errno.EBUSY),
                new Fault(Kind.COLD_FIRST_PASS, new Trigger.Ratio(0.3), 0),
                new Fault(Kind.LATE_INTERRUPT, new Trigger.Ratio(0.1), 3_000_000)));
        EmulatedBoard board =
                new EmulatedBoard(Rk3588Options.standard().withSeed(seed).withFaults(plan));
        try (RknpuDevice device = board.open(QUICK);
                Matmul matmul = new Matmul(device, 3, CoreRunner.SEQUENTIAL)) {
            for (int i = 0; i < 6; i++) {
                try {
                    assertThat(isRight(matmul, 3 + i))
                            .as("rerun with -Dportal.seed=%d", seed)
                            .isTrue();
                } catch (DeviceException given) {
                    assertThat(given.getMessage()).isNotBlank();
                }
            }
            board.driver.heal();
            long before = recoveries(device.counters());
            assertThat(isRight(matmul, 20))
                    .as("rerun with -Dportal.seed=%d", seed)
                    .isTrue();
            assertThat(recoveries(device.counters())).isEqualTo(before);
        }
        board.assertNothingLeaked();
    }

    private static long recoveries(Counters counters) {
        return counters.get(Recovery.TRANSIENT) + counters.get(Recovery.LOST_DISPATCH);
    }
}
