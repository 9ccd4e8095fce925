package dev.portal.emulator.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.RandomStream;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.hardware.rk3588.RknpuSubmit;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Mapping;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random calls and mutated programs: the driver's errnos or a diagnostic, never an exception of the model's own. */
class FuzzTest {
    private static final Set<Integer> ERRNOS = Set.of(
            0,
            Errno.EINVAL,
            Errno.ENOMEM,
            Errno.EFAULT,
            Errno.ETIMEDOUT,
            Errno.ENOENT,
            Errno.EACCES,
            Errno.EBADF,
            Errno.EMFILE,
            Errno.ENOTTY);
    private static final long TWO_MINUTES = 120_000_000_000L;

    private static LongStream seeds(int count) {
        Long given = Long.getLong("portal.seed");
        return given == null ? LongStream.rangeClosed(1, count) : LongStream.of(given);
    }

    static LongStream few() {
        return seeds(40);
    }

    static LongStream many() {
        return seeds(600);
    }

    @ParameterizedTest
    @MethodSource("few")
    void randomCallsGetTheDriversErrnos(long seed) {
        calls(seed);
    }

    @ParameterizedTest
    @MethodSource("few")
    void mutatedProgramsEndOrAreDiagnosed(long seed) {
        programs(seed);
    }

    @Tag("slow")
    @ParameterizedTest
    @MethodSource("many")
    void longRuns(long seed) {
        calls(seed);
        programs(seed);
    }

    private static void calls(long seed) {
        RandomStream random = new RandomStream(seed).derive("calls");
        try (Board board = new Board(Rk3588Options.standard().withSeed(seed))) {
            List<Mapping> mappings = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                int number = random.nextInt(10) < 8
                        ? 0x40 + random.nextInt(7)
                        : List.of(0x09, 0x0a, 0x2d, 0x2e, 0x33).get(random.nextInt(5));
                int size = random.nextInt(4) == 0 ? random.nextInt(128) : 104;
                MemorySegment args = argument(board, random);
                int request = 3 << 30 | size << 16 | 'd' << 8 | number;
                long answer = board.kernel.ioctl(random.nextInt(20) == 0 ? random.nextInt(9) : board.fd, request, args);
                assertThat(Answer.errno(answer))
                        .as("rerun with -Dportal.seed=%d, call %d", seed, i)
                        .isIn(ERRNOS);
                if (random.nextInt(6) == 0) {
                    Mapping mapping = board.kernel.mmap(
                            board.fd, 0x100000000L + 4096L * random.nextInt(4), 1L << random.nextInt(16), 3, 1);
                    if (mapping.errno() == 0) {
                        mappings.add(mapping);
                        mapping.memory().fill((byte) seed);
                    }
                }
            }
            mappings.forEach(
                    mapping -> assertThat(board.kernel.munmap(mapping.memory())).isZero());
            settle(board, seed);
        }
    }

    /** Bytes that often mean something: small handles, known pointers, usual flags. */
    private static MemorySegment argument(Board board, RandomStream random) {
        MemorySegment args = board.allocate(128);
        for (int at = 0; at < 128; at += 4) {
            int value = switch (random.nextInt(8)) {
                case 0 -> random.nextInt();
                case 1 -> 0x403;
                case 2 -> 0x40b;
                case 3 -> 5 + random.nextInt(3);
                case 4 -> 4096 * random.nextInt(3);
                default -> random.nextInt(6);
            };
            args.set(ValueLayout.JAVA_INT, at, value);
        }
        if (random.nextInt(3) == 0) {
            args.set(
                    ValueLayout.JAVA_LONG,
                    random.nextInt(2) == 0 ? 8 : 24,
                    0xffffff8100000000L + 0x400L * random.nextInt(6));
        }
        if (random.nextInt(2) == 0) {
            args.set(ValueLayout.JAVA_INT, 0, Board.DATA);
            args.set(ValueLayout.JAVA_INT, 4, 0x40b);
            args.set(ValueLayout.JAVA_INT, 40, random.nextInt(3));
        }
        args.set(ValueLayout.JAVA_LONG, 16, 0);
        return args;
    }

    private static void programs(long seed) {
        RandomStream random = new RandomStream(seed).derive("programs");
        try (Board board = new Board(Rk3588Options.standard().withSeed(seed).withHaltRetires(seed % 2 == 0))) {
            Chain chain = new Chain(board, 6);
            for (int i = 1 + random.nextInt(6); i > 0; i--) {
                int word = random.nextInt(Programs.WORDS);
                int step = random.nextInt(6);
                long old = chain.programs.memory().get(ValueLayout.JAVA_LONG, (long) step * Programs.BYTES + 8L * word);
                chain.patch(step, word, mutated(random, old));
            }
            for (int i = random.nextInt(3); i > 0; i--) {
                int bit = random.nextInt(40 * 6 * 8);
                byte old = chain.tasks.memory().get(ValueLayout.JAVA_BYTE, bit / 8);
                chain.tasks.memory().set(ValueLayout.JAVA_BYTE, bit / 8, (byte) (old ^ 1 << bit % 8));
            }
            RknpuSubmit args = board.submission(random.nextInt(2) == 0 ? Board.BLOCKING : Board.ASYNC, chain.tasks, 6);
            args.timeout(50);
            args.coreMask(List.of(0, 1, 1, 1, 2, 3, 4, 7).get(random.nextInt(8)));
            for (int i = 0; i < 5; i++) {
                args.subcoreTask(i).taskStart(random.nextInt(8) == 0 ? random.nextInt() : 0);
                args.subcoreTask(i).taskNumber(random.nextInt(8) == 0 ? random.nextInt(10) : 6);
            }
            assertThat(Answer.errno(board.submit(args)))
                    .as("rerun with -Dportal.seed=%d", seed)
                    .isIn(ERRNOS);
            settle(board, seed);
        }
    }

    private static long mutated(RandomStream random, long old) {
        return switch (random.nextInt(4)) {
            case 0 -> old ^ 1L << random.nextInt(64);
            case 1 -> old ^ 1L << (16 + random.nextInt(32));
            case 2 -> (old & 0xffff_0000_0000_ffffL) | (random.nextInt() & 0xffff_ffffL) << 16;
            default -> random.nextLong();
        };
    }

    /** Whatever was left comes to an end, and a good job runs after a reset. */
    private static void settle(Board board, long seed) {
        long end = board.clock.nanos() + TWO_MINUTES;
        int events = 0;
        while (board.clock.nextEventNanos() < end && events < 200_000) {
            board.clock.runNext();
            events++;
        }
        assertThat(events).as("events end; rerun with -Dportal.seed=%d", seed).isLessThan(200_000);
        board.action(RknpuAbi.ACTION_RESET, 0);
    }
}
