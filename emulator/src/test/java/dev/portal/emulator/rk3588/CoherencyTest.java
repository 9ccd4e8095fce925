package dev.portal.emulator.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Each sync of spec section 9, left out once: the result shows it. */
class CoherencyTest {
    private static void run(Chain chain) {
        assertThat(chain.board.submit(chain.board.submission(Board.BLOCKING, chain.tasks, chain.steps)))
                .isZero();
    }

    @Test
    void featuresThatAreNotCleanedAreOld() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            chain.features.bytes(0, new byte[] {100});
            run(chain);
            assertThat(chain.isRight(0)).isTrue();
        }
    }

    @Test
    void weightsThatAreNotCleanedAreOld() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            chain.weights.bytes(0, new byte[Chain.K * Chain.N]);
            run(chain);
            assertThat(chain.isRight(0)).isTrue();
        }
    }

    @Test
    void aProgramThatIsNotCleanedIsOld() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            long[] words = chain.words(0);
            Programs.set(words, 0x4020, (int) (chain.results.iova() + 64));
            chain.write(0, words);
            run(chain);
            assertThat(chain.isRight(0)).isTrue();
        }
    }

    @Test
    void aResultThatIsNotInvalidatedIsOld() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            run(chain);
            assertThat(chain.results.int32(0)).isEqualTo(Chain.SENTINEL);
            assertThat(chain.isRight(0)).isTrue();
        }
    }

    @Test
    void aSentinelThatIsNotCleanedIsWrittenBackOverTheResult() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            chain.results.ints(0, 1234);
            run(chain);
            assertThat(chain.isRight(0)).isFalse();
            assertThat(board.report.has("dirty-line")).isTrue();
        }
    }

    @Test
    void withoutEvictionASentinelIsLostAtTheInvalidation() {
        try (Board board = new Board(Rk3588Options.standard().withEvictDirtyLines(false))) {
            Chain chain = new Chain(board, 1);
            chain.results.ints(0, 1234);
            run(chain);
            assertThat(chain.isRight(0)).isTrue();
        }
    }

    @Test
    void cleaningACleanLineDoesNotCoverWhatTheDeviceWrote() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            run(chain);
            board.toDevice(chain.results);
            assertThat(chain.isRight(0)).isTrue();
        }
    }

    @Test
    void cacheInstructionsDoTheSameAsTheIoctl() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            var cache = board.kernel.cacheMaintenance().orElseThrow();
            chain.results.ints(0, 1234);
            cache.clean(chain.results.memory(), 0, 4);
            run(chain);
            assertThat(chain.results.int32(0)).isEqualTo(1234);
            cache.cleanInvalidate(chain.results.memory(), 0, 4);
            assertThat(chain.results.int32(0)).isEqualTo(Chain.K);
        }
    }

    @Test
    void bufferWithoutCacheNeedsNoSyncAndRefusesOne() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            Board.Buffer plain = board.buffer(4096, 0x400);
            byte[] ones = new byte[Chain.K];
            Arrays.fill(ones, (byte) 1);
            plain.bytes(0, ones);
            chain.write(0, Programs.int8(1, Chain.K, Chain.N, plain.iova(), chain.weights.iova(), plain.iova() + 1024));
            board.toDevice(chain.programs);
            run(chain);
            assertThat(plain.int32(256)).isEqualTo(Chain.K);
            assertThat(Answer.errno(board.sync(plain, RknpuAbi.SYNC_TO_DEVICE))).isEqualTo(Errno.EINVAL);
        }
    }
}
