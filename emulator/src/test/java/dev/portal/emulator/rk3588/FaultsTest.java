package dev.portal.emulator.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.emulator.FaultPlan;
import dev.portal.emulator.FaultPlan.Fault;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.FaultPlan.Trigger;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.hardware.rk3588.RknpuMemCreate;
import dev.portal.hardware.rk3588.RknpuSubmit;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** Every fault of a plan, once: what it does, and that it can be lifted. */
class FaultsTest {
    private static Board board(Kind kind, long amount) {
        return new Board(
                Rk3588Options.standard().withFaults(FaultPlan.of(new Fault(kind, new Trigger.Count(1, 1), amount))));
    }

    private static long run(Chain chain) {
        RknpuSubmit args = chain.board.submission(Board.BLOCKING, chain.tasks, chain.steps);
        args.timeout(300);
        return chain.board.submit(args);
    }

    @Test
    void aLostDispatchTimesOutWithCounterZeroAndTheNextOneRuns() {
        try (Board board = board(Kind.LOST_DISPATCH, 0)) {
            Chain chain = new Chain(board, 4);
            assertThat(Answer.errno(run(chain))).isEqualTo(Errno.ETIMEDOUT);
            assertThat(board.log.contains("task counter: 0, flags: 0x5")).isTrue();
            assertThat(chain.countRight()).isZero();
            assertThat(run(chain)).isZero();
            assertThat(chain.countRight()).isEqualTo(4);
        }
    }

    @Test
    void aLateInterruptMakesTheJobLonger() {
        try (Board board = board(Kind.LATE_INTERRUPT, 5_000_000)) {
            Chain chain = new Chain(board, 1);
            RknpuSubmit args = board.submission(Board.BLOCKING, chain.tasks, 1);
            assertThat(board.submit(args)).isZero();
            assertThat(args.hwElapseTime()).isBetween(5_000_000L, 5_030_000L);
        }
    }

    @Test
    void theColdFirstPassLeavesTheOutputUntouched() {
        try (Board board = board(Kind.COLD_FIRST_PASS, 0)) {
            Chain chain = new Chain(board, 1);
            assertThat(run(chain)).isZero();
            assertThat(chain.results.int32(0)).isEqualTo(Chain.SENTINEL);
            assertThat(chain.countRight()).isZero();
            assertThat(run(chain)).isZero();
            assertThat(chain.countRight()).isEqualTo(1);
        }
    }

    @Test
    void anotherProcessMayResetTheDevice() {
        try (Board board = board(Kind.FOREIGN_RESET, 0)) {
            Chain chain = new Chain(board, 1);
            assertThat(run(chain)).isZero();
            assertThat(board.log.contains("soft reset, num: 6")).isTrue();
        }
    }

    @Test
    void anInjectedIommuFaultStallsTheCore() {
        try (Board board = board(Kind.IOMMU_FAULT, 0)) {
            Chain chain = new Chain(board, 1);
            assertThat(Answer.errno(run(chain))).isEqualTo(Errno.ETIMEDOUT);
            assertThat(run(chain)).isZero();
        }
    }

    @Test
    void aRedirectMayWedgeTheBoardForGood() {
        try (Board board = board(Kind.HARD_WEDGE, 0)) {
            Chain chain = new Chain(board, 8);
            chain.patch(0, 108, 0x0101L << 48 | chain.address(0) << 16 | 0x0010);
            assertThat(Answer.errno(run(chain))).isEqualTo(Errno.ETIMEDOUT);
            chain.write(0, chain.words(0));
            board.toDevice(chain.programs);
            assertThat(Answer.errno(run(chain))).isEqualTo(Errno.ETIMEDOUT);
            assertThat(board.report.has("wedged")).isTrue();
        }
    }

    @Test
    void submitAndCreateFailWithTheInjectedErrno() {
        try (Board board = board(Kind.SUBMIT_ERRNO, Errno.EBUSY)) {
            Chain chain = new Chain(board, 1);
            assertThat(Answer.errno(run(chain))).isEqualTo(Errno.EBUSY);
            assertThat(run(chain)).isZero();
        }
        try (Board board = board(Kind.MEMORY_ERRNO, 0)) {
            RknpuMemCreate args = new RknpuMemCreate(board.allocate(48));
            args.size(4096);
            assertThat(Answer.errno(board.ioctl(RknpuAbi.DRM_MEM_CREATE, args.segment())))
                    .isEqualTo(Errno.ENOMEM);
            assertThat(board.ioctl(RknpuAbi.DRM_MEM_CREATE, args.segment())).isZero();
        }
    }

