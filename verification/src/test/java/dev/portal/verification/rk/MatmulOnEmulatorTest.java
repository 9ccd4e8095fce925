package dev.portal.verification.rk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.RandomStream;
import dev.portal.base.SystemClock;
import dev.portal.emulator.EmulatedKernel;
import dev.portal.emulator.FaultPlan.Fault;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.FaultPlan.Trigger;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.emulator.RealTime;
import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.emulator.rk3588.RknpuDriver;
import dev.portal.kernel.DeviceException;
import dev.portal.rknpu.CoreRunner;
import dev.portal.rknpu.Matmul;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.OutputSpec;
import dev.portal.rknpu.PatternInputs;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuFindings;
import dev.portal.rknpu.RknpuOptions;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Products of any shape, through our driver and the emulated chip, against the processor: int8 in every bit, fp16 by what
 * holds in every order of summation. A run of random shapes repeats with {@code -Dportal.seed=N}.
 */
final class MatmulOnEmulatorTest {
    private static final long SEED = Long.getLong("portal.seed", 20261130);

    private static OutputSpec anyOutput(RandomStream random) {
        return switch (random.nextInt(6)) {
            case 0, 1 -> OutputSpec.parse("int8", "int32");
            case 2 ->
                OutputSpec.parse("int8", "int8:mult=" + (1 + random.nextInt(32767)) + ",shift=" + random.nextInt(32));
            case 3, 4 -> OutputSpec.parse("fp16", "fp32");
            default -> OutputSpec.parse("fp16", "fp16");
        };
    }

    private static int logUniform(RandomStream random, double log2) {
        return (int) Math.max(1, Math.round(Math.pow(2, random.nextDouble() * log2)));
    }

    private static void compare(Matmul matmul, Operands operands, String where) {
        MemorySegment c = matmul.multiply(operands.output(), operands.shape(), operands.a(), operands.b());
        assertThat(operands.check(c).first())
                .as("%s, %s", operands.shape(), where)
                .isEmpty();
    }

