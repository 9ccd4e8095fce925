package dev.portal.emulator.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.junit.jupiter.api.Test;

/** Spec 4.1 and experiments.tsv: ties, order of steps, signed multiplier, saturation. */
class OutputStageTest {
    private static long scale(long acc, int multiplier, int shift, boolean away) {
        return OutputStage.scale(acc, multiplier, shift, away, 0);
    }

    @Test
    void tiesGoToEvenByDefault() {
        assertThat(new long[] {
                    scale(1, 1, 1, false), scale(3, 1, 1, false), scale(-1, 1, 1, false), scale(-3, 1, 1, false)
                })
                .containsExactly(0, 2, 0, -2);
    }

    @Test
    void tiesGoAwayFromZeroWithTheRoundBit() {
        assertThat(new long[] {scale(1, 1, 1, true), scale(3, 1, 1, true), scale(-1, 1, 1, true), scale(-3, 1, 1, true)
                })
                .containsExactly(1, 2, -1, -2);
    }

    @Test
    void bothRulesAgreeWithExactArithmetic() {
        for (int acc = -4000; acc <= 4000; acc += 7) {
            for (int shift = 0; shift < 12; shift++) {
                for (int multiplier : new int[] {1, -3, 19661, -32768}) {
                    BigDecimal exact =
                            BigDecimal.valueOf((long) acc * multiplier).divide(BigDecimal.valueOf(1L << shift));
                    assertThat(scale(acc, multiplier, shift, false))
                            .isEqualTo(exact.setScale(0, RoundingMode.HALF_EVEN).longValueExact());
                    assertThat(scale(acc, multiplier, shift, true))
                            .isEqualTo(exact.setScale(0, RoundingMode.HALF_UP).longValueExact());
                }
            }
        }
    }

    @Test
    void theOffsetComesAfterRoundingAndBeforeSaturation() {
        assertThat(OutputStage.saturate(OutputStage.scale(301, 1, 1, false, -128), 8))
                .isEqualTo(22);
        assertThat(OutputStage.saturate(OutputStage.scale(1000, 1, 0, false, -900), 8))
                .isEqualTo(100);
        assertThat(OutputStage.saturate(OutputStage.scale(1000, 1, 0, false, 0), 8))
                .isEqualTo(127);
        assertThat(OutputStage.saturate(OutputStage.scale(-1000, 1, 0, false, 0), 8))
                .isEqualTo(-128);
    }

    @Test
    void int32OutputSaturatesAtTheWriter() {
        assertThat(OutputStage.saturate(1L << 35, 32)).isEqualTo(Integer.MAX_VALUE);
        assertThat(OutputStage.saturate(-(1L << 35), 32)).isEqualTo(Integer.MIN_VALUE);
    }

    @Test
    void aNanKeepsItsSignAndGetsPayloadOne() {
        assertThat(OutputStage.toHalf(Float.float16ToFloat((short) 0xfc02))).isEqualTo((short) 0xfc01);
        assertThat(OutputStage.toHalf(Float.float16ToFloat((short) 0x7e00))).isEqualTo((short) 0x7c01);
    }

    @Test
    void subnormalHalvesAreKept() {
        assertThat(OutputStage.toHalf(Float.float16ToFloat((short) 0x0001))).isEqualTo((short) 0x0001);
        assertThat(OutputStage.multiplyHalf((short) 0x3c00, (short) 0x83ff)).isEqualTo((short) 0x83ff);
    }
}