    /** Q9: 512 ones, 6 entries of 32 channels missing, give 320. */
    @Test
    void aShortCountDropsWholeEntriesOfFp16Sums() {
        assertThat(halfSums(Kind.FP16_SHORT_ROUND)).containsOnly(320f);
        assertThat(halfSums(Kind.FP16_SHORT_ROW)).contains(320f, 512f).doesNotContain(0f);
    }

    private static float[] halfSums(Kind kind) {
        try (Board board = board(kind, 6)) {
            Board.Buffer data = board.buffer(1 << 16, Board.DATA);
            for (int i = 0; i < 4 * 512 + 16 * 512; i++) {
                data.memory().set(ValueLayout.JAVA_SHORT, 2L * i, (short) 0x3c00);
            }
            Board.Buffer out = board.buffer(4096, Board.DATA);
            Board.Buffer program = board.buffer(4096, Board.DATA);
            program.words(0, Programs.half(4, 512, 16, data.iova(), data.iova() + 4096, out.iova()));
            Board.Buffer tasks = board.buffer(4096, Board.TASKS);
            board.tasks(tasks, program.iova());
            board.toDevice(data, program, out);
            assertThat(board.submit(board.submission(Board.BLOCKING, tasks, 1))).isZero();
            board.fromDevice(out);
            float[] sums = new float[4 * 16];
            for (int i = 0; i < sums.length; i++) {
                sums[i] = Float.intBitsToFloat(out.int32(i));
            }
            return sums;
        }
    }

    /** Q10: a reuse bit outside one chain may use the features of the program before. */
    @Test
    void staleFeaturesAreUsedWhenAReuseBitIsSetOutsideAChain() {
        try (Board board = board(Kind.STALE_CBUF, 0)) {
            Chain chain = new Chain(board, 2);
            for (int i = 0; i < 2; i++) {
                long[] words = Programs.int8(
                        1,
                        Chain.K,
                        Chain.N,
                        chain.features.iova() + (long) i * Chain.K,
                        chain.weights.iova(),
                        chain.results.iova() + (long) i * Chain.RESULT_BYTES);
                Programs.set(words, 0x1040, i == 0 ? 0xb1 : 0x10b1);
                chain.write(i, words);
            }
            board.toDevice(chain.programs);
            for (int i = 0; i < 2; i++) {
                board.tasks(chain.tasks, chain.address(i));
                assertThat(board.submit(board.submission(Board.BLOCKING, chain.tasks, 1)))
                        .isZero();
            }
            assertThat(chain.isRight(0)).isTrue();
            assertThat(chain.isRight(1)).isFalse();
            assertThat(chain.results.int32(Chain.N)).isEqualTo(Chain.K);
        }
    }

    @Test
    void healLiftsEveryFault() {
        FaultPlan always = FaultPlan.of(new Fault(Kind.LOST_DISPATCH, new Trigger.Ratio(1), 0));
        try (Board board = new Board(Rk3588Options.standard().withFaults(always))) {
            Chain chain = new Chain(board, 1);
            assertThat(Answer.errno(run(chain))).isEqualTo(Errno.ETIMEDOUT);
            board.driver.heal();
            assertThat(run(chain)).isZero();
        }
    }

    @Test
    void aFaultAtATimeFiresOnceFromThen() {
        FaultPlan later = FaultPlan.of(new Fault(Kind.LOST_DISPATCH, new Trigger.At(1_000_000_000), 0));
        try (Board board = new Board(Rk3588Options.standard().withFaults(later))) {
            Chain chain = new Chain(board, 1);
            assertThat(run(chain)).isZero();
            board.clock.advanceTo(1_000_000_000);
            assertThat(Answer.errno(run(chain))).isEqualTo(Errno.ETIMEDOUT);
            assertThat(run(chain)).isZero();
        }
    }
}
