package dev.portal.verification.rk3588;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.RandomStream;
import dev.portal.emulator.FaultPlan;
import dev.portal.emulator.FaultPlan.Fault;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.FaultPlan.Trigger;
import dev.portal.hardware.rk3588.Precision;
import dev.portal.kernel.DeviceException;
import dev.portal.kernel.Errno;
import dev.portal.rknpu.CoreRunner;
import dev.portal.rknpu.Counters;
import dev.portal.rknpu.CpuReference;
import dev.portal.rknpu.Matmul;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.OutputSpec;
import dev.portal.rknpu.PatternInputs;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuFindings;
import dev.portal.rknpu.RknpuOptions;
import dev.portal.rknpu.SyncPoint;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The driver on the emulated kernel and chip, against a product computed element by element on the processor. */
final class MatmulOnEmulatorTest {
    private static final long SEED = Long.getLong("portal.seed", 20261130);
    private static final double MAX_LOG2_MACS = 26;

    private static MatmulShape shape(OutputSpec output, int m, int k, int n) {
        return new MatmulShape(output.type(), m, k, n);
    }

    private static OutputSpec anyOutput(RandomStream random) {
        return switch (random.nextInt(4)) {
            case 0 -> OutputSpec.parse("int8", "int32");
            case 1 ->
                OutputSpec.parse("int8", "int8:mult=" + (1 + random.nextInt(32767)) + ",shift=" + random.nextInt(32));
            case 2 -> OutputSpec.parse("fp16", "fp32");
            default -> OutputSpec.parse("fp16", "fp16");
        };
    }

    /** Every value of an int8; halves of small integers, whose sums are exact in fp32 in any order. */
    private static MemorySegment operand(RandomStream random, MatmulShape shape, long elements) {
        if (shape.type().input() == Precision.INT8) {
            byte[] bytes = new byte[Math.toIntExact(elements)];
            random.nextBytes(bytes);
            return MemorySegment.ofArray(bytes);
        }
        short[] halves = new short[Math.toIntExact(elements)];
        for (int i = 0; i < halves.length; i++) {
            halves[i] = Float.floatToFloat16((random.nextInt(17) - 8) / 2f);
        }
        return MemorySegment.ofArray(halves);
    }

    private static int logUniform(RandomStream random, double log2) {
        return (int) Math.max(1, Math.round(Math.pow(2, random.nextDouble() * log2)));
    }

    private static void compare(
            Matmul matmul, OutputSpec output, MatmulShape shape, RandomStream random, String where) {
        MemorySegment a = operand(random, shape, (long) shape.m() * shape.k());
        MemorySegment b = operand(random, shape, (long) shape.k() * shape.n());
        MemorySegment c = matmul.multiply(output, shape, a, b);
        assertThat(c.mismatch(CpuReference.multiply(output, shape, a, b)))
                .as(where)
                .isEqualTo(-1);
    }

