package dev.portal.emulator.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.hardware.rk3588.DrmPrimeHandle;
import dev.portal.hardware.rk3588.DrmVersion;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.hardware.rk3588.RknpuMemCreate;
import dev.portal.hardware.rk3588.RknpuMemMap;
import dev.portal.hardware.rk3588.RknpuMemSync;
import dev.portal.hardware.rk3588.RknpuSubmit;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Open;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Spec 2 and 8: the interface, the errnos, the state machine. */
class DriverTest {
    private static int errno(long answer) {
        return Answer.errno(answer);
    }

    @Test
    void theNodeSaysWhoItIs() {
        try (Board board = new Board()) {
            DrmVersion version = new DrmVersion(board.allocate(64));
            MemorySegment name = board.allocate(16);
            version.name(name.address());
            version.nameLen(16);
            assertThat(board.ioctl(RknpuAbi.DRM_VERSION, version.segment())).isZero();
            assertThat(version.nameLen()).isEqualTo(5);
            assertThat(new String(name.asSlice(0, 5).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII))
                    .isEqualTo("rknpu");
            assertThat(version.versionPatchlevel()).isEqualTo(8);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1179210309", "1, 908", "2, 1000000000", "18, 1", "22, 0", "23, 0", "24, 0", "14, 77", "17, 77"})
    void queriesAnswerAsOnABoard(int code, int expected) {
        try (Board board = new Board()) {
            assertThat(board.action(code, 77)).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5, 7, 12, 20, 21, 26, -1})
    void actionsThatTheDriverLacksAreInvalid(int code) {
        try (Board board = new Board()) {
            assertThat(errno(board.actionAnswer(code))).isEqualTo(Errno.EINVAL);
        }
    }

    @Test
    void theOldShortCreateStructWorksAndOnlyItsBytesComeBack() {
        try (Board board = new Board()) {
            MemorySegment args = board.allocate(48);
            args.fill((byte) 0);
            args.set(ValueLayout.JAVA_INT, 4, 0x403);
            args.set(ValueLayout.JAVA_LONG, 8, 5000);
            args.set(ValueLayout.JAVA_LONG, 40, 0x1234567812345678L);
            assertThat(board.ioctl(RknpuAbi.DRM_MEM_CREATE_40, args)).isZero();
            assertThat(args.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(8192);
            assertThat(args.get(ValueLayout.JAVA_LONG, 24)).isEqualTo(0xffffe000L);
            assertThat(args.get(ValueLayout.JAVA_LONG, 40)).isEqualTo(0x1234567812345678L);
        }
    }

    @Test
    void theNumberByteDecidesAndLargerStructsAreCut() {
        try (Board board = new Board()) {
            MemorySegment args = board.allocate(64);
            args.fill((byte) 0);
            int request = 3 << 30 | 64 << 16 | 'd' << 8 | 0x40;
            args.set(ValueLayout.JAVA_INT, 0, 1);
            assertThat(board.ioctl(request, args)).isZero();
            assertThat(args.get(ValueLayout.JAVA_INT, 4)).isEqualTo(908);
            assertThat(errno(board.ioctl(3 << 30 | 8 << 16 | 'd' << 8 | 0x46, args)))
                    .isEqualTo(Errno.EINVAL);
        }
    }

    @Test
    void createRoundsUpRefusesNothingAndKnowsItsHandles() {
        try (Board board = new Board()) {
            RknpuMemCreate args = new RknpuMemCreate(board.allocate(48));
            assertThat(errno(board.ioctl(RknpuAbi.DRM_MEM_CREATE, args.segment())))
                    .isEqualTo(Errno.EINVAL);
            RknpuMemCreate made = board.create(1, Board.DATA, 0);
            assertThat(made.size()).isEqualTo(4096);
            assertThat(made.objAddr() >>> 32).isEqualTo(0xffffff81L);
            args.handle(made.handle());
            assertThat(board.ioctl(RknpuAbi.DRM_MEM_CREATE, args.segment())).isZero();
            assertThat(args.objAddr()).isEqualTo(made.objAddr());
            args.handle(0);
            args.size(5L << 30);
            assertThat(errno(board.ioctl(RknpuAbi.DRM_MEM_CREATE, args.segment())))
                    .isEqualTo(Errno.ENOMEM);
            args.size(4096);
            args.iommuDomainId(16);
            assertThat(errno(board.ioctl(RknpuAbi.DRM_MEM_CREATE, args.segment())))
                    .isEqualTo(Errno.EINVAL);
        }
    }

    @Test
    void theWindowIsSharedByEveryFileAndFreedByClose() {
        try (Board board = new Board()) {
            int other = Answer.value(board.kernel.open(RknpuDriver.CARD_NODE, Open.DEVICE));
            RknpuMemCreate args = new RknpuMemCreate(board.allocate(48));
            args.flags(Board.DATA);
            for (int i = 0; i < 31; i++) {
                args.handle(0);
                args.size(128L << 20);
                assertThat(board.kernel.ioctl(other, RknpuAbi.DRM_MEM_CREATE, args.segment()))
                        .isZero();
            }
            args.handle(0);
            args.size(128L << 20);
            assertThat(errno(board.ioctl(RknpuAbi.DRM_MEM_CREATE, args.segment())))
                    .isEqualTo(Errno.ENOMEM);
            board.kernel.close(other);
            assertThat(board.driver.usage().buffers()).isZero();
            assertThat(board.create(128L << 20, Board.DATA, 0).dmaAddr()).isEqualTo(0xf8000000L);
        }
    }

    @Test
    void mappingsEndWhereTheObjectEndsAndKeepItAlive() {
        try (Board board = new Board()) {
            Board.Buffer buffer = board.buffer(4096, Board.DATA);
            RknpuMemMap map = new RknpuMemMap(board.allocate(16));
            map.handle(buffer.handle());
            assertThat(board.ioctl(RknpuAbi.DRM_MEM_MAP, map.segment())).isZero();
            assertThat(map.offset()).isEqualTo(0x100000000L);
            assertThat(board.kernel
                            .mmap(board.fd, map.offset(), 8192, Kernel.PROT_READ, Kernel.MAP_SHARED)
                            .errno())
                    .isEqualTo(Errno.EINVAL);
            assertThat(board.destroy(buffer.handle())).isZero();
            assertThat(errno(board.destroy(buffer.handle()))).isEqualTo(Errno.EINVAL);
            assertThat(board.driver.usage().buffers()).isEqualTo(1);
            assertThat(board.kernel.munmap(buffer.memory())).isZero();
            assertThat(board.driver.usage()).isEqualTo(new RknpuDriver.Usage(0, 0, 0, 0));
        }
    }

    @Test
    void syncKnowsBadPointers() {
        try (Board board = new Board()) {
            RknpuMemSync args = new RknpuMemSync(board.allocate(32));
            assertThat(errno(board.ioctl(RknpuAbi.DRM_MEM_SYNC, args.segment())))
                    .isEqualTo(Errno.EINVAL);
            args.objAddr(0xffffff8012345678L);
            assertThat(errno(board.ioctl(RknpuAbi.DRM_MEM_SYNC, args.segment())))
                    .isEqualTo(Errno.EFAULT);
            assertThat(board.report.has("bad-pointer")).isTrue();
        }
    }

    @Test
    void anExportedBufferComesBackAsTheSameObject() {
        try (Board board = new Board()) {
            Board.Buffer buffer = board.buffer(4096, Board.DATA);
            DrmPrimeHandle prime = new DrmPrimeHandle(board.allocate(12));
            prime.handle(buffer.handle());
            assertThat(board.ioctl(RknpuAbi.DRM_PRIME_HANDLE_TO_FD, prime.segment()))
                    .isZero();
            int other = Answer.value(board.kernel.open(RknpuDriver.CARD_NODE, Open.DEVICE));
            assertThat(board.kernel.ioctl(other, RknpuAbi.DRM_PRIME_FD_TO_HANDLE, prime.segment()))
                    .isZero();
            RknpuMemCreate args = new RknpuMemCreate(board.allocate(48));
            args.handle(prime.handle());
            assertThat(board.kernel.ioctl(other, RknpuAbi.DRM_MEM_CREATE, args.segment()))
                    .isZero();
            assertThat(args.dmaAddr()).isEqualTo(buffer.iova());
            board.kernel.close(prime.fd());
            board.kernel.close(other);
            board.free(buffer);
            assertThat(board.driver.usage().buffers()).isZero();
        }
    }

    @Test
    void submitRefusesWhatTheDriverRefuses() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            RknpuSubmit none = board.submission(Board.BLOCKING, chain.tasks, 0);
            assertThat(errno(board.submit(none))).isEqualTo(Errno.EINVAL);
            assertThat(board.log.contains("RKNPU: invalid rknpu task number!")).isTrue();
            RknpuSubmit mask = board.submission(Board.BLOCKING, chain.tasks, 1);
            mask.coreMask(8);
            assertThat(errno(board.submit(mask))).isEqualTo(Errno.EINVAL);
            assertThat(board.log.contains("RKNPU: invalid rknpu core mask: 0x8"))
                    .isTrue();
            RknpuSubmit fence = board.submission(Board.BLOCKING | 0x10, chain.tasks, 1);
            assertThat(errno(board.submit(fence))).isEqualTo(Errno.EINVAL);
            RknpuSubmit domain = board.submission(Board.ASYNC, chain.tasks, 1);
            domain.iommuDomainId(16);
            assertThat(errno(board.submit(domain))).isEqualTo(Errno.EINVAL);
            Board.Buffer unmapped = board.buffer(4096, Board.DATA);
            assertThat(errno(board.submit(board.submission(Board.BLOCKING, unmapped, 1))))
                    .isEqualTo(Errno.EFAULT);
            assertThat(board.report.has("kernel-oops")).isTrue();
        }
    }

    @Test
    void aMissingTaskArrayWaitsOneTimeoutWithoutAReset() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            RknpuSubmit args = board.submission(Board.BLOCKING, chain.tasks, 1);
            args.taskObjAddr(0);
            args.timeout(300);
            long before = board.clock.nanos();
            assertThat(errno(board.submit(args))).isEqualTo(Errno.EINVAL);
            assertThat(board.clock.nanos() - before).isBetween(400_000_000L, 401_000_000L);
            assertThat(board.log.contains("job commit failed")).isTrue();
            assertThat(board.log.contains("soft reset")).isFalse();
            assertThat(board.driver.usage().jobs()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 6})
    void strangeCoreMasksAreQueuedAndNeverCommitted(int mask) {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            RknpuSubmit args = board.submission(Board.BLOCKING, chain.tasks, 1);
            args.coreMask(mask);
            args.timeout(300);
            assertThat(errno(board.submit(args))).isEqualTo(Errno.EINVAL);
            assertThat(board.log.contains("RKNPU: Unknown core mask: " + mask)).isTrue();
            assertThat(board.log.contains("soft reset")).isFalse();
            args.flags(Board.ASYNC);
            assertThat(board.submit(args)).isZero();
            assertThat(board.driver.usage().jobs()).isEqualTo(1);
        }
    }

    @Test
    void withoutThePcFlagAnIdleCoreAbortsAtOnce() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            long before = board.clock.nanos();
            assertThat(errno(board.submit(board.submission(0x4, chain.tasks, 1))))
                    .isEqualTo(Errno.EINVAL);
            assertThat(board.clock.nanos() - before).isLessThan(101_000_000);
            assertThat(board.log.contains("RKNPU: job abort, flags: 0x0, ret: -22"))
                    .isTrue();
        }
    }

    @Test
    void aTimeoutSaysWhatTheBoardsSayAndTheNextJobPasses() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 2);
            chain.patch(0, 109, Programs.terminalLength());
            RknpuSubmit args = board.submission(Board.BLOCKING, chain.tasks, 2);
            long before = board.clock.nanos();
            assertThat(errno(board.submit(args))).isEqualTo(Errno.ETIMEDOUT);
            assertThat(board.clock.nanos() - before).isBetween(6_200_000_000L, 6_210_000_000L);
            assertThat(args.taskCounter()).isEqualTo(1);
            assertThat(board.log.lines())
                    .anyMatch(line -> line.startsWith(
                            "RKNPU: failed to wait job, task counter: 1, flags: 0x5, ret = 0, elapsed time: 60"))
                    .anyMatch(line -> line.equals("RKNPU: job timeout, flags: 0x0:"))
                    .anyMatch(line -> line.contains("core 0 irq status: 0x0, raw status: 0xc0000")
                            && line.contains("require mask: 0x300"))
                    .anyMatch(line -> line.equals("RKNPU: soft reset, num: 6"));
            assertThat(board.submit(board.submission(Board.BLOCKING, chain.tasks, 1)))
                    .isZero();
            assertThat(board.driver.usage().domainReferences()).isZero();
        }
    }

    @Test
    void timeoutZeroFailsAtOnceAndResets() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            RknpuSubmit args = board.submission(Board.BLOCKING, chain.tasks, 1);
            args.timeout(0);
            assertThat(errno(board.submit(args))).isEqualTo(Errno.ETIMEDOUT);
            assertThat(board.log.contains("soft reset, num: 6")).isTrue();
        }
    }

    /** Q21: the age in microseconds is compared with the number of milliseconds. */
    @ParameterizedTest
    @CsvSource({"5, false", "7, true"})
    void aNonblockSubmitResetsTheDeviceBehindAJobOfSixMilliseconds(int ageMillis, boolean reset) {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 2);
            chain.patch(0, 109, Programs.terminalLength());
            assertThat(board.submit(board.submission(Board.ASYNC, chain.tasks, 2)))
                    .isZero();
            board.clock.advance(ageMillis * 1_000_000L);
            assertThat(board.submit(board.submission(Board.ASYNC, chain.tasks, 1)))
                    .isZero();
            board.clock.advance(1_000_000);
            assertThat(board.log.contains("soft reset, num: 6")).isEqualTo(reset);
            assertThat(board.driver.usage().jobs()).isEqualTo(reset ? 0 : 2);
            assertThat(board.driver.usage().domainReferences()).isEqualTo(reset ? 1 : 2);
        }
    }

    @Test
    void aLeakedDomainReferenceBlocksTheNextSwitchForSixSeconds() {
        try (Board board = new Board()) {
            aNonblockJobIsDropped(board);
            RknpuMemCreate args = new RknpuMemCreate(board.allocate(48));
            args.size(4096);
            args.iommuDomainId(3);
            long before = board.clock.nanos();
            assertThat(errno(board.ioctl(RknpuAbi.DRM_MEM_CREATE, args.segment())))
                    .isEqualTo(Errno.EINVAL);
            assertThat(board.clock.nanos() - before).isEqualTo(6_000_000_000L);
            assertThat(board.log.contains("switch iommu domain time out")).isTrue();
        }
    }

    private static void aNonblockJobIsDropped(Board board) {
        Chain chain = new Chain(board, 2);
        chain.patch(0, 109, Programs.terminalLength());
        assertThat(board.submit(board.submission(Board.ASYNC, chain.tasks, 2))).isZero();
        board.clock.advance(7_000_000);
        assertThat(board.submit(board.submission(Board.ASYNC, chain.tasks, 1))).isZero();
        board.clock.advance(1_000_000);
    }

    @Test
    void actResetTakesItsTimeAndFreesTheCores() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 2);
            chain.patch(0, 109, Programs.terminalLength());
            assertThat(board.submit(board.submission(Board.ASYNC, chain.tasks, 2)))
                    .isZero();
            board.clock.advance(1_000_000);
            long before = board.clock.nanos();
            board.action(RknpuAbi.ACTION_RESET, 0);
            assertThat(board.clock.nanos() - before).isEqualTo(105_000_000);
            assertThat(board.driver.usage().jobs()).isZero();
            assertThat(board.driver.usage().domainReferences()).isZero();
            assertThat(board.submit(board.submission(Board.BLOCKING, chain.tasks, 1)))
                    .isZero();
        }
    }

    @Test
    void aResetWhileABlockingCallWaitsGivesEinval() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 2);
            chain.patch(0, 109, Programs.terminalLength());
            board.clock.at(50_000_000, () -> board.action(RknpuAbi.ACTION_RESET, 0));
            assertThat(errno(board.submit(board.submission(Board.BLOCKING, chain.tasks, 2))))
                    .isEqualTo(Errno.EINVAL);
            assertThat(board.log.contains("RKNPU: job abort, flags: 0x0, ret: -22"))
                    .isTrue();
        }
    }

    /** One- and two-core jobs read entry [core]; three-core jobs entries 2, 3, 4 (spec 8.3). */
    @ParameterizedTest
    @CsvSource({"1, 0", "2, 1", "4, 2", "3, 0 1", "7, 2 3 4"})
    void eachCoreRunsItsOwnRange(int mask, String entries) {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 12);
            for (int step = 3; step < 12; step += 4) {
                chain.patch(step, 108, 0);
                chain.patch(step, 109, Programs.terminalLength());
            }
            RknpuSubmit args = board.submission(Board.BLOCKING, chain.tasks, 12);
            args.coreMask(mask);
            for (int i = 0; i < 5; i++) {
                args.subcoreTask(i).taskStart(0);
                args.subcoreTask(i).taskNumber(0);
            }
            String[] used = entries.split(" ");
            for (int i = 0; i < used.length; i++) {
                args.subcoreTask(Integer.parseInt(used[i])).taskStart(4 * i);
                args.subcoreTask(Integer.parseInt(used[i])).taskNumber(4);
            }
            assertThat(board.submit(args)).isZero();
            assertThat(chain.countRight()).isEqualTo(4 * used.length);
        }
    }

    /** Twelve steps in which cores 0, 1 and 2 have those from 0, 4 and 8 on, as many as given. */
    private static RknpuSubmit threeCores(Board board, Chain chain, int... numbers) {
        RknpuSubmit args = board.submission(Board.ASYNC, chain.tasks, 12);
        args.coreMask(7);
        for (int core = 0; core < 3; core++) {
            args.subcoreTask(core + 2).taskStart(4 * core);
            args.subcoreTask(core + 2).taskNumber(numbers[core]);
            chain.patch(4 * core + numbers[core] - 1, 108, 0);
            chain.patch(4 * core + numbers[core] - 1, 109, Programs.terminalLength());
        }
        return args;
    }

    @Test
    void aJobOfThreeCoresIsCommittedWhenTheLastOfThemIsFree() {
        try (Board board = new Board()) {
            Chain before = new Chain(board, 8);
            Chain chain = new Chain(board, 12);
            RknpuSubmit busy = board.submission(Board.ASYNC, before.tasks, 8);
            busy.coreMask(2);
            assertThat(board.submit(busy)).isZero();
            assertThat(board.submit(threeCores(board, chain, 4, 4, 4))).isZero();
            assertThat(board.driver.jobs.core(0).isRunning()).isFalse();
            assertThat(board.driver.jobs.core(2).isRunning()).isFalse();
            assertThat(board.driver.jobs.pending()).isEqualTo(2);
            while (board.driver.jobs.pending() == 2) {
                board.clock.advance(1_000);
            }
            assertThat(before.countRight()).isEqualTo(8);
            for (int core = 0; core < 3; core++) {
                assertThat(board.driver.jobs.core(core).isRunning())
                        .as("core %d", core)
                        .isTrue();
            }
            board.clock.advance(1_000_000);
            assertThat(chain.countRight()).isEqualTo(12);
            assertThat(board.driver.jobs.pending()).isZero();
        }
    }

    /** The driver lets each core go with its own interrupt; the job itself is done with the last. */
    @Test
    void aJobOfThreeCoresIsDoneWhenAllAreAndACoreThatEndedEarlyTakesTheNextJob() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 12);
            Chain next = new Chain(board, 1);
            assertThat(board.submit(threeCores(board, chain, 1, 4, 4))).isZero();
            assertThat(board.submit(board.submission(Board.BLOCKING, next.tasks, 1)))
                    .isZero();
            assertThat(next.countRight()).isEqualTo(1);
            board.clock.advance(1_000_000);
            assertThat(board.driver.jobs.pending()).isZero();
            assertThat(chain.countRight()).isEqualTo(9);
            for (int step = 1; step < 4; step++) {
                assertThat(chain.isRight(step)).isFalse();
            }
        }
    }

    @Test
    void aTaskThatWasNotSyncedIsReportedForTheRangeThatTheCoreReads() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 12);
            board.task(chain.tasks, 11, chain.address(11), 108, 0x300).opIdx(11);
            assertThat(board.submit(threeCores(board, chain, 4, 4, 1))).isZero();
            assertThat(board.report.has("task-sync")).isFalse();
            board.clock.advance(1_000_000);
            assertThat(board.submit(threeCores(board, chain, 4, 4, 4))).isZero();
            assertThat(board.report.has("task-sync")).isTrue();
        }
    }

    @Test
    void maskZeroTakesTheLeastLoadedCore() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 3);
            for (int i = 0; i < 3; i++) {
                RknpuSubmit args = board.submission(Board.ASYNC, chain.tasks, 3);
                args.coreMask(0);
                assertThat(board.submit(args)).isZero();
            }
            for (int core = 0; core < 3; core++) {
                assertThat(board.driver.jobs.core(core).isRunning())
                        .as("core %d", core)
                        .isTrue();
            }
        }
    }

    @Test
    void jobsOfOneCoreWaitForEachOther() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 4);
            assertThat(board.submit(board.submission(Board.ASYNC, chain.tasks, 4)))
                    .isZero();
            RknpuSubmit args = board.submission(Board.BLOCKING, chain.tasks, 1);
            assertThat(board.submit(args)).isZero();
            assertThat(chain.countRight()).isEqualTo(4);
            assertThat(args.hwElapseTime()).isLessThan(30_000);
        }
    }

    @Test
    void moreTasksThanOneKickHoldsAreSplitWithOneCompletion() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 2);
            Board.Buffer tasks = board.buffer(40L * 5000, Board.TASKS);
            for (int i = 0; i < 5000; i++) {
                board.task(tasks, i, chain.address(0), 108, 0x300);
            }
            chain.patch(1, 108, 0x0101L << 48 | chain.address(0) << 16 | 0x0010);
            chain.patch(1, 109, 0x0101L << 48 | 0x37L << 16 | 0x0014);
            RknpuSubmit args = board.submission(Board.BLOCKING, tasks, 5000);
            assertThat(board.submit(args)).isZero();
            assertThat(args.taskCounter()).isEqualTo(5000);
            assertThat(args.hwElapseTime()).isGreaterThan(5000L * 670);
        }
    }

    @Test
    void aDestroyedBufferInFlightIsReportedWithItsJob() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 8);
            assertThat(board.submit(board.submission(Board.ASYNC, chain.tasks, 8)))
                    .isZero();
            board.free(chain.weights);
            board.clock.advance(10_000_000);
            assertThat(board.report.has("destroyed-buffer")).isTrue();
            assertThat(board.report.entries().toString()).contains("job 1");
            assertThat(board.driver.usage().jobs()).isEqualTo(1);
        }
    }

    @Test
    void anAddressThatAYoungerBufferGotIsReportedAsStale() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 8);
            assertThat(board.submit(board.submission(Board.ASYNC, chain.tasks, 8)))
                    .isZero();
            long old = chain.weights.iova();
            board.free(chain.weights);
            assertThat(board.buffer(chain.weights.size(), Board.DATA).iova()).isEqualTo(old);
            board.clock.advance(10_000_000);
            assertThat(board.report.has("stale-iova")).isTrue();
        }
    }

    @Test
    void domainsHaveTheirOwnWindows() {
        try (Board board = new Board()) {
            Board.Buffer zero = board.buffer(4096, Board.DATA, 0);
            Board.Buffer five = board.buffer(4096, Board.DATA, 5);
            assertThat(five.iova()).isEqualTo(zero.iova());
            assertThat(board.action(RknpuAbi.ACTION_GET_IOMMU_DOMAIN_ID, 0)).isEqualTo(5);
            assertThat(board.log.contains("RKNPU: switch iommu domain from 0 to 5"))
                    .isTrue();
        }
    }
}
