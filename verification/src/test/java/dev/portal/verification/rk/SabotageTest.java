package dev.portal.verification.rk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.RandomStream;
import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.hardware.rk3588.CnaRegisters;
import dev.portal.hardware.rk3588.RegisterCommand;
import dev.portal.kernel.DeviceException;
import dev.portal.rknpu.CoreRunner;
import dev.portal.rknpu.Matmul;
import dev.portal.rknpu.OutputSpec;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import dev.portal.rknpu.SyncPoint;
import dev.portal.rknpu.Weights;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Mistakes that a driver can make, made on purpose: each gives a wrong product, an error, or a diagnostic. What passes here
 * unseen would be invisible in the code and rare on a board.
 */
final class SabotageTest {
    private static final OutputSpec INT8 = OutputSpec.parse("int8", "int32");
    private static final RknpuOptions QUICK =
            RknpuOptions.DEFAULT.withoutWarmUp().withTimeoutMs(50);

    private final EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard());

    /** Two products of one shape, so that what the first left in memory is there to be taken for the second's. */
    private static boolean bothAreRight(RknpuDevice device, int m, int k, int n) {
        try (Matmul matmul = new Matmul(device, 1, CoreRunner.SEQUENTIAL)) {
            boolean right = true;
            for (int seed = 1; seed <= 2; seed++) {
                Operands operands = Operands.exact(INT8, m, k, n, new RandomStream(seed));
                MemorySegment c = matmul.multiply(INT8, operands.shape(), operands.a(), operands.b());
                right &= operands.check(c).isRight();
            }
            return right;
        }
    }

    /**
     * Each sync of spec 9, left out by the driver's switch. The task array is read by the kernel through a mapping of its
     * own, which is coherent on arm64: leaving that one out changes nothing, and the model says that nobody relies on it.
     */
    @ParameterizedTest
    @EnumSource(SyncPoint.class)
    void everyMissingSyncIsNoticed(SyncPoint omitted) {
        boolean right = false;
        try (RknpuDevice device = board.open(QUICK.withoutSync(omitted))) {
            right = bothAreRight(device, 4, 64, 64);
        } catch (DeviceException seen) {
            assertThat(seen.getMessage()).isNotBlank();
        }
        assertThat(right).as("leaving out %s", omitted).isEqualTo(omitted == SyncPoint.TASKS_TO_DEVICE);
        if (omitted == SyncPoint.TASKS_TO_DEVICE) {
            assertThat(board.report.has("task-sync")).isTrue();
        }
    }

    @Test
    void withEverySyncTheSameProductsAreRight() {
        try (RknpuDevice device = board.open(QUICK)) {
            assertThat(bothAreRight(device, 4, 64, 64)).isTrue();
            assertThat(bothAreRight(device, 64, 2048, 32)).isTrue();
            assertThat(bothAreRight(device, 705, 64, 32)).isTrue();
        }
        assertThat(board.report.faults()).isEmpty();
        board.assertNothingLeaked();
    }

    /** Whether the products went wrong, or somebody said why not, with words changed behind the driver's back. */
    private boolean isNoticed(int m, int k, int n, Consumer<MeddlingKernel.Submitted> meddling) {
        MeddlingKernel meddler = new MeddlingKernel(board.kernel, meddling);
        try (RknpuDevice device = RknpuDevice.open(meddler.kernel(), board.clock, QUICK)) {
            return !bothAreRight(device, m, k, n);
        } catch (DeviceException | IllegalStateException seen) {
            return true;
        } finally {
            assertThat(meddler.meddled()).isTrue();
        }
    }

    /** 64 rows of 2048 channels need four feature banks; one holds sixteen of them. */
    @Test
    void aWrongBankSplitIsNoticed() {
        assertThat(isNoticed(
                        64,
                        2048,
                        32,
                        submitted -> submitted.replace((index, word) -> {
                            boolean split = RegisterCommand.offset(word) == CnaRegisters.CNA_CBUF_CON0;
                            return split ? (word & ~(0xffL << 16)) | 0xb1L << 16 : word;
                        })))
                .isTrue();
        assertThat(board.report.has("bank-overflow")).isTrue();
    }

    /** 705 rows are two programs; the first one's link loses its address, or its length. */
    @Test
    void anUnlinkedChainIsNoticed() {
        for (int word : new int[] {108, 109}) {
            assertThat(isNoticed(
                            705,
                            64,
                            32,
                            submitted -> submitted.replace(
                                    (index, old) -> index == word ? old & 0xffff_0000_0000_ffffL : old)))
                    .isTrue();
        }
        assertThat(board.log.contains("failed to wait job")).isTrue();
    }

    @Test
    void aBufferThatIsFreedInFlightIsNoticed() {
        assertThat(isNoticed(4, 64, 64, MeddlingKernel.Submitted::freeWeights)).isTrue();
        assertThat(board.report.has("destroyed-buffer")).isTrue();
    }

    /** The weights' address belongs to another buffer when the program runs. */
    @Test
    void aStaleAddressIsNoticed() {
        assertThat(isNoticed(4, 64, 64, MeddlingKernel.Submitted::replaceWeights))
                .isTrue();
    }

    /** The library's own guards come first: nothing reaches the kernel. */
    @Test
    void theLibraryRefusesWeightsThatWereClosed() {
        try (RknpuDevice device = board.open(QUICK);
                Matmul matmul = new Matmul(device, 1, CoreRunner.SEQUENTIAL)) {
            Operands operands = Operands.exact(INT8, 4, 64, 64, new RandomStream(1));
            Weights weights = matmul.prepare(INT8, 64, 64, operands.b());
            weights.close();
            assertThatThrownBy(() -> matmul.multiply(weights, 4, operands.a()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is closed");
        }
        assertThat(board.report.faults()).isEmpty();
        board.assertNothingLeaked();
    }
}
