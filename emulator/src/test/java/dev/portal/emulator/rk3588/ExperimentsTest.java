package dev.portal.emulator.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.hardware.rk3588.RknpuSubmit;
import dev.portal.hardware.rk3588.RknpuTask;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The experiments of spec 7.2 and 7.3, row by row. */
class ExperimentsTest {
    private static final Rk3588Options STICKS = Rk3588Options.standard();
    private static final Rk3588Options RETIRES = STICKS.withHaltRetires(true);

    @Test
    void taskNumberOneRunsOneProgramOfALinkedPair() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 2);
            assertThat(board.submit(board.submission(Board.BLOCKING, chain.tasks, 1)))
                    .isZero();
            assertThat(chain.isRight(0)).isTrue();
            assertThat(chain.isRight(1)).isFalse();
            assertThat(board.report.faults()).isEmpty();
        }
    }

    @Test
    void aLinkedChainRunsWithOneCompletion() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 16);
            RknpuSubmit args = board.submission(Board.BLOCKING, chain.tasks, 16);
            assertThat(board.submit(args)).isZero();
            assertThat(args.taskCounter()).isEqualTo(16);
            assertThat(chain.countRight()).isEqualTo(16);
            assertThat(board.driver.usage().jobs()).isZero();
        }
    }

    @Test
    void aLivePatchStopsTheChainAfterThePatchedProgramAndTheJobSticks() {
        try (Board board = new Board(STICKS)) {
            Chain chain = new Chain(board, 16);
            assertThat(board.submit(board.submission(Board.ASYNC, chain.tasks, 16)))
                    .isZero();
            chain.patch(8, 109, Programs.terminalLength());
            board.clock.advance(10_000_000);
            assertThat(chain.countRight()).isEqualTo(9);
            assertThat(chain.isRight(8)).isTrue();
            assertThat(board.driver.usage().jobs()).isEqualTo(1);
        }
    }

    @Test
    void inTheOtherProfileAHaltedJobRetires() {
        try (Board board = new Board(RETIRES)) {
            Chain chain = new Chain(board, 16);
            assertThat(board.submit(board.submission(Board.ASYNC, chain.tasks, 16)))
                    .isZero();
            chain.patch(8, 109, Programs.terminalLength());
            board.clock.advance(10_000_000);
            assertThat(chain.countRight()).isEqualTo(9);
            assertThat(board.driver.usage().jobs()).isZero();
        }
    }

    @Test
    void aPatchWithoutACleanIsNotSeen() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 16);
            assertThat(board.submit(board.submission(Board.ASYNC, chain.tasks, 16)))
                    .isZero();
            chain.programs.words(8L * Programs.BYTES + 8 * 109, new long[] {Programs.terminalLength()});
            board.clock.advance(10_000_000);
            assertThat(chain.countRight()).isEqualTo(16);
        }
    }

    /** With ping-pong the controller is one program ahead: program at + 1 is fetched when program at starts. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPatchOfARunningProgramComesTooLateOnlyWithPingPong(boolean pingPong) {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 4);
            int flags = pingPong ? Board.ASYNC : 0x3;
            assertThat(board.submit(board.submission(flags, chain.tasks, 4))).isZero();
            board.clock.runNext();
            assertThat(board.driver.jobs.core(0).isRunning()).isTrue();
            chain.patch(1, 108, 0);
            chain.patch(1, 109, Programs.terminalLength());
            board.clock.advance(10_000_000);
            assertThat(chain.countRight()).isEqualTo(pingPong ? 4 : 2);
        }
    }

    @Test
    void aReserveOfTerminalProgramsWorksWhileTheSequencerStaysBeforeTheFrontier() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 8);
            for (int i = 5; i < 8; i++) {
                long[] words = chain.words(i);
                words[108] = 0;
                words[109] = Programs.terminalLength();
                chain.write(i, words);
            }
            board.toDevice(chain.programs);
            assertThat(board.submit(board.submission(Board.ASYNC, chain.tasks, 8)))
                    .isZero();
            board.clock.advance(10_000_000);
            assertThat(chain.countRight()).isEqualTo(6);
            assertThat(board.report.faults()).isEmpty();
        }
    }

    @Test
    void relinkingTheLastCountedProgramWhileItRunsAbortsTheJob() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 9);
            chain.patch(7, 108, 0);
            chain.patch(7, 109, Programs.terminalLength());
            assertThat(board.submit(board.submission(Board.ASYNC, chain.tasks, 8)))
                    .isZero();
            long[] words = chain.words(7);
            chain.patch(7, 108, words[108]);
            chain.patch(7, 109, words[109]);
            board.clock.advance(10_000_000);
            assertThat(chain.isRight(8)).isFalse();
            assertThat(board.driver.usage().jobs()).isEqualTo(1);
            assertThat(board.report.has("redirect")).isTrue();
        }
    }

    @Test
    void theJobOfARedirectedChainIsGivenUpAfterTenSecondsAndWhoWaitsBehindItGetsInvalid() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 9);
            chain.patch(7, 108, 0);
            chain.patch(7, 109, Programs.terminalLength());
            assertThat(board.submit(board.submission(Board.ASYNC, chain.tasks, 8)))
                    .isZero();
            long[] words = chain.words(7);
            chain.patch(7, 108, words[108]);
            chain.patch(7, 109, words[109]);
            board.clock.advance(1_000_000);
            long before = board.clock.nanos();
            assertThat(Answer.errno(board.submit(board.submission(Board.BLOCKING, chain.tasks, 1))))
                    .isEqualTo(Errno.EINVAL);
            assertThat(board.clock.nanos() - before).isBetween(9_000_000_000L, 11_000_000_000L);
            assertThat(board.log.contains("job abort, flags: 0x7, ret: -22")).isTrue();
            assertThat(board.log.contains("soft reset, num: 6")).isTrue();
            assertThat(board.driver.usage().jobs()).isZero();
        }
    }

    @Test
    void aLinkBeyondTheTaskNumberThatWasThereFromTheStartIsHarmless() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 9);
            assertThat(board.submit(board.submission(Board.BLOCKING, chain.tasks, 8)))
                    .isZero();
            assertThat(chain.countRight()).isEqualTo(8);
            assertThat(chain.isRight(8)).isFalse();
        }
    }

    @Test
    void aProgramLinkedToItselfDoesNotLoop() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 8);
            chain.patch(0, 108, 0x0101L << 48 | chain.address(0) << 16 | 0x0010);
            RknpuSubmit args = board.submission(Board.BLOCKING, chain.tasks, 8);
            args.timeout(100);
            assertThat(Answer.errno(board.submit(args))).isEqualTo(Errno.ETIMEDOUT);
            assertThat(chain.countRight()).isZero();
            assertThat(board.log.contains("soft reset, num: 6")).isTrue();
        }
    }

    @Test
    void programsThatAreNotLinkedStopAfterTheFirst() {
        for (int missing : List.of(108, 109)) {
            try (Board board = new Board()) {
                Chain chain = new Chain(board, 4);
                chain.patch(0, missing, missing == 108 ? 0 : Programs.terminalLength());
                RknpuSubmit args = board.submission(Board.BLOCKING, chain.tasks, 4);
                args.timeout(500);
                assertThat(Answer.errno(board.submit(args))).isEqualTo(Errno.ETIMEDOUT);
                assertThat(chain.countRight()).isEqualTo(1);
            }
        }
    }

    @Test
    void theReaderEnabledButNotSetUpNeverFinishes() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            chain.patch(0, 111, 0x0081_0000_001d_0008L);
            RknpuSubmit args = board.submission(Board.BLOCKING, chain.tasks, 1);
            args.timeout(500);
            assertThat(Answer.errno(board.submit(args))).isEqualTo(Errno.ETIMEDOUT);
            assertThat(board.report.has(StrictChecks.READER_TRAP)).isTrue();
        }
    }

    @Test
    void taskControlReadsBackWithoutItsHighBits() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 2);
            assertThat(board.submit(board.submission(Board.ASYNC, chain.tasks, 2)))
                    .isZero();
            assertThat(board.driver.jobs.core(0).read(0x30)).isEqualTo(0x1002);
            board.clock.advance(10_000_000);
            assertThat(board.driver.jobs.core(0).read(0x3c)).isEqualTo(0xf000);
        }
    }

    @Test
    void theStatusOfCompletionAlternatesBetweenTheTwoGroups() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            int[] seen = new int[3];
            for (int i = 0; i < 3; i++) {
                assertThat(board.submit(board.submission(Board.BLOCKING, chain.tasks, 1)))
                        .isZero();
                seen[i] = new RknpuTask(chain.tasks.memory().asSlice(0, 40)).intStatus();
            }
            assertThat(seen).containsExactly(0x100, 0x200, 0x100);
        }
    }

    @Test
    void aMaskOfTheFeatureSideRetiresBeforeTheOutputExists() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            board.task(chain.tasks, 0, chain.address(0), 108, 0x3);
            RknpuSubmit args = board.submission(Board.BLOCKING, chain.tasks, 1);
            assertThat(board.submit(args)).isZero();
            long early = args.hwElapseTime();
            board.task(chain.tasks, 0, chain.address(0), 108, 0x300);
            board.clock.advance(1_000_000);
            RknpuSubmit whole = board.submission(Board.BLOCKING, chain.tasks, 1);
            assertThat(board.submit(whole)).isZero();
            assertThat(early).isLessThan(whole.hwElapseTime());
        }
    }

    @Test
    void aMaskThatNeverMatchesGivesInvalidStatusAndATimeout() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            board.task(chain.tasks, 0, chain.address(0), 108, 0x100);
            RknpuSubmit args = board.submission(Board.BLOCKING, chain.tasks, 1);
            args.timeout(200);
            assertThat(Answer.errno(board.submit(args))).isEqualTo(Errno.ETIMEDOUT);
            assertThat(board.log.contains("RKNPU: invalid irq status: 0x100")).isTrue();
            assertThat(chain.isRight(0)).isTrue();
        }
    }

    @Test
    void anUnmappedProgramAddressTimesOutAndTouchesNothing() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            board.tasks(chain.tasks, 0x1000_0000L);
            RknpuSubmit args = board.submission(Board.BLOCKING, chain.tasks, 1);
            args.timeout(200);
            assertThat(Answer.errno(board.submit(args))).isEqualTo(Errno.ETIMEDOUT);
            assertThat(chain.countRight()).isZero();
            assertThat(board.report.has("iommu-fault")).isTrue();
        }
    }

    @Test
    void aProgramThatArmsPingPongOfCnaHangs() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            chain.patch(0, 1, 0x0201_0000_000e_1004L);
            RknpuSubmit args = board.submission(Board.BLOCKING, chain.tasks, 1);
            args.timeout(200);
            assertThat(Answer.errno(board.submit(args))).isEqualTo(Errno.ETIMEDOUT);
            assertThat(board.report.has("s-pointer")).isTrue();
        }
    }
}