    /** Log-uniform dimensions, the product of all three at most two to the {@code log2Macs}. */
    private static void randomShapes(int count, double log2Macs) {
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard().withSeed(SEED));
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                Matmul one = new Matmul(device, 1, CoreRunner.SEQUENTIAL);
                Matmul three = new Matmul(device, 3, CoreRunner.SEQUENTIAL)) {
            for (int i = 0; i < count; i++) {
                RandomStream random = new RandomStream(SEED).derive("product").derive(Integer.toString(i));
                OutputSpec output = anyOutput(random);
                int m = logUniform(random, 9.2);
                int k = logUniform(random, Math.min(13.1, log2Macs - log2(m)));
                int n = logUniform(random, Math.clamp(log2Macs - log2((double) m * k), 0, 13.1));
                Operands operands = random.nextBoolean()
                        ? Operands.exact(output, m, k, n, random)
                        : Operands.rounding(output, m, k, n, random);
                compare(i % 2 == 0 ? one : three, operands, "number " + i + ", rerun with -Dportal.seed=" + SEED);
            }
        }
        assertThat(board.report.faults()).isEmpty();
        board.assertNothingLeaked();
    }

    private static double log2(double value) {
        return Math.log(value) / Math.log(2);
    }

    @Test
    void randomShapesAreRightAndNothingLeaks() {
        randomShapes(40, 19);
    }

    @Test
    @Tag("slow")
    void twoHundredShapesUpToTwoToTheTwentySixAreRightAndNothingLeaks() {
        randomShapes(200, 26);
    }

    private static void corner(String in, String out, int m, int k, int n, int cores, boolean cacheInstructions) {
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard(), cacheInstructions);
        OutputSpec output = OutputSpec.parse(in, out.replace(';', ','));
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                Matmul matmul = new Matmul(device, cores, CoreRunner.SEQUENTIAL)) {
            compare(matmul, Operands.exact(output, m, k, n, new RandomStream(7)), cores + " cores");
        }
        assertThat(board.report.faults()).isEmpty();
        board.assertNothingLeaked();
    }

    /** On both sides of every limit: weight tiles, schedule steps, banks, depth, width, requantised partial sums. */
    @ParameterizedTest
    @CsvSource({
        "1, 1, 1",
        "1, 31, 33",
        "1, 32, 32",
        "3, 33, 31",
        "4, 512, 32",
        "5, 100, 100",
        "64, 64, 32",
        "65, 64, 32",
        "704, 64, 32",
        "705, 64, 32",
        "2, 2048, 32",
        "2, 2049, 32",
        "2, 4097, 32",
        "1, 32, 8192",
        "1, 31, 8193"
    })
    void theCornersOfEveryLimitAreRight(int m, int k, int n) {
        corner("int8", "int32", m, k, n, 1, true);
        corner("fp16", "fp32", m, k, n, 3, false);
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({
        "544, 512, 64",
        "352, 1024, 32",
        "353, 1024, 32",
        "320, 1024, 32",
        "128, 2048, 64",
        "129, 2048, 64",
        "64, 4096, 40",
        "1, 9000, 40",
        "600, 96, 96",
        "2047, 32, 32",
        "2048, 32, 32",
        "1, 64, 9000"
    })
    void largerCornersAreRight(int m, int k, int n) {
        corner("int8", "int32", m, k, n, 3, false);
        corner("fp16", "fp32", m, k, n, 1, true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"int8:mult=19661;shift=22;half-even", "int8:mult=19661;shift=28", "int16", "fp32"})
    void everyOutputOfInt8IsRight(String output) {
        corner("int8", output, 5, 64, 96, 1, true);
        corner("int8", output, 3, 4100, 40, 3, true);
    }

    @Test
    void halvesComeOutAsHalves() {
        corner("fp16", "fp16", 5, 64, 48, 1, true);
        corner("fp16", "fp16", 129, 1024, 16, 3, true);
        corner("fp16", "fp16", 2, 4097, 16, 1, true);
    }

    @Test
    void threeCoresBlockSideBySideInRealTime() {
        RealTime time = new RealTime(new SystemClock());
        RknpuDriver driver = new RknpuDriver(time, Rk3588Options.standard(), new KernelLog(), new ModelReport());
        EmulatedKernel kernel = new EmulatedKernel(List.of(driver), time);
        RandomStream random = new RandomStream(SEED);
        try (RknpuDevice device = RknpuDevice.open(kernel, time, RknpuOptions.DEFAULT);
                Matmul matmul = new Matmul(device, 3, CoreRunner.CONCURRENT)) {
            for (int i = 0; i < 10; i++) {
                OutputSpec output = OutputSpec.parse("fp16", "fp32");
                compare(matmul, Operands.exact(output, 4 + i, 512, 96, random), "product " + i);
            }
        }
        assertThat(driver.usage()).isEqualTo(new RknpuDriver.Usage(0, 0, 0, 0));
        assertThat(kernel.openDescriptors() + kernel.openMappings()).isZero();
    }

    @Test
    void aRunRepeatsBitForBitWithItsSeed() {
        OutputSpec output = OutputSpec.parse("fp16", "fp32");
        List<Long> times = IntStream.range(0, 2)
                .mapToObj(run -> {
                    EmulatedBoard board =
                            new EmulatedBoard(Rk3588Options.standard().withSeed(5));
                    try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                            Matmul matmul = new Matmul(device, 3, CoreRunner.SEQUENTIAL)) {
                        compare(matmul, Operands.rounding(output, 9, 64, 64, new RandomStream(5)), "run " + run);
                    }
                    return board.clock.nanos();
                })
                .toList();
        assertThat(times.get(0)).isEqualTo(times.get(1)).isPositive();
    }

    @Test
    void aSecondOwnerIsToldThatTheNpuIsTakenAndByWhom() {
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard());
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT)) {
            assertThat(device.driverVersion()).isEqualTo(908);
            assertThatThrownBy(() -> board.open(RknpuOptions.DEFAULT))
                    .isInstanceOf(DeviceException.Busy.class)
                    .hasMessageContaining("in use by process ");
        }
        board.assertNothingLeaked();
        assertThat(RknpuFindings.examine(board.kernel, board.clock))
                .singleElement()
                .satisfies(finding -> assertThat(finding.level()).isEqualTo(RknpuFindings.Level.GOOD));
    }

    @Test
    void anotherChipOfTheFamilyIsRefusedBeforeAnythingRuns() {
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard().withChip("rk3576"));
        assertThatThrownBy(() -> board.open(RknpuOptions.DEFAULT))
                .isInstanceOf(DeviceException.Incompatible.class)
                .hasMessageContaining("rk3576");
        board.assertNothingLeaked();
    }

    @Test
    void anOlderDriverTakesTheShorterStructureAndComputes() {
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard().withDriverVersion(802));
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                Matmul matmul = new Matmul(device, 1, CoreRunner.SEQUENTIAL)) {
            assertThat(device.memCreateBytes()).isEqualTo(40);
            compare(
                    matmul,
                    Operands.exact(OutputSpec.parse("int8", "int32"), 3, 40, 50, new RandomStream(1)),
                    "driver 0.8.2");
        }
        // Without the flag for exact alignment, the kernel keeps small freed addresses in its own caches (Q20).
        assertThat(board.driver.usage().buffers()).isZero();
        assertThat(board.kernel.openMappings()).isZero();
        assertThat(board.kernel.openDescriptors()).isZero();
    }

    @Test
    void memoryIsRefusedReadably() {
        EmulatedBoard board = EmulatedBoard.with(new Fault(Kind.MEMORY_ERRNO, new Trigger.Ratio(1), 0));
        assertThatThrownBy(() -> board.open(RknpuOptions.DEFAULT))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("ENOMEM");
        board.assertNothingLeaked();
    }

    @Test
    void operandsOfTheWrongSizeAreNamed() {
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard());
        OutputSpec output = OutputSpec.parse("int8", "int32");
        MatmulShape shape = new MatmulShape(MatmulType.INT8_INT32, 1, 32, 1);
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                Matmul matmul = new Matmul(device, 1, CoreRunner.SEQUENTIAL)) {
            MemorySegment tooShort = MemorySegment.ofArray(new byte[31]);
            assertThatThrownBy(() -> matmul.prepare(output, 32, 1, tooShort))
                    .hasMessage("B has 31 bytes; 1 columns of 32 int8 elements are 32");
            assertThatThrownBy(() -> matmul.multiply(output, shape, tooShort, PatternInputs.b(shape)))
                    .hasMessage("A has 31 bytes; 1 rows of 32 int8 elements are 32");
        }
    }
}
