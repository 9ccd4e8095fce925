package dev.portal.verification.rk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.emulator.FaultPlan;
import dev.portal.emulator.FaultPlan.Fault;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.FaultPlan.Trigger;
import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.rknpu.Chain;
import dev.portal.rknpu.ChainOptions;
import dev.portal.rknpu.ChainStep;
import dev.portal.rknpu.DeviceBuffer;
import dev.portal.rknpu.Fp16Diagnosis;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import dev.portal.rknpu.SyncPoint;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fp16 short count of the seed's board, injected into the emulated chip and named by the diagnosis. */
class ShortCountTest {
    private static final MatmulShape SHAPE = new MatmulShape(MatmulType.FP16_FP32, 2, 512, 256);

    private static MemorySegment ones(long elements) {
        MemorySegment ones = MemorySegment.ofArray(new byte[Math.toIntExact(2 * elements)]);
        for (long i = 0; i < elements; i++) {
            ones.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * i, Float.floatToFloat16(1));
        }
        return ones;
    }

    @ParameterizedTest
    @CsvSource({"FP16_SHORT_ROUND,6,SHORT_ROUND,320", "FP16_SHORT_ROW,1,SHORT_ROWS,480"})
    void theSignatureIsThatOfTheBoard(Kind kind, int blocks, Fp16Diagnosis.Kind expected, float value) {
        // The first fp16 program is the warm-up's.
        Fault fault = new Fault(kind, new Trigger.Count(2, 1), blocks);
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard().withFaults(FaultPlan.of(fault)));
        MemorySegment a = ones(2 * 512);
        MemorySegment columns = ones(256 * 512);
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                DeviceBuffer b = device.allocate(SHAPE.bBytes(), DeviceBuffer.Use.DATA);
                DeviceBuffer c = device.allocate(SHAPE.cBytes(), DeviceBuffer.Use.DATA)) {
            MemorySegment.copy(columns, 0, b.memory(), 0, SHAPE.bBytes());
            b.toDevice(SyncPoint.WEIGHTS_TO_DEVICE, 0, SHAPE.bBytes());
            ChainOptions options = ChainOptions.DEFAULT.withAsynchronousHalf(true);
            try (Chain chain = device.begin(List.of(ChainStep.of(SHAPE, a, b, c)), options)) {
                assertThat(chain.end()).isEqualTo(1);
            }
            MemorySegment result = c.memory().asSlice(0, SHAPE.cBytes());
            Fp16Diagnosis found = Fp16Diagnosis.ofOnes(SHAPE, result);
            assertThat(found.kind()).isEqualTo(expected);
            assertThat(found.missingBlocks()).isEqualTo(blocks);
            int row = found.wrongRows().getFirst();
            assertThat(result.get(ValueLayout.JAVA_FLOAT, 4L * 256 * row)).isEqualTo(value);
            assertThat(Fp16Diagnosis.of(SHAPE, a, columns, result)).isEqualTo(found);
        }
        board.assertNothingLeaked();
    }

    @Test
    void asynchronousHalfIsRefusedUnlessAskedForWhereNobodyWaits() {
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard());
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                StepSet set = new StepSet(device, 4, SHAPE, 1, 1)) {
            assertThatThrownBy(() -> device.compile(set.steps)).hasMessageContaining("not reliable on boards");
            assertThatThrownBy(() -> device.pool(set.steps, 1)).hasMessageContaining("not reliable on boards");
            // A chain is done when begin returns: waited for, core by core.
            try (Chain chain = device.begin(set.steps, 3)) {
                assertThat(chain.remaining()).isZero();
                chain.end();
            }
            assertThat(set.right().cardinality()).isEqualTo(4);
        }
    }
}
