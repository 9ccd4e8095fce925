package dev.portal.emulator.hexagon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.emulator.FaultPlan;
import dev.portal.emulator.FaultPlan.Fault;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.FaultPlan.Trigger.At;
import dev.portal.emulator.FaultPlan.Trigger.Count;
import dev.portal.emulator.FaultPlan.Trigger.Ratio;
import dev.portal.emulator.hexagon.DspBoard.Buffer;
import dev.portal.emulator.hexagon.DspBoard.Model;
import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.AllocDmaBuf;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Open;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What can go wrong by plan (spec 8), and that a seed is a run. */
class DspFaultsTest {
    private static final HexagonOptions STANDARD = HexagonOptions.standard();
    private static final byte[] AFFINE =
            ContextBinary.of(List.of(DspBoard.affine().image()));

    private static HexagonOptions once(Kind kind, long amount) {
        return STANDARD.withFaults(FaultPlan.of(new Fault(kind, new Count(1, 1), amount)));
    }

    private static int errno(long answer) {
        return Answer.errno(answer);
    }

    @Test
    void aNodeMayBeClosedToTheUserOrHaveNoSessionLeft() {
        // The first open is the board's own.
        for (Kind kind : List.of(Kind.PERMISSION_DENIED, Kind.NO_SESSION)) {
            HexagonOptions options = STANDARD.withFaults(FaultPlan.of(new Fault(kind, new Count(2, 1), 0)));
            try (DspBoard board = new DspBoard(options)) {
                assertThat(errno(board.kernel.open(Fastrpc.NODE_CDSP, Open.DEVICE)))
                        .isEqualTo(kind == Kind.NO_SESSION ? Errno.EBUSY : Errno.EACCES);
                assertThat(errno(board.kernel.open(Fastrpc.NODE_CDSP, Open.DEVICE)))
                        .isZero();
            }
        }
    }

    @Test
    void aShellMayBeOfAnotherBuildOrRefused() {
        try (DspBoard board = new DspBoard(once(Kind.WRONG_SHELL, 0))) {
            assertThat(errno(board.createProcess())).isEqualTo(Errno.ETIMEDOUT);
            assertThat(board.createProcess()).isZero();
        }
        try (DspBoard board = new DspBoard(once(Kind.PROCESS_REFUSED, 0))) {
            assertThat(Answer.value(board.createProcess())).isEqualTo(AeeError.ERESOURCENOTFOUND.onDsp());
        }
    }

    @Test
    void memoryMayRunOutInBothAllocators() {
        HexagonOptions options = STANDARD.withFaults(FaultPlan.of(new Fault(Kind.MEMORY_ERRNO, new Count(1, 2), 0)));
        try (DspBoard board = new DspBoard(options)) {
            assertThat(errno(board.tryHeap(4096))).isEqualTo(Errno.ENOMEM);
            AllocDmaBuf args = new AllocDmaBuf(board.allocate(16));
            args.size(4096);
            assertThat(errno(board.ioctl(Fastrpc.ALLOC_DMA_BUFF, args.segment())))
                    .isEqualTo(Errno.ENOMEM);
            assertThat(errno(board.tryHeap(4096))).isZero();
        }
        try (DspBoard board = new DspBoard(STANDARD.withHeaps(List.of()))) {
            assertThat(board.kernel.exists(Fastrpc.DMA_HEAP_SYSTEM)).isFalse();
            assertThat(errno(board.kernel.open(Fastrpc.DMA_HEAP_SYSTEM, Open.DEVICE)))
                    .isEqualTo(Errno.ENOENT);
        }
    }

    @Test
    void aRefusedUnmapLeavesTheMapUntilTheSessionGoes() {
        DspBoard board = DspBoard.ready(once(Kind.UNMAP_REFUSED, 0));
        Buffer buffer = board.shared(4096);
        assertThat(Answer.value(board.unmap(buffer.dsp()))).isEqualTo(AeeError.EFAILED.onDsp());
        assertThat(board.driver.usage().maps()).isOne();
        board.kernel.munmap(buffer.memory());
        board.kernel.close(buffer.fd());
        assertThat(board.driver.usage().dmaBufs()).as("the map holds it").isOne();
        board.close();
        assertThat(board.driver.usage()).isEqualTo(FastRpcDriver.Usage.NONE);
    }

    @Test
    void aFaultMayComeAtATimeAndBeLifted() {
        HexagonOptions options = STANDARD.withFaults(FaultPlan.of(new Fault(Kind.DSP_RESTART, new At(5_000_000), 0)));
        try (DspBoard board = DspBoard.ready(options)) {
            int skeleton = board.skeleton();
            assertThat(errno(board.unload(skeleton, 1))).as("before its time").isZero();
            board.driver.heal();
            board.clock.advance(10_000_000);
            assertThat(errno(board.unload(skeleton, 1))).as("after, but lifted").isZero();
        }
    }

    /** Everything that a run could tell apart: answers, addresses, handles, times. */
    private static List<Object> run(long seed) {
        FaultPlan plan = FaultPlan.of(
                new Fault(Kind.LATE_REPLY, new Ratio(0.3), 1_000_000),
                new Fault(Kind.CORRUPTED_BYTE, new Ratio(0.3), 3));
        List<Object> seen = new ArrayList<>();
        try (DspBoard board = DspBoard.ready(STANDARD.withSeed(seed).withFaults(plan))) {
            int skeleton = board.skeleton();
            Model model = board.load(skeleton, AFFINE);
            Buffer x = board.shared(4096);
            Buffer y = board.shared(4096);
            seen.addAll(List.of(skeleton, model.handle(), x.dsp(), y.dsp()));
            for (int i = 0; i < 20; i++) {
                x.ints(i, i, i, i);
                board.written(x);
                seen.add(board.setInput(skeleton, model.handle(), 0, 0, x.dsp(), 16));
                seen.add(board.execute(skeleton, model.handle(), 0));
                seen.add(board.getOutput(skeleton, model.handle(), 0, 0, y.dsp(), 16));
                board.toRead(y);
                seen.add(y.ints()[0]);
                seen.add(board.clock.nanos());
            }
        }
        return seen;
    }

    @Test
    void aSeedIsARunAndAnotherSeedAnother() {
        assertThat(run(7)).isEqualTo(run(7));
        assertThat(run(8)).isNotEqualTo(run(7));
    }

    @Test
    void sessionsShareNeitherAddressesNorHandles() {
        try (DspBoard board = DspBoard.ready(STANDARD)) {
            int first = board.fd;
            int skeleton = board.skeleton();
            Buffer buffer = board.shared(4096);
            board.fd = Answer.value(board.kernel.open(Fastrpc.NODE_CDSP_SECURE, Open.DEVICE));
            assertThat(board.createProcess()).isZero();
            assertThat(Answer.value(board.unload(skeleton, 1)))
                    .as("the other session's module")
                    .isEqualTo(AeeError.EINVHANDLE.onDsp());
            int own = board.skeleton();
            assertThat(Answer.value(board.load(own, buffer.dsp(), 64).answer()))
                    .as("the other session's memory")
                    .isEqualTo(AeeError.ENOSUCHMAP.onDsp());
            assertThat(errno(board.unmap(buffer.dsp()))).isEqualTo(Errno.EINVAL);
            board.kernel.close(first);
        }
    }
}
