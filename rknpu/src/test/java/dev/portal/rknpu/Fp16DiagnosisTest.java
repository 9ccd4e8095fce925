package dev.portal.rknpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.rknpu.Fp16Diagnosis.Kind;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The signatures of the seed's board: M = 2, K = 512, N = 256, operands of ones. */
class Fp16DiagnosisTest {
    private static final MatmulShape SHAPE = new MatmulShape(MatmulType.FP16_FP32, 2, 512, 256);

    private static float[] sums(float value) {
        float[] sums = new float[512];
        Arrays.fill(sums, value);
        return sums;
    }

    private static Fp16Diagnosis of(float[] sums) {
        return Fp16Diagnosis.ofOnes(SHAPE, MemorySegment.ofArray(sums));
    }

    @Test
    void sixBlocksMissingEverywhereAreAShortRound() {
        Fp16Diagnosis found = of(sums(320));
        assertThat(found.kind()).isEqualTo(Kind.SHORT_ROUND);
        assertThat(found.missingBlocks()).isEqualTo(6);
        assertThat(found.blocks()).isEqualTo(16);
        assertThat(found).hasToString("short count: 6 of 16 K blocks are missing from the whole round");
    }

    @Test
    void oneBlockMissingFromOneRowIsANearMiss() {
        float[] sums = sums(512);
        Arrays.fill(sums, 256, 512, 480);
        Fp16Diagnosis found = of(sums);
        assertThat(found.kind()).isEqualTo(Kind.SHORT_ROWS);
        assertThat(found.missingBlocks()).isEqualTo(1);
        assertThat(found.wrongRows()).containsExactly(1);
        assertThat(found.wrongElements()).isEqualTo(256);
    }

    @Test
    void everyNumberOfMissingBlocksIsRecognised() {
        for (int n = 1; n <= 16; n++) {
            assertThat(of(sums(512 - 32 * n)).missingBlocks()).isEqualTo(n);
        }
    }

    @Test
    void otherDefectsAreNotCalledAShortCount() {
        assertThat(of(sums(512)).kind()).isEqualTo(Kind.RIGHT);
        float[] one = sums(512);
        one[17] = 321;
        assertThat(of(one).kind()).isEqualTo(Kind.OTHER);
        float[] mixed = sums(320);
        mixed[3] = 480;
        assertThat(of(mixed).kind()).isEqualTo(Kind.OTHER);
        float[] unwritten = sums(512);
        unwritten[5] = Float.intBitsToFloat(StepTable.SENTINEL);
        assertThat(of(unwritten).kind()).isEqualTo(Kind.UNWRITTEN);
    }
}
