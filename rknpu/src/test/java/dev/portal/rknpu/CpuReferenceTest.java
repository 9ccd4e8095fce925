package dev.portal.rknpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.RandomStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CpuReferenceTest {
    private static final long FAST_MACS = 1 << 22;

    private static void compare(String[] row) {
        OutputSpec output = OutputSpec.parse(row[0], row[4]);
        MatmulShape shape = new MatmulShape(
                output.type(), Integer.parseInt(row[1]), Integer.parseInt(row[2]), Integer.parseInt(row[3]));
        MemorySegment c = CpuReference.multiply(output, shape, PatternInputs.a(shape), PatternInputs.b(shape));
        assertThat(Fnv1a64.hex(Fnv1a64.of(c))).as(shape + " " + row[4]).isEqualTo(row[5]);
    }

    private static boolean isFast(String[] row) {
        return Long.parseLong(row[1]) * Long.parseLong(row[2]) * Long.parseLong(row[3]) <= FAST_MACS;
    }

    @Test
    void productsOfThePatternHaveTheGoldenFingerprints() {
        List<String[]> rows = GoldenPrograms.rows("matmul_results.tsv")
                .filter(CpuReferenceTest::isFast)
                .toList();
        assertThat(rows).hasSizeGreaterThan(100).allSatisfy(CpuReferenceTest::compare);
    }

    @Test
    @Tag("slow")
    void largeProductsOfThePatternHaveTheGoldenFingerprints() {
        GoldenPrograms.rows("matmul_results.tsv").filter(row -> !isFast(row)).forEach(CpuReferenceTest::compare);
    }

    /** Depths and widths on both sides of the blocks; halves whose sums depend on their order. */
    @Test
    void blocksOfColumnsGiveTheBitsOfElementAfterElement() {
        RandomStream random = new RandomStream(11);
        for (int[] size : new int[][] {{4, 33, 64}, {5, 31, 70}, {9, 100, 513}, {3, 64, 600}, {7, 5, 63}}) {
            int m = size[0];
            int k = size[1];
            int n = size[2];
            byte[] a = new byte[m * k];
            byte[] b = new byte[n * k];
            random.nextBytes(a);
            random.nextBytes(b);
            MatmulShape integers = new MatmulShape(MatmulType.INT8_INT32, m, k, n);
            MemorySegment c = CpuReference.multiply(
                    OutputSpec.parse("int8", "int32"), integers, MemorySegment.ofArray(a), MemorySegment.ofArray(b));
            short[] halvesA = new short[a.length];
            short[] halvesB = new short[b.length];
            for (int i = 0; i < a.length; i++) {
                halvesA[i] = Float.floatToFloat16(random.nextFloat() - 0.5f);
            }
            for (int i = 0; i < b.length; i++) {
                halvesB[i] = Float.floatToFloat16(random.nextFloat() - 0.5f);
            }
            MatmulShape halves = new MatmulShape(MatmulType.FP16_FP32, m, k, n);
            MemorySegment f = CpuReference.multiply(
                    OutputSpec.parse("fp16", "fp32"),
                    halves,
                    MemorySegment.ofArray(halvesA),
                    MemorySegment.ofArray(halvesB));
            for (int i = 0; i < m * n; i++) {
                int sum = 0;
                float real = 0;
                for (int j = 0; j < k; j++) {
                    sum += a[i / n * k + j] * b[i % n * k + j];
                    real += Float.float16ToFloat(halvesA[i / n * k + j]) * Float.float16ToFloat(halvesB[i % n * k + j]);
                }
                assertThat(c.get(ValueLayout.JAVA_INT_UNALIGNED, 4L * i)).isEqualTo(sum);
                assertThat(f.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * i)).isEqualTo(real);
            }
        }
    }

    @Test
    void requantisationRoundsTiesToEvenAndSaturates() {
        assertThat(CpuReference.requantise(1, 1, 1)).isZero();
        assertThat(CpuReference.requantise(3, 1, 1)).isEqualTo((byte) 2);
        assertThat(CpuReference.requantise(-1, 1, 1)).isZero();
        assertThat(CpuReference.requantise(-3, 1, 1)).isEqualTo((byte) -2);
        assertThat(CpuReference.requantise(1000, 1, 0)).isEqualTo((byte) 127);
        assertThat(CpuReference.requantise(-1000, 1, 0)).isEqualTo((byte) -128);
        for (int shift : new int[] {1, 7, 31, 40, 62, 63}) {
            for (int accumulator : new int[] {Integer.MIN_VALUE, -77, -1, 0, 1, 5, Integer.MAX_VALUE}) {
                for (int multiplier : new int[] {-32768, -3, 1, 2, 32767}) {
                    long exact = BigDecimal.valueOf((long) accumulator * multiplier)
                            .divide(BigDecimal.valueOf(2).pow(shift), 0, RoundingMode.HALF_EVEN)
                            .max(BigDecimal.valueOf(-128))
                            .min(BigDecimal.valueOf(127))
                            .longValueExact();
                    assertThat(CpuReference.requantise(accumulator, multiplier, shift))
                            .as("%d * %d >> %d", accumulator, multiplier, shift)
                            .isEqualTo((byte) exact);
                }
            }
        }
    }

    @Test
    void theFingerprintIsThatOfFnv() {
        assertThat(Fnv1a64.hex(Fnv1a64.of(MemorySegment.ofArray(new byte[0])))).isEqualTo("cbf29ce484222325");
        assertThat(Fnv1a64.hex(Fnv1a64.of(MemorySegment.ofArray("foobar".getBytes(StandardCharsets.UTF_8)))))
                .isEqualTo("85944171f73967e8");
    }

    @Test
    void outputsAreReadAsTheGoldenFilesWriteThem() {
        assertThat(OutputSpec.parse("int8", "int8:mult=19661,shift=28,half-even"))
                .isEqualTo(new OutputSpec(MatmulType.INT8_INT8, 19661, 28));
        assertThat(OutputSpec.parse("fp16", null)).isEqualTo(new OutputSpec(MatmulType.FP16_FP32, 0, 0));
        assertThat(OutputSpec.parse("int8", "int8")).isEqualTo(new OutputSpec(MatmulType.INT8_INT8, 1, 0));
        assertThatThrownBy(() -> OutputSpec.parse("int8", "int8:mult=x")).hasMessageContaining("\"mult=x\"");
        assertThatThrownBy(() -> OutputSpec.parse("int8", "int8:up")).hasMessageContaining("unknown option \"up\"");
        assertThatThrownBy(() -> OutputSpec.parse("tf32", "tf32")).hasMessageContaining("unsupported: tf32 to tf32");
    }
}
