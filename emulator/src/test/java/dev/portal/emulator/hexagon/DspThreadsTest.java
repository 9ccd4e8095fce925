package dev.portal.emulator.hexagon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.SystemClock;
import dev.portal.emulator.FaultPlan;
import dev.portal.emulator.FaultPlan.Fault;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.FaultPlan.Trigger.Count;
import dev.portal.emulator.RealTime;
import dev.portal.emulator.hexagon.DspBoard.Buffer;
import dev.portal.emulator.hexagon.DspBoard.Loaded;
import dev.portal.emulator.hexagon.DspBoard.Model;
import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.ListenerWire;
import dev.portal.hardware.fastrpc.QnnWire;
import dev.portal.hardware.fastrpc.RemotectlWire;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The board in real time, with several threads of the process in it. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class DspThreadsTest {
    private static final HexagonOptions STANDARD = HexagonOptions.standard();
    private static final int ROUNDS = 200;

    private final SystemClock machine = new SystemClock();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private DspBoard board(HexagonOptions options) {
        return new DspBoard(options, new RealTime(machine));
    }

    /** y = x * factor over four numbers, at once. */
    private static byte[] times(int factor) {
        IntegerGraph graph = new IntegerGraph("times " + factor);
        int x = graph.input("x", ElementType.INT32, 4);
        int constant = graph.constant(new int[0], factor);
        int y = graph.node(IntegerGraph.Operator.MULTIPLY, x, constant, 0);
        graph.output("y", y, ElementType.INT32, 4);
        return ContextBinary.of(List.of(graph.image()));
    }

    /** @param alone whether nobody else uses the model; else its input may be another thread's, so nothing is freed */
    private static void rounds(DspBoard board, int skeleton, int model, int factor, boolean alone) {
        Buffer x;
        Buffer y;
        synchronized (board) {
            x = board.shared(4096);
            y = board.shared(4096);
        }
        for (int i = 0; i < ROUNDS; i++) {
            x.ints(i, i + 1, i + 2, i + 3);
            board.written(x);
            assertThat(board.setInput(skeleton, model, 0, 0, x.dsp(), 16)).isZero();
            assertThat(board.execute(skeleton, model, 0)).isZero();
            long answer = board.getOutput(skeleton, model, 0, 0, y.dsp(), 16);
            if (alone) {
                assertThat(answer).isZero();
                board.toRead(y);
                assertThat(y.ints()[3]).isEqualTo((i + 3) * factor);
            } else {
                assertThat(Answer.value(answer)).isIn(0, AeeError.EBADSTATE.onDsp());
            }
        }
        if (alone) {
            synchronized (board) {
                board.free(x);
                board.free(y);
            }
        }
    }

    @Test
    void severalThreadsComputeOnTheirOwnModels() throws Exception {
        DspBoard board = board(STANDARD.withParallelGraphs(2));
        assertThat(board.createProcess()).isZero();
        int skeleton = board.skeleton();
        List<Future<?>> running = new ArrayList<>();
        List<Integer> models = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int factor = 3 + i;
            Model model = board.load(skeleton, times(factor));
            models.add(model.handle());
            running.add(threads.submit(() -> rounds(board, skeleton, model.handle(), factor, true)));
        }
        for (Future<?> each : running) {
            each.get();
        }
        for (int model : models) {
            assertThat(board.unload(skeleton, model)).isZero();
        }
        board.close();
        assertThat(board.driver.usage()).isEqualTo(FastRpcDriver.Usage.NONE);
        assertThat(board.report.faults()).isEmpty();
    }

    @Test
    void callsForOneModelWaitForEachOther() throws Exception {
        DspBoard board = board(STANDARD);
        assertThat(board.createProcess()).isZero();
        int skeleton = board.skeleton();
        int model = board.load(skeleton, times(2)).handle();
        Future<?> one = threads.submit(() -> rounds(board, skeleton, model, 2, false));
        Future<?> other = threads.submit(() -> rounds(board, skeleton, model, 2, false));
        one.get();
        other.get();
        assertThat(board.driver.telemetry().executions()).containsEntry("times 2", 2L * ROUNDS);
        board.close();
    }

    @Test
    void aCloseWhileACallRunsEndsTheSessionWhenTheCallDoes() throws Exception {
        FaultPlan late = FaultPlan.of(new Fault(Kind.LATE_REPLY, new Count(1, 1), 100_000_000));
        DspBoard board = board(STANDARD.withFaults(late));
        assertThat(board.createProcess()).isZero();
        int skeleton = board.skeleton();
        Future<Long> call = threads.submit(() -> board.unload(skeleton, 1));
        while (board.driver.usage().contexts() == 0 && !call.isDone()) {
            Thread.onSpinWait();
        }
        board.kernel.close(board.fd);
        assertThat(Answer.value(call.get())).isEqualTo(AeeError.EINVHANDLE.onDsp());
        assertThat(board.driver.usage()).isEqualTo(FastRpcDriver.Usage.NONE);
    }

    @Test
    void anInterruptEndsTheCallOfThatThreadAlone() throws Exception {
        FaultPlan hung = FaultPlan.of(new Fault(Kind.HUNG_INVOKE, new Count(1, 1), 0));
        DspBoard board = board(STANDARD.withFaults(hung));
        assertThat(board.createProcess()).isZero();
        int skeleton = board.skeleton();
        AtomicLong thread = new AtomicLong();
        Future<Long> call = threads.submit(() -> {
            thread.set(board.kernel.threadHandle());
            return board.unload(skeleton, 1);
        });
        while (board.driver.usage().contexts() == 0) {
            Thread.onSpinWait();
        }
        assertThat(Answer.value(board.unload(skeleton, 2)))
                .as("another thread's call goes through")
                .isEqualTo(AeeError.EINVHANDLE.onDsp());
        while (!call.isDone()) {
            board.kernel.interrupt(thread.get());
            Thread.onSpinWait();
        }
        assertThat(Answer.errno(call.get())).isEqualTo(Errno.EINTR);
        board.driver.restartDsp(0);
        board.close();
        assertThat(board.driver.usage()).isEqualTo(FastRpcDriver.Usage.NONE);
    }

    @Test
    void aModuleIsLoadedWhenTheHostHasAnsweredTheDspsQuestion() throws Exception {
        DspBoard board = board(STANDARD.withRequireListener(true));
        assertThat(board.createProcess()).isZero();
        MemorySegment request = board.words(0, 0, 0, 0);
        MemorySegment room = board.allocate(256).asSlice(0, 256);
        Future<String> listener = threads.submit(() -> {
            assertThat(board.listen(0, -1, MemorySegment.NULL, request, room)).isZero();
            assertThat(request.get(ValueLayout.JAVA_INT, ListenerWire.NEXT2_OUT_HANDLE))
                    .isZero();
            assertThat(request.get(ValueLayout.JAVA_INT, ListenerWire.NEXT2_OUT_SCALARS))
                    .isEqualTo(RemotectlWire.OPEN_SCALARS);
            // primIn stands at 8, the name's length at 16, the name at 24.
            String name = new String(room.asSlice(24, 8).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII);
            board.listen(
                    request.get(ValueLayout.JAVA_INT, ListenerWire.NEXT2_OUT_CONTEXT),
                    AeeError.ENOSUCHMOD.code(),
                    MemorySegment.NULL,
                    board.words(0, 0, 0, 0),
                    room);
            return name;
        });
        while (board.driver.usage().contexts() == 0) {
            Thread.onSpinWait();
        }
        Loaded loaded = board.open(QnnWire.SKELETON_URI);
        assertThat(loaded.answer()).isZero();
        assertThat(loaded.error()).isZero();
        board.driver.restartDsp(0);
        assertThat(listener.get()).isEqualTo("apps_std");
        board.close();
        assertThat(board.driver.usage()).isEqualTo(FastRpcDriver.Usage.NONE);
    }

    @Test
    void anAbortReachesAGraphThatRuns() throws Exception {
        DspBoard board = board(STANDARD);
        assertThat(board.createProcess()).isZero();
        int skeleton = board.skeleton();
        IntegerGraph graph = new IntegerGraph("long");
        int value = graph.input("x", ElementType.INT32, 4);
        int last = value;
        for (int i = 0; i < 2000; i++) {
            last = graph.node(IntegerGraph.Operator.ADD, last, value, 5_000_000);
        }
        graph.output("y", last, ElementType.INT32, 4);
        int model =
                board.load(skeleton, ContextBinary.of(List.of(graph.image()))).handle();
        Buffer x = board.shared(4096);
        Buffer control = board.onDsp(board.mapped(board.alloc(4096), 4096));
        control.ints(QnnWire.CONTROL_MAGIC, 1, 0);
        MemorySegment in = board.words(model, 0, 0, 0);
        in.set(ValueLayout.JAVA_LONG_UNALIGNED, QnnWire.CONTROL_ADDRESS, control.dsp());
        assertThat(board.invoke(skeleton, QnnWire.SET_CONTROL_SCALARS, board.inline(in)))
                .isZero();
        board.written(x);
        assertThat(board.setInput(skeleton, model, 0, 0, x.dsp(), 16)).isZero();
        Future<Long> run = threads.submit(() -> board.execute(skeleton, model, 0, 1));
        while (control.memory().get(ValueLayout.JAVA_INT, QnnWire.CONTROL_BLOCK_PROGRESS) < 2) {
            Thread.onSpinWait();
        }
        control.memory().set(ValueLayout.JAVA_INT, QnnWire.CONTROL_BLOCK_ABORT_EPOCH, 2);
        assertThat(Answer.value(run.get())).isEqualTo(AeeError.EFAILED.onDsp());
        assertThat(board.lastQnnCode(skeleton)).isEqualTo(QnnWire.QNN_ABORTED);
        assertThat(control.memory().get(ValueLayout.JAVA_INT, QnnWire.CONTROL_BLOCK_PROGRESS))
                .isLessThan(2000);
        board.close();
    }
}
