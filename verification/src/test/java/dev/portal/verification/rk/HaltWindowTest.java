package dev.portal.verification.rk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.rknpu.Chain;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A halt at step 8 of 16 in every phase of the controller: the window of spec 7.2 is one before to three after. */
class HaltWindowTest {
    private static final int STEPS = 16;
    private static final int HALT = 8;
    private static final MatmulShape SHAPE = new MatmulShape(MatmulType.INT8_INT32, 1, 512, 256);

    /** From the submit on, a seventh of a program apart; with cache instructions, and by MEM_SYNC, whose calls take time. */
    @ParameterizedTest
    @CsvSource({"false,true", "false,false", "true,true", "true,false"})
    void theChainEndsWithinTheWindowInEveryPhase(boolean retires, boolean cacheInstructions) {
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard().withHaltRetires(retires), cacheInstructions);
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                StepSet set = new StepSet(device, STEPS, SHAPE, 1, 1)) {
            int early = 0;
            for (long at = 0; at < 260_000; at += 3_500) {
                set.wipe();
                try (Chain chain = device.begin(set.steps)) {
                    board.clock.advance(at);
                    int progress = chain.progress();
                    int promised = chain.halt(HALT);
                    int done = chain.end();
                    assertThat(done - 1).as("halt after %d ns", at).isLessThanOrEqualTo(promised);
                    if (progress < HALT) {
                        assertThat(done - 1)
                                .as("halt after %d ns, at step %d", at, progress)
                                .isBetween(HALT - 1, HALT + 3);
                        early++;
                    }
                    assertThat(set.right().nextClearBit(0)).isEqualTo(done);
                    for (int i = done; i < STEPS; i++) {
                        assertThat(set.isUntouched(i))
                                .as("step %d, halt after %d ns", i, at)
                                .isTrue();
                    }
                }
            }
            assertThat(early).isGreaterThan(25);
        }
        assertThat(board.report.faults()).isEmpty();
        board.assertNothingLeaked();
    }

    @Test
    void aHaltThatComesTooLateChangesNothing() {
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard());
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                StepSet set = new StepSet(device, STEPS, SHAPE, 1, 2);
                Chain chain = device.begin(set.steps)) {
            while (chain.progress() < STEPS - 3) {
                chain.spin();
            }
            assertThat(chain.halt(HALT)).isEqualTo(STEPS - 1);
            assertThat(chain.end()).isEqualTo(STEPS);
            assertThat(board.log.contains("soft reset")).isFalse();
        }
    }
}