    private static void randomShapes(int count, double log2Macs) {
        EmulatedBoard board = EmulatedBoard.virtual(FaultPlan.NONE);
        RandomStream random = new RandomStream(SEED);
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                Matmul one = new Matmul(device, 1, CoreRunner.SEQUENTIAL);
                Matmul three = new Matmul(device, 3, CoreRunner.SEQUENTIAL)) {
            for (int i = 0; i < count; i++) {
                OutputSpec output = anyOutput(random);
                int m = logUniform(random, 9.2);
                int k = logUniform(random, Math.min(13.1, log2Macs - Math.log(m) / Math.log(2)));
                int n = logUniform(
                        random, Math.min(13.1, Math.max(0, log2Macs - Math.log((double) m * k) / Math.log(2))));
                MatmulShape shape = shape(output, m, k, n);
                compare(
                        i % 2 == 0 ? one : three,
                        output,
                        shape,
                        random,
                        shape + ", number " + i + ", -Dportal.seed=" + SEED);
            }
        }
        assertThat(board.report().faults()).isEmpty();
        assertNothingIsLeft(board);
    }

    private static void assertNothingIsLeft(EmulatedBoard board) {
        assertThat(board.driver().usage().buffers()).isZero();
        assertThat(board.driver().usage().iovaBytes()).isZero();
        assertThat(board.driver().usage().jobs()).isZero();
        assertThat(board.kernel().openDescriptors()).isZero();
        assertThat(board.kernel().openMappings()).isZero();
    }

    @Test
    void randomShapesAreComputedAsTheProcessorDoesAndNothingLeaks() {
        randomShapes(40, 19);
    }

    @Test
    @Tag("slow")
    void twoHundredShapesUpToTwoToTheTwentySixAreComputedAsTheProcessorDoes() {
        randomShapes(200, MAX_LOG2_MACS);
    }

    @ParameterizedTest
    @CsvSource({
        "int8, int32, 1, 1, 1",
        "int8, int32, 1, 31, 33",
        "int8, int32, 65, 512, 32",
        "int8, int32, 705, 64, 32",
        "int8, int32, 2, 2049, 32",
        "int8, int32, 1, 32, 8193",
        "int8, int8:mult=19661;shift=28, 3, 4100, 40",
        "fp16, fp32, 1, 1, 17",
        "fp16, fp16, 129, 1024, 16",
        "fp16, fp16, 2, 4097, 16",
        "fp16, fp32, 64, 2048, 48",
    })
    void theCornersOfEveryLimitAreComputedAsTheProcessorDoes(String in, String out, int m, int k, int n) {
        EmulatedBoard board = EmulatedBoard.virtual(FaultPlan.NONE);
        RandomStream random = new RandomStream(SEED);
        OutputSpec output = OutputSpec.parse(in, out.replace(';', ','));
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                Matmul matmul = new Matmul(device, 3, CoreRunner.SEQUENTIAL)) {
            compare(matmul, output, shape(output, m, k, n), random, "-Dportal.seed=" + SEED);
        }
        assertNothingIsLeft(board);
    }

    @Test
    void threeCoresBlockSideBySideInRealTime() {
        EmulatedBoard board = EmulatedBoard.real();
        RandomStream random = new RandomStream(SEED);
        OutputSpec output = OutputSpec.parse("fp16", "fp32");
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                Matmul matmul = new Matmul(device, 3, CoreRunner.CONCURRENT)) {
            for (int i = 0; i < 10; i++) {
                compare(matmul, output, shape(output, 4 + i, 512, 96), random, "-Dportal.seed=" + SEED);
            }
        }
        assertNothingIsLeft(board);
    }

    /**
     * Two products of one shape, so that what the first left in memory is there to be taken for the second's. The task
     * array is read by the kernel through a mapping of its own, which is coherent on arm64 (spec 9): nothing to see.
     */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "TASKS_TO_DEVICE")
    void aMissingSyncIsSeen(SyncPoint omitted) {
        EmulatedBoard board = EmulatedBoard.virtual(FaultPlan.NONE);
        OutputSpec output = OutputSpec.parse("int8", "int32");
        MatmulShape shape = shape(output, 4, 64, 64);
        RknpuOptions options = RknpuOptions.DEFAULT.withoutSync(omitted).withTimeoutMs(50);
        boolean wrong = false;
        // Only the warm-up writes to the memory of a result, to see that the chip does.
        boolean cold = omitted != SyncPoint.RESULT_TO_DEVICE;
        try (RknpuDevice device = board.open(cold ? options.withoutWarmUp() : options);
                Matmul matmul = new Matmul(device, 1, CoreRunner.SEQUENTIAL)) {
            RandomStream random = new RandomStream(SEED);
            for (int i = 0; i < 2 && !wrong; i++) {
                MemorySegment a = operand(random, shape, 4L * 64);
                MemorySegment b = operand(random, shape, 64L * 64);
                wrong = matmul.multiply(output, shape, a, b).mismatch(CpuReference.multiply(output, shape, a, b)) >= 0;
            }
        } catch (DeviceException e) {
            wrong = true;
        }
        assertThat(wrong || board.report().faultCount() > 0)
                .as("leaving out %s changed nothing", omitted)
                .isTrue();
    }

    @Test
    void aLostDispatchIsRecoveredByTheDriversReset() {
        EmulatedBoard board =
                EmulatedBoard.virtual(FaultPlan.of(new Fault(Kind.LOST_DISPATCH, new Trigger.Count(5, 1), 0)));
        OutputSpec output = OutputSpec.parse("int8", "int32");
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT.withTimeoutMs(50));
                Matmul matmul = new Matmul(device, 1, CoreRunner.SEQUENTIAL)) {
            RandomStream random = new RandomStream(SEED);
            for (int i = 0; i < 4; i++) {
                compare(matmul, output, shape(output, 4, 64, 64), random, "product " + i);
            }
            assertThat(device.counters().get(Counters.Recovery.LOST_DISPATCH)).isEqualTo(1);
        }
        assertNothingIsLeft(board);
    }

    @Test
    void transientRefusalsAndAColdFirstPassAreOvercome() {
        EmulatedBoard board = EmulatedBoard.virtual(FaultPlan.of(
                new Fault(Kind.SUBMIT_ERRNO, new Trigger.Count(2, 3), Errno.EBUSY),
                new Fault(Kind.COLD_FIRST_PASS, new Trigger.Count(1, 1), 0)));
        OutputSpec output = OutputSpec.parse("fp16", "fp32");
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                Matmul matmul = new Matmul(device, 1, CoreRunner.SEQUENTIAL)) {
            compare(matmul, output, shape(output, 4, 64, 64), new RandomStream(SEED), "after faults");
            assertThat(device.counters().get(Counters.Recovery.TRANSIENT)).isEqualTo(3);
            assertThat(device.counters().get(Counters.Recovery.WARM_UP)).isGreaterThan(3);
        }
        assertNothingIsLeft(board);
    }

    @Test
    void aSecondProcessIsToldThatTheNpuIsTaken() {
        EmulatedBoard board = EmulatedBoard.virtual(FaultPlan.NONE);
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT)) {
            assertThat(device.driverVersion()).isEqualTo(908);
            assertThatThrownBy(() -> board.open(RknpuOptions.DEFAULT)).isInstanceOf(DeviceException.Busy.class);
        }
        assertThat(RknpuFindings.examine(board.kernel(), board.clock()))
                .singleElement()
                .satisfies(finding -> assertThat(finding.level()).isEqualTo(RknpuFindings.Level.GOOD));
    }

    @Test
    void operandsOfTheWrongSizeAreNamed() {
        EmulatedBoard board = EmulatedBoard.virtual(FaultPlan.NONE);
        OutputSpec output = OutputSpec.parse("int8", "int32");
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                Matmul matmul = new Matmul(device, 1, CoreRunner.SEQUENTIAL)) {
            MemorySegment tooShort = MemorySegment.ofArray(new byte[31]);
            assertThatThrownBy(() -> matmul.prepare(output, 32, 1, tooShort))
                    .hasMessage("B has 31 bytes; 1 columns of 32 int8 elements are 32");
            MatmulShape shape = shape(output, 1, 32, 1);
            assertThatThrownBy(() -> matmul.multiply(output, shape, tooShort, PatternInputs.b(shape)))
                    .hasMessage("A has 31 bytes; 1 rows of 32 int8 elements are 32");
            assertThat(matmul.multiply(output, shape, PatternInputs.a(shape), PatternInputs.b(shape))
                            .get(ValueLayout.JAVA_INT_UNALIGNED, 0))
                    .isNotZero();
        }
    }
}
