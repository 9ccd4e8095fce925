package dev.portal.verification.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The seed's tables on the model's clock, which repeats: directions and orders of size, not the seed's figures. */
class TablesTest {
    @Test
    void severalCoresBeatOneAndTheBlockingStream() {
        try (ModelBoard board = new ModelBoard(32)) {
            long single = board.queue(1);
            long several = board.queue(3);
            long blocking = board.blockingStream();
            assertThat((double) single / several).isBetween(1.7, 2.6);
            assertThat(blocking).isGreaterThan(several);
            // The rows that the model was fitted to, within its typical error (spec 10).
            assertThat((double) single).isBetween(988e3 / 1.2, 988e3 * 1.2);
            assertThat((double) several).isBetween(436e3 / 1.2, 436e3 * 1.2);
        }
    }

    /** A NONBLOCK call takes 5 us; one in place of three saves two of them where the last core is what is waited for. */
    @Test
    void oneSubmitForThreeCoresSavesTheCallsOfTwo() {
        try (ModelBoard board = new ModelBoard(32)) {
            assertThat(board.queueWithOneSubmit()).isLessThan(board.queue(3));
        }
        try (ModelBoard board = new ModelBoard(3)) {
            long saved = board.compiled(3) - board.compiledWithOneSubmit();
            assertThat(saved).isBetween(5_000L, 11_000L);
        }
    }

    @Test
    void aPrecompiledRunIsTheBoardsTimeAlone() {
        try (ModelBoard board = new ModelBoard(16)) {
            long built = board.chain(1);
            long compiled = board.compiled(1);
            assertThat(compiled).isLessThanOrEqualTo(built);
            assertThat((double) compiled).isBetween(440e3 / 1.2, 440e3 * 1.2);
            assertThat(board.compiled(3)).isLessThan(compiled);
        }
    }
}
