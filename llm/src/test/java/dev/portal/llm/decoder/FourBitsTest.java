package dev.portal.llm.decoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.portal.base.RandomStream;
import dev.portal.base.SystemClock;
import dev.portal.llm.gguf.GgufTensor;
import dev.portal.llm.gguf.TensorType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The processor's rows in 4 bits, against a reference that is written from GGML's description of Q4_0. */
class FourBitsTest {
    private static final int INPUTS = 96;
    private static final int OUTPUTS = 40;

    private final long seed = Long.getLong("portal.seed", 20260716L);
    private final RandomStream random = new RandomStream(seed);
    private final CpuBackend.Int8Store memory = new CpuBackend.Int8Store(1 << 20);

    private float[] row() {
        float[] row = new float[INPUTS];
        for (int i = 0; i < row.length; i++) {
            row[i] = (float) (random.nextDouble() * 2 - 1) * (i < 32 ? 1 : 0.03f);
        }
        return row;
    }

    private GgufTensor tensor(TensorType type, int rows) {
        byte[] bytes = new byte[(int) (rows * type.rowBytes(INPUTS))];
        MemorySegment data = MemorySegment.ofArray(bytes);
        for (int i = 0; i < rows && type == TensorType.F32; i++) {
            float[] row = row();
            for (int k = 0; k < INPUTS; k++) {
                data.set(WeightRows.FLOAT, 4L * (i * INPUTS + k), row[k]);
            }
        }
        return new GgufTensor("w" + rows, List.of((long) INPUTS, (long) rows), type, data);
    }

    /** What a block of Q4_0 makes of weights: {@code d * (q - 8)}, d the weight of largest magnitude / -8 as F16. */
    private static double[] reference(float[] row) {
        double[] values = new double[row.length];
        for (int block = 0; block < row.length; block += 32) {
            float extreme = 0;
            for (int i = block; i < block + 32; i++) {
                extreme = Math.abs(row[i]) > Math.abs(extreme) ? row[i] : extreme;
            }
            float d = extreme / -8f;
            for (int i = block; i < block + 32; i++) {
                int q = d == 0 ? 8 : Math.min(15, (int) Math.floor(row[i] * (1f / d) + 8.5f));
                values[i] = (double) Float.float16ToFloat(Float.floatToFloat16(d)) * (q - 8);
            }
        }
        return values;
    }

    @Test
    void aRowIsQuantisedAsTheReferenceDoes() {
        byte[] to = new byte[54];
        GgufTensor made = new GgufTensor("q", List.of(96L, 1L), TensorType.Q4_0, MemorySegment.ofArray(to));
        float[] zeros = new float[INPUTS];
        float[] equal = new float[INPUTS];
        Arrays.fill(equal, -0.5f);
        for (float[] row : List.of(row(), row(), row(), zeros, equal)) {
            Q4Blocks.quantise(row, made.data(), 0);
            float[] back = new float[INPUTS];
            WeightRows.read(made, 0, back);
            double[] expected = reference(row);
            for (int i = 0; i < INPUTS; i++) {
                assertThat((double) back[i])
                        .as("weight %d, -Dportal.seed=%d", i, seed)
                        .isEqualTo(expected[i]);
            }
        }
    }

    @Test
    void theBytesOfABlockAreThoseThatLlamaCppWrites() {
        float[] row = new float[32];
        row[0] = -4;
        row[1] = 2;
        row[16] = 3.5f;
        byte[] to = new byte[18];
        Q4Blocks.quantise(row, MemorySegment.ofArray(to), 0);
        // d = -4 / -8 = 0.5, F16 0x3800; -4 is 0, 2 is 12, 3.5 is 15, 0 is 8; the second half in the upper bits.
        assertThat(to[0]).isZero();
        assertThat(to[1]).isEqualTo((byte) 0x38);
        assertThat(to[2]).isEqualTo((byte) 0xf0);
        assertThat(to[3]).isEqualTo((byte) 0x8c);
        assertThat(to[4]).isEqualTo((byte) 0x88);
    }

    @Test
    void rowsAreConvertedWhenTheyAreAskedForAndThoseOfTheFileAreTakenAsTheyAre() {
        FourBitStore store = new FourBitStore(true, memory);
        GgufTensor floats = tensor(TensorType.F32, OUTPUTS);
        GgufTensor some = store.rows(floats, 30, TensorType.Q4_0);
        byte[] late = some.data().toArray(WeightRows.BYTE);
        assertThat(Arrays.copyOf(late, 30 * 54)).containsOnly(0);
        byte[] all = store.rows(floats, 0, TensorType.Q4_0).data().toArray(WeightRows.BYTE);
        assertThat(all).endsWith(Arrays.copyOfRange(late, 30 * 54, late.length));
        GgufTensor own = tensor(TensorType.Q4_0, 3);
        assertThat(store.kind(List.of(floats, own))).isEqualTo(TensorType.Q4_0);
        assertThat(store.rows(own, 0, TensorType.Q4_0)).isSameAs(own);
        GgufTensor wide = new GgufTensor("k", List.of(256L, 1L), TensorType.Q4_K, own.data());
        assertThat(store.kind(List.of(wide, wide))).isEqualTo(TensorType.Q4_K);
        assertThat(store.kind(List.of(wide, own))).isEqualTo(TensorType.Q4_0);
        assertThat(new FourBitStore(false, memory).takes(floats)).isFalse();
    }

    @Test
    void theProcessorsRowsAreTheProductsOfTheReferenceAndTheOthersAreLeftAlone() {
        GgufTensor tensor = tensor(TensorType.F32, OUTPUTS);
        try (Team team = Team.alone(new SystemClock())) {
            for (Kernels kernels : List.of(new ScalarKernels(), Kernels.best())) {
                CpuScratch scratch = new CpuScratch(team, kernels, 2, INPUTS);
                FourBitStore store = new FourBitStore(true, new CpuBackend.Int8Store(1 << 20));
                int[] taken = {17};
                Rest rest = new Rest(
                        scratch,
                        ProcessorTime.NONE,
                        List.of(new CpuLinear(store.rows(tensor, taken[0], TensorType.Q4_0), scratch)),
                        new int[] {OUTPUTS},
                        taken);
                float[] x = new float[2 * INPUTS];
                for (int i = 0; i < x.length; i++) {
                    x[i] = (float) (random.nextDouble() - 0.5);
                }
                float[] y = new float[2 * OUTPUTS];
                rest.begin(x, new float[][] {y}, 2);
                rest.finish();
                for (int token = 0; token < 2; token++) {
                    for (int n = 0; n < OUTPUTS; n++) {
                        double expected = n < taken[0] ? 0 : product(tensor, n, scratch.activations(), token);
                        assertThat((double) y[token * OUTPUTS + n])
                                .as("%s, output %d of token %d, -Dportal.seed=%d", kernels.name(), n, token, seed)
                                .isCloseTo(expected, within(2e-6));
                    }
                }
            }
        }
    }

    private static double product(GgufTensor tensor, int row, Activations x, int token) {
        float[] weights = new float[INPUTS];
        WeightRows.read(tensor, row, weights);
        double[] quantised = reference(weights);
        double sum = 0;
        for (int i = 0; i < INPUTS; i++) {
            int at = token * INPUTS + i;
            sum += quantised[i] * x.values()[at] * x.scales()[at / 32];
        }
        return sum;
    }
}
