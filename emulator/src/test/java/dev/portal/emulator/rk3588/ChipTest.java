package dev.portal.emulator.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.hardware.rk3588.RknpuSubmit;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Register groups, output rules, bank split and order of rows, on programs of one kind each. */
class ChipTest {
    /** Ones in, one program, and where its result goes. */
    private static final class Bench implements AutoCloseable {
        final Board board;
        final Board.Buffer features;
        final Board.Buffer weights;
        final Board.Buffer results;
        final Board.Buffer programs;
        final Board.Buffer tasks;

        Bench(Rk3588Options options) {
            board = new Board(options);
            features = board.buffer(1 << 18, Board.DATA);
            weights = board.buffer(1 << 18, Board.DATA);
            results = board.buffer(1 << 18, Board.DATA);
            programs = board.buffer(1 << 16, Board.DATA);
            tasks = board.buffer(4096, Board.TASKS);
            features.memory().fill((byte) 1);
            weights.memory().fill((byte) 1);
            results.memory().fill((byte) 0xAA);
            board.toDevice(features, weights, results);
        }

        Bench() {
            this(Rk3588Options.standard());
        }

        long[] int8(int m, int k, int n) {
            return Programs.int8(m, k, n, features.iova(), weights.iova(), results.iova());
        }

        long run(long[] words) {
            programs.words(0, words);
            board.toDevice(programs);
            board.task(tasks, 0, programs.iova(), words.length - 4, 0x300);
            RknpuSubmit args = board.submission(Board.BLOCKING, tasks, 1);
            args.timeout(200);
            long answer = board.submit(args);
            board.fromDevice(results);
            return answer;
        }

        @Override
        public void close() {
            board.close();
        }
    }

