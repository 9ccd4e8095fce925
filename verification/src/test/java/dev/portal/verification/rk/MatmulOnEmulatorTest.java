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
import dev.portal.rknpu.CpuReference;
import dev.portal.rknpu.Matmul;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.OutputSpec;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import dev.portal.rknpu.SyncPoint;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Products of any shape, through our driver and the emulated chip, against the processor: every bit. */
class MatmulOnEmulatorTest {
    private static final OutputSpec INT8 = OutputSpec.parse("int8", "int32");
    private static final OutputSpec HALF = OutputSpec.parse("fp16", "fp32");

    private static LongStream seeds(int count) {
        Long given = Long.getLong("portal.seed");
        return given == null ? LongStream.rangeClosed(1, count) : LongStream.of(given);
    }

    static LongStream few() {
        return seeds(12);
    }

    static LongStream many() {
        return seeds(200);
    }

    /** Values whose fp16 sums are exact, so that their order does not matter. */
    private static MemorySegment operand(RandomStream random, MatmulType type, long elements) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[Math.toIntExact(elements * type.inputBytes())]);
        for (long i = 0; i < elements; i++) {
            if (type.inputBytes() == 1) {
                bytes.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
            } else {
                short half = Float.floatToFloat16((random.nextInt(17) - 8) / 4f);
                bytes.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * i, half);
            }
        }
        return bytes;
    }

    private static byte[] product(RknpuDevice device, OutputSpec output, MatmulShape shape, int cores, long seed) {
        RandomStream random = new RandomStream(seed).derive("operands");
        MemorySegment a = operand(random, shape.type(), (long) shape.m() * shape.k());
        MemorySegment b = operand(random, shape.type(), (long) shape.n() * shape.k());
        try (Matmul matmul = new Matmul(device, cores, CoreRunner.SEQUENTIAL)) {
            return matmul.multiply(output, shape, a, b).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static byte[] reference(OutputSpec output, MatmulShape shape, long seed) {
        RandomStream random = new RandomStream(seed).derive("operands");
        MemorySegment a = operand(random, shape.type(), (long) shape.m() * shape.k());
        MemorySegment b = operand(random, shape.type(), (long) shape.n() * shape.k());
        return CpuReference.multiply(output, shape, a, b).toArray(ValueLayout.JAVA_BYTE);
    }

    private static void check(OutputSpec output, int m, int k, int n, int cores, long seed) {
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard().withSeed(seed), seed % 2 == 0);
        MatmulShape shape = new MatmulShape(output.type(), m, k, n);
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT)) {
            assertThat(product(device, output, shape, cores, seed))
                    .as("%s on %d cores; rerun with -Dportal.seed=%d", shape, cores, seed)
                    .isEqualTo(reference(output, shape, seed));
        }
        assertThat(board.report.faults()).as("%s", shape).isEmpty();
        board.assertNothingLeaked();
    }

    private static void random(long seed, int log2) {
        RandomStream random = new RandomStream(seed).derive("shape");
        double budget = log2 * random.nextDouble();
        double first = random.nextDouble() * budget;
        double second = random.nextDouble() * (budget - first);
        int m = clamp(first, 600);
        int k = clamp(second, 9000);
        int n = clamp(budget - first - second, 9000);
        check(seed % 3 == 0 ? HALF : INT8, m, k, n, seed % 2 == 0 ? 3 : 1, seed);
    }

    private static int clamp(double log2, int limit) {
        return Math.clamp(Math.round(Math.pow(2, log2)), 1, limit);
    }

    @ParameterizedTest
    @MethodSource("few")
    void randomShapesAreExact(long seed) {
        random(seed, 18);
    }

    @Tag("slow")
    @ParameterizedTest
    @MethodSource("many")
    void manyRandomShapesAreExact(long seed) {
        random(seed, 26);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 1",
        "1, 32, 32",
        "3, 33, 31",
        "4, 512, 32",
        "65, 64, 32",
        "2, 4097, 32",
        "1, 31, 8193",
        "5, 100, 100"
    })
    void cornersAreExact(int m, int k, int n) {
        check(INT8, m, k, n, 1, 7);
        check(HALF, m, k, n, 3, 8);
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"544, 512, 64", "352, 1024, 32", "353, 1024, 32", "1, 9000, 40", "600, 96, 96", "2048, 32, 32"})
    void largerCornersAreExact(int m, int k, int n) {
        check(INT8, m, k, n, 3, 9);
        check(HALF, m, k, n, 1, 10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"int8:mult=19661,shift=22,half-even", "int16", "fp32"})
    void otherOutputsAreExact(String output) {
        check(OutputSpec.parse("int8", output), 5, 64, 96, 1, 11);
    }

    @Test
    void halvesComeOutAsHalves() {
        check(OutputSpec.parse("fp16", "fp16"), 5, 64, 48, 1, 12);
    }

    /** Each sync of section 9, left out by the driver's switch: the product is wrong, or somebody says why it is not. */
    @ParameterizedTest
    @EnumSource(SyncPoint.class)
    void everyMissingSyncIsNoticed(SyncPoint point) {
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard());
        RknpuOptions options =
                RknpuOptions.DEFAULT.withoutWarmUp().withTimeoutMs(50).withoutSync(point);
        boolean wrong = false;
        try (RknpuDevice device = board.open(options)) {
            for (long seed = 1; seed <= 2; seed++) {
                MatmulShape shape = new MatmulShape(MatmulType.INT8_INT32, 4, 64, 32);
                wrong |= !Arrays.equals(product(device, INT8, shape, 1, seed), reference(INT8, shape, seed));
            }
        } catch (DeviceException e) {
            wrong = true;
        }
        boolean harmless = point == SyncPoint.TASKS_TO_DEVICE;
        assertThat(wrong).isEqualTo(!harmless);
        if (harmless) {
            assertThat(board.report.has("task-sync")).isTrue();
        }
    }

    private static Rk3588Options with(Kind kind, Trigger trigger, long amount) {
        return Rk3588Options.standard().withFaults(FaultPlan.of(new Fault(kind, trigger, amount)));
    }

    /** Faults that the driver recovers from: the product is right and the recovery was counted. */
    @ParameterizedTest
    @CsvSource({
        "SUBMIT_ERRNO, " + Errno.EBUSY + ", TRANSIENT",
        "SUBMIT_ERRNO, " + Errno.EINVAL + ", TRANSIENT",
        "LOST_DISPATCH, 0, LOST_DISPATCH",
        "IOMMU_FAULT, 0, LOST_DISPATCH",
        "COLD_FIRST_PASS, 0, WARM_UP"
    })
    void recoverableFaultsAreRecoveredAndCounted(Kind kind, long amount, Counters.Recovery recovery) {
        EmulatedBoard board = new EmulatedBoard(with(kind, new Trigger.Count(4, 1), amount));
        MatmulShape shape = new MatmulShape(MatmulType.INT8_INT32, 4, 64, 32);
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT.withTimeoutMs(100))) {
            long before = device.counters().get(recovery);
            assertThat(product(device, INT8, shape, 1, 1)).isEqualTo(reference(INT8, shape, 1));
            assertThat(device.counters().get(recovery)).isGreaterThanOrEqualTo(before);
            if (kind != Kind.COLD_FIRST_PASS) {
                assertThat(device.counters().get(recovery)).isGreaterThan(before);
            }
        }
        board.assertNothingLeaked();
    }

    /** Opening warms the cores, which a fault may foil; it gives everything back then and can be tried again. */
    private static RknpuDevice opened(EmulatedBoard board) {
        RknpuOptions options = RknpuOptions.DEFAULT.withTimeoutMs(100);
        for (int attempt = 0; ; attempt++) {
            try {
                return board.open(options);
            } catch (DeviceException e) {
                board.assertNothingLeaked();
                if (attempt == 10) {
                    throw e;
                }
            }
        }
    }

    /** A chaos phase, then a heal phase, then a liveness check. */
    @ParameterizedTest
    @MethodSource("few")
    void aRunWithRandomFaultsEndsHealthy(long seed) {
        FaultPlan plan = new FaultPlan(List.of(
                new Fault(Kind.LOST_DISPATCH, new Trigger.Ratio(0.05), 0),
                new Fault(Kind.SUBMIT_ERRNO, new Trigger.Ratio(0.2), Errno.EBUSY),
                new Fault(Kind.COLD_FIRST_PASS, new Trigger.Ratio(0.3), 0),
                new Fault(Kind.LATE_INTERRUPT, new Trigger.Ratio(0.1), 3_000_000)));
        EmulatedBoard board =
                new EmulatedBoard(Rk3588Options.standard().withSeed(seed).withFaults(plan));
        MatmulShape shape = new MatmulShape(MatmulType.INT8_INT32, 3, 64, 64);
        try (RknpuDevice device = opened(board)) {
            for (int i = 0; i < 6; i++) {
                try {
                    assertThat(product(device, INT8, shape, 3, seed))
                            .as("rerun with -Dportal.seed=%d", seed)
                            .isEqualTo(reference(INT8, shape, seed));
                } catch (DeviceException expected) {
                    assertThat(expected.getMessage()).isNotBlank();
                }
            }
            board.driver.heal();
            assertThat(product(device, INT8, shape, 3, seed)).isEqualTo(reference(INT8, shape, seed));
        }
        board.assertNothingLeaked();
    }

    @Test
    void aSecondOwnerIsRefused() {
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard());
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT)) {
            assertThat(device.driverVersion()).isEqualTo(908);
            assertThatThrownBy(() -> board.open(RknpuOptions.DEFAULT)).isInstanceOf(DeviceException.class);
        }
        board.assertNothingLeaked();
    }

    @Test
    void memoryIsRefusedReadably() {
        EmulatedBoard board = new EmulatedBoard(with(Kind.MEMORY_ERRNO, new Trigger.Ratio(1), 0));
        assertThatThrownBy(() -> board.open(RknpuOptions.DEFAULT))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("ENOMEM");
        board.assertNothingLeaked();
    }

    @Test
    void aRunRepeatsBitForBitWithItsSeed() {
        List<Long> times = IntStream.range(0, 2)
                .mapToObj(run -> {
                    EmulatedBoard board =
                            new EmulatedBoard(Rk3588Options.standard().withSeed(5));
                    try (RknpuDevice device = board.open(RknpuOptions.DEFAULT)) {
                        product(device, HALF, new MatmulShape(MatmulType.FP16_FP32, 9, 64, 64), 3, 5);
                    }
                    return board.clock.nanos();
                })
                .toList();
        assertThat(times.get(0)).isEqualTo(times.get(1)).isPositive();
    }
}