    /** F and S write everything; D writes only where its features are: the rest is what the program two before it wrote. */
    @Test
    void aProgramInheritsWhatItLeavesOutFromTheProgramTwoBefore() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 3);
            long[] second = chain.words(1);
            second[109] = 0x0101_0000_0002_0014L;
            chain.write(1, second);
            chain.write(2, delta(chain));
            board.toDevice(chain.programs);
            assertThat(board.submit(board.submission(Board.BLOCKING, chain.tasks, 3)))
                    .isZero();
            board.fromDevice(chain.results);
            assertThat(chain.results.int32(0)).isEqualTo(Chain.K + 2);
            assertThat(chain.isRight(1)).isTrue();
            assertThat(chain.results.int32(2 * Chain.N)).isEqualTo(Chain.SENTINEL);
        }
    }

    @Test
    void theGroupsPersistAcrossJobs() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 3);
            chain.write(2, delta(chain));
            board.toDevice(chain.programs);
            for (int step = 0; step < 3; step++) {
                board.task(chain.tasks, 0, chain.address(step), step == 2 ? 2 : 108, 0x300);
                assertThat(board.submit(board.submission(Board.BLOCKING, chain.tasks, 1)))
                        .isZero();
            }
            board.fromDevice(chain.results);
            assertThat(chain.results.int32(0)).isEqualTo(Chain.K + 2);
        }
    }

    @Test
    void withPingPongOffAProgramInheritsFromTheOneBefore() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 3);
            long[] first = chain.words(0);
            first[1] = 0x0201_0000_0030_1004L;
            chain.write(0, first);
            long[] second = chain.words(1);
            second[109] = 0x0101_0000_0002_0014L;
            chain.write(1, second);
            chain.write(2, delta(chain));
            board.toDevice(chain.programs);
            assertThat(board.submit(board.submission(0x1, chain.tasks, 3))).isZero();
            board.fromDevice(chain.results);
            assertThat(chain.results.int32(Chain.N)).isEqualTo(Chain.K + 2);
        }
    }

    /** Two body words: the features of step 2. */
    private static long[] delta(Chain chain) {
        long features = chain.features.iova() + 2L * Chain.K;
        return new long[] {
            0x0201L << 48 | features << 16 | 0x1070,
            0,
            0,
            Programs.terminalLength(),
            0x0041L << 48,
            0x0081_0000_000d_0008L
        };
    }

    @Test
    void programsOfAKickAreSerialised() {
        try (Bench bench = new Bench()) {
            Board board = bench.board;
            long[] first = Programs.requantised(bench.int8(1, 32, 32), 32, 1, 0);
            long[] second =
                    Programs.int8(1, 32, 32, bench.results.iova(), bench.weights.iova(), bench.results.iova() + 4096);
            Programs.link(first, bench.programs.iova() + Programs.BYTES);
            bench.programs.words(Programs.BYTES, second);
            bench.programs.words(0, first);
            board.toDevice(bench.programs);
            board.tasks(bench.tasks, bench.programs.iova(), bench.programs.iova() + Programs.BYTES);
            assertThat(board.submit(board.submission(Board.BLOCKING, bench.tasks, 2)))
                    .isZero();
            board.fromDevice(bench.results);
            assertThat(bench.results.int32(1024)).isEqualTo(32 * 32);
        }
    }

    @Test
    void theTaskBaseMovesDataButNotPrograms() {
        try (Bench bench = new Bench()) {
            long base = 0x1000;
            long[] words = Programs.int8(
                    1, 32, 32, bench.features.iova() - base, bench.weights.iova() - base, bench.results.iova() - base);
            bench.programs.words(0, words);
            bench.board.toDevice(bench.programs);
            bench.board.tasks(bench.tasks, bench.programs.iova());
            RknpuSubmit args = bench.board.submission(Board.BLOCKING, bench.tasks, 1);
            args.taskBaseAddr(base);
            assertThat(bench.board.submit(args)).isZero();
            bench.board.fromDevice(bench.results);
            assertThat(bench.results.int32(0)).isEqualTo(32);
        }
    }

    @Test
    void aTileOfAWiderResultIsExactWhenBothNotchesAgree() {
        try (Bench bench = new Bench()) {
            long[] words = bench.int8(4, 32, 32);
            Programs.set(words, 0x4038, (128 / 4 - 1) * 0x10001);
            assertThat(bench.run(words)).isZero();
            for (int i = 0; i < 4 * 128; i++) {
                assertThat(bench.results.int32(i)).as("element %d", i).isEqualTo(i % 128 < 32 ? 32 : 0xAAAAAAAA);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0x1f_0007, 0x7_001f})
    void withOneNotchMostOfTheTileStaysUnwritten(int notches) {
        try (Bench bench = new Bench()) {
            long[] words = bench.int8(4, 32, 32);
            Programs.set(words, 0x4038, notches);
            assertThat(bench.run(words)).isZero();
            long written = IntStream.range(0, 512)
                    .filter(i -> bench.results.int32(i) == 32)
                    .count();
            assertThat(written).isLessThan(64);
            assertThat(bench.board.report.has(StrictChecks.UNEQUAL_NOTCHES)).isTrue();
        }
    }

    @Test
    void surfaceAddIsIndependentOfTheSurfaces() {
        try (Bench bench = new Bench()) {
            halves(bench, 32 + 32 * 32);
            long[] words = Programs.half(1, 32, 32, bench.features.iova(), bench.weights.iova(), bench.results.iova());
            Programs.set(words, 0x4010, 0x48000002);
            Programs.set(words, 0x4050, 0x126);
            Programs.set(words, 0x4084, 0x10001);
            Programs.set(words, 0x40c0, 0x40);
            assertThat(bench.run(words)).isZero();
            for (int n = 0; n < 32; n++) {
                short got = bench.results.memory().get(ValueLayout.JAVA_SHORT, 2L * (n / 16 * 32 + n % 16));
                assertThat(Float.float16ToFloat(got)).isEqualTo(32f);
            }
            assertThat(bench.results.memory().get(ValueLayout.JAVA_SHORT, 2L * 16))
                    .isEqualTo((short) 0xAAAA);
        }
    }

    private static void halves(Bench bench, int count) {
        for (int i = 0; i < count; i++) {
            bench.features.memory().set(ValueLayout.JAVA_SHORT, 2L * i, (short) 0x3c00);
            bench.weights.memory().set(ValueLayout.JAVA_SHORT, 2L * i, (short) 0x3c00);
        }
        bench.board.toDevice(bench.features, bench.weights);
    }

    @Test
    void theMultiplierIsSignedSixteenBits() {
        try (Bench bench = new Bench()) {
            assertThat(bench.run(Programs.requantised(bench.int8(1, 32, 32), 32, 0x8000, 15)))
                    .isZero();
            assertThat(bench.results.memory().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) -32);
        }
    }

    @Test
    void int8OutputOfAPartialKernelGroupNeverCompletesAndItsWholeGroupsAreRight() {
        try (Bench bench = new Bench()) {
            long[] words = Programs.requantised(bench.int8(1, 32, 48), 48, 1, 0);
            assertThat(Answer.errno(bench.run(words))).isEqualTo(Errno.ETIMEDOUT);
            assertThat(bench.results.bytes(32)).containsOnly(32);
            assertThat(bench.results.memory().get(ValueLayout.JAVA_BYTE, 33)).isEqualTo((byte) 0xAA);
        }
    }

    @Test
    void aSurfaceGroupOfTheOtherDatapathLeavesTheRestUnwritten() {
        try (Bench bench = new Bench()) {
            long[] words = bench.int8(1, 32, 64);
            Programs.set(words, 0x4050, 0x36e);
            Programs.set(words, 0x40c0, 0x40);
            assertThat(bench.run(words)).isZero();
            assertThat(bench.results.int32(15)).isEqualTo(32);
            assertThat(bench.results.int32(16)).isEqualTo(0xAAAAAAAA);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0xa1, 0xb2, 0x0c, 0xc0, 0x1b1})
    void aWrongBankSplitGivesWrongResults(int cbuf) {
        try (Bench bench = new Bench()) {
            long[] words = bench.int8(4, 64, 32);
            Programs.set(words, 0x1040, cbuf);
            assertThat(bench.run(words)).isZero();
            assertThat(bench.results.int32(0)).isNotEqualTo(64);
            assertThat(bench.board.report.faults()).isNotEmpty();
        }
    }

    /** fp16 K = 512 in one bank: 32 rows are right, of 48 the last 16 are not. */
    @ParameterizedTest
    @ValueSource(ints = {32, 48})
    void rowsBeyondTheBankAreWrong(int rows) {
        try (Bench bench = new Bench()) {
            halves(bench, 48 * 512);
            long[] words =
                    Programs.half(rows, 512, 16, bench.features.iova(), bench.weights.iova(), bench.results.iova());
            Programs.set(words, 0x1040, 0xb1);
            assertThat(bench.run(words)).isZero();
            for (int m = 0; m < rows; m++) {
                boolean right = Float.intBitsToFloat(bench.results.int32(16 * m)) == 512f;
                assertThat(right).as("row %d", m).isEqualTo(m < 32);
            }
        }
    }

    @Test
    void sizesWrapInTheirFields() {
        RegisterGroups registers = new RegisterGroups();
        registers.set(0, 0x1020, 0x10000 | (2500 & 0x7ff));
        assertThat(MatmulTask.of(registers, 0, 0xd, 0).cna().rows()).isEqualTo(452);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void rowsLandInAnOrderOfTheSeedAndWholeRowsOnly(long seed) {
        List<Integer> order = landing(seed);
        assertThat(order).hasSize(8).doesNotHaveDuplicates();
        assertThat(landing(seed)).isEqualTo(order);
        assertThat(List.of(landing(1), landing(2), landing(3))).doesNotHaveDuplicates();
    }

    /** Order in which the last column of each row changes, polled with cache instructions. */
    private static List<Integer> landing(long seed) {
        try (Bench bench = new Bench(Rk3588Options.standard().withSeed(seed))) {
            bench.programs.words(0, bench.int8(8, 512, 32));
            bench.board.toDevice(bench.programs);
            bench.board.tasks(bench.tasks, bench.programs.iova());
            assertThat(bench.board.submit(bench.board.submission(Board.ASYNC, bench.tasks, 1)))
                    .isZero();
            List<Integer> order = new ArrayList<>();
            var cache = bench.board.kernel.cacheMaintenance().orElseThrow();
            while (order.size() < 8) {
                cache.cleanInvalidate(bench.results.memory(), 0, 8 * 128);
                for (int row = 0; row < 8; row++) {
                    if (bench.results.int32(32 * row + 31) == 512 && !order.contains(row)) {
                        order.add(row);
                        int[] whole = new int[32];
                        for (int n = 0; n < 32; n++) {
                            whole[n] = bench.results.int32(32 * row + n);
                        }
                        assertThat(Arrays.stream(whole).allMatch(value -> value == 512))
                                .isTrue();
                    }
                }
                bench.board.clock.spin();
            }
            return order;
        }
    }

    /** Spec 7.2: slots that run the last program again abort the whole job; a spin program with zeros of its own runs. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void runningAProgramAgainIntoItsResultAbortsUnlessItsFeaturesAreZero(boolean zeros) {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 10);
            if (zeros) {
                chain.features.bytes(7L * Chain.K, new byte[Chain.K]);
                board.toDevice(chain.features);
            }
            for (int i = 8; i < 10; i++) {
                long[] again = chain.words(7);
                if (i < 9) {
                    Programs.link(again, chain.address(i + 1));
                } else {
                    again[108] = 0;
                    again[109] = Programs.terminalLength();
                }
                chain.write(i, again);
            }
            board.toDevice(chain.programs);
            assertThat(board.submit(board.submission(Board.ASYNC, chain.tasks, 10)))
                    .isZero();
            board.clock.advance(10_000_000);
            assertThat(chain.countRight()).isEqualTo(zeros ? 7 : 0);
        }
    }

    @Test
    void unknownRegistersAndTargetsAreReported() {
        try (Bench bench = new Bench()) {
            long[] words = bench.int8(1, 32, 32);
            words[1] = 0x0201_0000_0001_1ffcL;
            words[2] = 0x0401_0000_0001_2000L;
            assertThat(bench.run(words)).isZero();
            assertThat(bench.board.report.has("unknown-register")).isTrue();
            assertThat(bench.board.report.has("unknown-target")).isTrue();
        }
    }

    @Test
    void aMissingMarkerAndAWrongLengthHang() {
        try (Bench bench = new Bench()) {
            long[] words = bench.int8(1, 32, 32);
            words[110] = 0;
            assertThat(Answer.errno(bench.run(words))).isEqualTo(Errno.ETIMEDOUT);
            assertThat(bench.board.report.has("no-marker")).isTrue();
            bench.run(Arrays.copyOf(bench.int8(1, 32, 32), 100));
            assertThat(bench.board.report.has("no-enable")).isTrue();
        }
    }
}
