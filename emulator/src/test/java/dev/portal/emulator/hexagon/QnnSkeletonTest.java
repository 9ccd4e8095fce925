package dev.portal.emulator.hexagon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.emulator.FaultPlan;
import dev.portal.emulator.FaultPlan.Fault;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.FaultPlan.Trigger.Count;
import dev.portal.emulator.hexagon.DspBoard.Buffer;
import dev.portal.emulator.hexagon.DspBoard.Loaded;
import dev.portal.emulator.hexagon.DspBoard.Model;
import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.QnnWire;
import dev.portal.hardware.fastrpc.Scalars;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The process on the DSP, its modules, and the five calls of {@code portal_qnn} (spec 2.3, 3.2, 3.3). */
class QnnSkeletonTest {
    private static final HexagonOptions STANDARD = HexagonOptions.standard();
    private static final byte[] AFFINE =
            ContextBinary.of(List.of(DspBoard.affine().image()));
    private static final int BYTES = 16;

    private static int result(long answer) {
        assertThat(Answer.errno(answer)).as("errno").isZero();
        return Answer.value(answer);
    }

    /** A board with a loaded model and its two buffers. */
    private static final class Stage implements AutoCloseable {
        final DspBoard board;
        final int skeleton;
        final int model;
        final Buffer x;
        final Buffer y;

        Stage(HexagonOptions options, byte[] container) {
            board = DspBoard.ready(options);
            skeleton = board.skeleton();
            Model loaded = board.load(skeleton, container);
            assertThat(loaded.answer()).isZero();
            model = loaded.handle();
            x = board.shared(4096);
            y = board.shared(4096);
        }

        void give(int... values) {
            x.ints(values);
            board.written(x);
            assertThat(board.setInput(skeleton, model, 0, 0, x.dsp(), BYTES)).isZero();
        }

        int[] take() {
            assertThat(board.getOutput(skeleton, model, 0, 0, y.dsp(), BYTES)).isZero();
            board.toRead(y);
            return Arrays.copyOf(y.ints(), 4);
        }

        @Override
        public void close() {
            board.free(x);
            board.free(y);
            assertThat(board.unload(skeleton, model)).isZero();
            assertThat(board.closeModule(skeleton)).isZero();
            board.close();
            assertThat(board.driver.usage()).isEqualTo(FastRpcDriver.Usage.NONE);
            assertThat(board.system.openDescriptors()).isZero();
            assertThat(board.system.openMappings()).isZero();
            assertThat(board.report.faults()).isEmpty();
        }
    }

    @Test
    void aGraphComputesWhatItsNodesSay() {
        try (Stage stage = new Stage(STANDARD, AFFINE)) {
            stage.give(1, -2, 7, 1 << 20);
            assertThat(stage.board.execute(stage.skeleton, stage.model, 0)).isZero();
            assertThat(stage.take()).containsExactly(8, 0, 26, 3_145_733);
            assertThat(stage.board.driver.telemetry().executions()).containsEntry("affine", 1L);
            assertThat(stage.board.driver.telemetry().loadedModels())
                    .containsExactlyInAnyOrder(
                            Telemetry.sha256(AFFINE),
                            Telemetry.sha256(DspBoard.affine().image().body()));
        }
    }

    @Test
    void anExecutionTakesTheTimeOfItsNodesAndOfTheWay() {
        try (Stage stage = new Stage(STANDARD, AFFINE)) {
            stage.give(1, 2, 3, 4);
            long before = stage.board.clock.nanos();
            assertThat(stage.board.execute(stage.skeleton, stage.model, 0)).isZero();
            assertThat(stage.board.clock.nanos() - before).isEqualTo(3_000_000 + STANDARD.invokeNanos());
        }
    }

    @Test
    void anInputThatIsNotSyncedIsPoisonAndAnOutputThatIsNotSyncedIsOld() {
        try (Stage stage = new Stage(STANDARD, AFFINE)) {
            stage.x.ints(1, 1, 1, 1);
            assertThat(stage.board.setInput(stage.skeleton, stage.model, 0, 0, stage.x.dsp(), BYTES))
                    .isZero();
            assertThat(stage.board.execute(stage.skeleton, stage.model, 0)).isZero();
            // 0xA5A5A5A5 * 3 + 5 is below zero; the zeros of the process would give 5.
            int poison = 0;
            assertThat(stage.take()).containsOnly(poison);
            stage.give(1, 1, 1, 1);
            assertThat(stage.board.execute(stage.skeleton, stage.model, 0)).isZero();
            assertThat(stage.board.getOutput(stage.skeleton, stage.model, 0, 0, stage.y.dsp(), BYTES))
                    .isZero();
            assertThat(stage.y.ints()[0]).as("without a sync").isEqualTo(poison);
            stage.board.toRead(stage.y);
            assertThat(stage.y.ints()[0]).isEqualTo(8);
        }
    }

    @Test
    void aCoherentBoardForgivesAMissingSync() {
        try (Stage stage = new Stage(STANDARD.withCoherent(true), AFFINE)) {
            stage.x.ints(1, 1, 1, 1);
            assertThat(stage.board.setInput(stage.skeleton, stage.model, 0, 0, stage.x.dsp(), BYTES))
                    .isZero();
            assertThat(stage.board.execute(stage.skeleton, stage.model, 0)).isZero();
            assertThat(stage.board.getOutput(stage.skeleton, stage.model, 0, 0, stage.y.dsp(), BYTES))
                    .isZero();
            assertThat(stage.y.ints()[0]).isEqualTo(8);
        }
    }

    @Test
    void theOrderOfCallsIsKept() {
        try (Stage stage = new Stage(STANDARD, AFFINE)) {
            DspBoard board = stage.board;
            assertThat(result(board.execute(stage.skeleton, stage.model, 0)))
                    .as("an input is missing")
                    .isEqualTo(AeeError.EBADSTATE.onDsp());
            stage.give(1, 2, 3, 4);
            assertThat(result(board.getOutput(stage.skeleton, stage.model, 0, 0, stage.y.dsp(), BYTES)))
                    .as("not executed")
                    .isEqualTo(AeeError.EBADSTATE.onDsp());
            assertThat(board.execute(stage.skeleton, stage.model, 0)).isZero();
            stage.give(1, 2, 3, 4);
            assertThat(result(board.getOutput(stage.skeleton, stage.model, 0, 0, stage.y.dsp(), BYTES)))
                    .as("an input was set since")
                    .isEqualTo(AeeError.EBADSTATE.onDsp());
        }
    }

    @Test
    void sizesAndIndexesAreChecked() {
        try (Stage stage = new Stage(STANDARD, AFFINE)) {
            DspBoard board = stage.board;
            assertThat(result(board.setInput(stage.skeleton, stage.model, 0, 0, stage.x.dsp(), BYTES + 1)))
                    .isEqualTo(AeeError.EFAILED.onDsp());
            assertThat(board.lastQnnCode(stage.skeleton)).isEqualTo(QnnWire.QNN_INVALID_TENSOR);
            assertThat(result(board.setInput(stage.skeleton, stage.model, 0, 1, stage.x.dsp(), BYTES)))
                    .isEqualTo(AeeError.EBADITEM.onDsp());
            assertThat(result(board.setInput(stage.skeleton, stage.model, 1, 0, stage.x.dsp(), BYTES)))
                    .isEqualTo(AeeError.EBADITEM.onDsp());
            assertThat(board.lastQnnCode(stage.skeleton)).isEqualTo(QnnWire.QNN_GRAPH_DOES_NOT_EXIST);
            assertThat(result(board.setInput(stage.skeleton, stage.model, -1, 0, stage.x.dsp(), BYTES)))
                    .isEqualTo(AeeError.EBADITEM.onDsp());
            assertThat(board.setInput(stage.skeleton, stage.model, 0, 0, stage.x.dsp(), -1))
                    .as("without a size the declared one is meant")
                    .isZero();
        }
    }

    @Test
    void addressesMustLieInOneMapping() {
        try (Stage stage = new Stage(STANDARD, AFFINE)) {
            DspBoard board = stage.board;
            for (long address : new long[] {0, 16, stage.x.dsp() - 8, stage.x.dsp() + 4096, -1, Long.MIN_VALUE}) {
                assertThat(result(board.setInput(stage.skeleton, stage.model, 0, 0, address, BYTES)))
                        .as("0x%x", address)
                        .isEqualTo(AeeError.ENOSUCHMAP.onDsp());
            }
            assertThat(result(board.setInput(stage.skeleton, stage.model, 0, 0, stage.x.dsp() + 4088, BYTES)))
                    .isEqualTo(AeeError.EBADSIZE.onDsp());
        }
    }

    @Test
    void aBoundBufferThatIsUnmappedIsNotRead() {
        try (Stage stage = new Stage(STANDARD, AFFINE)) {
            Buffer other = stage.board.shared(4096);
            assertThat(stage.board.setInput(stage.skeleton, stage.model, 0, 0, other.dsp(), BYTES))
                    .isZero();
            stage.board.free(other);
            assertThat(result(stage.board.execute(stage.skeleton, stage.model, 0)))
                    .isEqualTo(AeeError.ENOSUCHMAP.onDsp());
        }
    }

    @Test
    void theTableHasFourModelsAndAStaleHandleHitsNone() {
        try (Stage stage = new Stage(STANDARD, AFFINE)) {
            DspBoard board = stage.board;
            List<Integer> handles = new ArrayList<>(List.of(stage.model));
            for (int i = 1; i < 4; i++) {
                handles.add(board.load(stage.skeleton, AFFINE).handle());
            }
            assertThat(handles).doesNotHaveDuplicates();
            assertThat(result(board.load(stage.skeleton, AFFINE).answer())).isEqualTo(AeeError.ENOMEMORY.onDsp());
            assertThat(board.unload(stage.skeleton, handles.get(2))).isZero();
            assertThat(result(board.unload(stage.skeleton, handles.get(2))))
                    .as("twice")
                    .isEqualTo(AeeError.EINVHANDLE.onDsp());
            Model again = board.load(stage.skeleton, AFFINE);
            assertThat(again.handle() & 0xff).as("the same slot").isEqualTo(handles.get(2) & 0xff);
            assertThat(again.handle()).as("another generation").isNotEqualTo(handles.get(2));
            assertThat(result(board.execute(stage.skeleton, handles.get(2), 0))).isEqualTo(AeeError.EINVHANDLE.onDsp());
            for (int handle : new int[] {handles.get(1), handles.get(3), again.handle()}) {
                assertThat(board.unload(stage.skeleton, handle)).isZero();
            }
        }
    }

    @Test
    void aModelWithMoreThanEightGraphsIsRefusedWhole() {
        try (DspBoard board = DspBoard.ready(STANDARD)) {
            int skeleton = board.skeleton();
            GraphImage image = DspBoard.affine().image();
            assertThat(board.load(skeleton, ContextBinary.of(Collections.nCopies(8, image)))
                            .graphs())
                    .isEqualTo(8);
            assertThat(result(board.load(skeleton, ContextBinary.of(Collections.nCopies(9, image)))
                            .answer()))
                    .isEqualTo(AeeError.EBADITEM.onDsp());
            assertThat(board.driver.usage().models()).isOne();
        }
    }

    @Test
    void theSeedsModelLibraryIsTakenAsWell() {
        for (String entry : List.of("composeGraphs", "QnnModel_composeGraphs")) {
            byte[] library = ModelLibrary.of(List.of(DspBoard.affine().image()), entry);
            try (Stage stage = new Stage(STANDARD, library)) {
                stage.give(2, 2, 2, 2);
                assertThat(stage.board.execute(stage.skeleton, stage.model, 0)).isZero();
                assertThat(stage.take()).containsOnly(11);
            }
        }
    }

    @Test
    void whatCannotBeLoadedHasQnnsOwnNumber() {
        byte[] otherMachine = ModelLibrary.of(List.of(DspBoard.affine().image()));
        otherMachine[18] = 62;
        byte[] noEntry = ModelLibrary.of(List.of(DspBoard.affine().image()), "composeGrafs");
        byte[] otherVersion = AFFINE.clone();
        otherVersion[4] = 2;
        byte[] cut = Arrays.copyOf(AFFINE, AFFINE.length - 20);
        byte[] unknownKind = ContextBinary.of(List.of(new GraphImage(7, "?", List.of(), List.of(), new byte[0])));
        byte[] badOnnx = ContextBinary.of(
                List.of(new GraphImage(GraphImage.ONNX, "bad", List.of(), List.of(), new byte[] {1, 2, 3})));
        try (DspBoard board = DspBoard.ready(STANDARD)) {
            int skeleton = board.skeleton();
            refused(board, skeleton, otherMachine, QnnWire.QNN_INCOMPATIBLE_BINARIES);
            refused(board, skeleton, noEntry, QnnWire.QNN_LOADING_BINARIES);
            refused(board, skeleton, otherVersion, QnnWire.QNN_BINARY_VERSION);
            refused(board, skeleton, cut, QnnWire.QNN_CREATE_FROM_BINARY);
            refused(board, skeleton, new byte[64], QnnWire.QNN_CREATE_FROM_BINARY);
            refused(board, skeleton, unknownKind, QnnWire.QNN_NOT_SUPPORTED);
            refused(board, skeleton, badOnnx, QnnWire.QNN_CREATE_FROM_BINARY);
            assertThat(result(board.load(skeleton, 0, 64).answer())).isEqualTo(AeeError.EFAILED.onDsp());
            assertThat(board.lastQnnCode(skeleton)).isEqualTo(QnnWire.QNN_INVALID_ARGUMENT);
        }
    }

    private static void refused(DspBoard board, int skeleton, byte[] container, int qnnCode) {
        assertThat(result(board.load(skeleton, container).answer())).isEqualTo(AeeError.EFAILED.onDsp());
        assertThat(board.lastQnnCode(skeleton)).isEqualTo(qnnCode);
    }

    @Test
    void theSkeletonChecksCountsAndLengths() {
        try (DspBoard board = DspBoard.ready(STANDARD)) {
            int skeleton = board.skeleton();
            int bad = AeeError.EBADPARM.onDsp();
            assertThat(result(board.invoke(skeleton, QnnWire.EXECUTE_SCALARS, board.inline(board.words(1)))))
                    .as("too short")
                    .isEqualTo(bad);
            assertThat(result(board.invoke(
                            skeleton,
                            Scalars.of(QnnWire.EXECUTE, 2, 0),
                            board.inline(board.words(1, 0)),
                            board.inline(board.words(1)))))
                    .as("one too many")
                    .isEqualTo(bad);
            assertThat(result(board.invoke(skeleton, Scalars.of(20, 0, 0)))).isEqualTo(AeeError.EUNSUPPORTED.onDsp());
            assertThat(result(board.invoke(
                            skeleton, Scalars.of(Scalars.METHOD_ESCAPE, 1, 0), board.inline(board.words(77)))))
                    .as("method 77 through the escape")
                    .isEqualTo(AeeError.EUNSUPPORTED.onDsp());
        }
    }

    @Test
    void aPlainInterfaceCountsItsMethodsFromZero() {
        try (DspBoard board = DspBoard.ready(STANDARD)) {
            Loaded loaded = board.open("file:///libportal_qnn_skel.so?portal_qnn_skel_invoke&_modver=1.0&_dom=cdsp");
            assertThat(loaded.error()).isZero();
            assertThat(result(board.invoke(loaded.handle(), Scalars.of(4, 1, 0), board.inline(board.words(9)))))
                    .as("model_unload")
                    .isEqualTo(AeeError.EINVHANDLE.onDsp());
        }
    }

    @Test
    void loadingHasTwoResults() {
        try (DspBoard board = DspBoard.ready(STANDARD)) {
            Loaded missing = board.open("file:///libother_skel.so?other_skel_handle_invoke&_modver=1.0&_dom=cdsp");
            assertThat(missing.answer()).as("remotectl ran").isZero();
            assertThat(missing.error()).isEqualTo(AeeError.ENOSUCHFILE.onDsp());
            assertThat(missing.text()).contains("libother_skel.so");
            Loaded symbol = board.open("file:///libportal_qnn_skel.so?nothing&_modver=1.0&_dom=cdsp");
            assertThat(symbol.error()).isEqualTo(AeeError.ENOSUCHSYMBOL.onDsp());
            Loaded first = board.open(QnnWire.SKELETON_URI);
            Loaded second = board.open(QnnWire.SKELETON_URI);
            assertThat(first.handle()).isNotEqualTo(second.handle());
            assertThat(Integer.toUnsignedLong(first.handle())).isGreaterThan(0xffff);
            assertThat(board.closeModule(first.handle())).isZero();
            assertThat(result(board.unload(first.handle(), 1))).isEqualTo(AeeError.EINVHANDLE.onDsp());
        }
    }

    @Test
    void withoutAListenerNothingIsLoadedWhereOneIsRequired() {
        try (DspBoard board = DspBoard.ready(STANDARD.withRequireListener(true))) {
            Loaded loaded = board.open(QnnWire.SKELETON_URI);
            assertThat(loaded.error()).isEqualTo(AeeError.EUNABLETOLOAD.onDsp());
            assertThat(loaded.text()).contains("no listener");
        }
    }

    @Test
    void leavingTheProcessEndsItsListenersAndCalls() {
        try (DspBoard board = DspBoard.ready(STANDARD)) {
            board.clock.at(
                    board.clock.nanos() + 1_000_000,
                    () -> board.invoke(Fastrpc.HANDLE_CURRENT_PROCESS1, Scalars.of(2, 0, 0)));
            long answer = board.listen(0, -1, board.words(0).asSlice(0, 0), board.words(0, 0, 0, 0), board.words(0));
            assertThat(result(answer)).isEqualTo(AeeError.EBADSTATE.onDsp());
            assertThat(result(board.open(QnnWire.SKELETON_URI).answer())).isEqualTo(AeeError.EBADSTATE.onDsp());
        }
    }

    @Test
    void anAbortBetweenTwoNodesEndsTheExecution() {
        try (Stage stage = new Stage(STANDARD, AFFINE)) {
            DspBoard board = stage.board;
            Buffer control = board.onDsp(board.mapped(board.alloc(4096), 4096));
            control.ints(QnnWire.CONTROL_MAGIC, 5, 0);
            assertThat(setControl(stage, control.dsp())).isZero();
            stage.give(1, 2, 3, 4);
            board.clock.at(
                    board.clock.nanos() + 1_500_000,
                    () -> control.memory().set(ValueLayout.JAVA_INT, QnnWire.CONTROL_BLOCK_ABORT_EPOCH, 6));
            long before = board.clock.nanos();
            assertThat(result(board.execute(stage.skeleton, stage.model, 0, 5))).isEqualTo(AeeError.EFAILED.onDsp());
            assertThat(board.lastQnnCode(stage.skeleton)).isEqualTo(QnnWire.QNN_ABORTED);
            assertThat(board.clock.nanos() - before).isLessThan(3_000_000);
            assertThat(control.ints()[2]).as("progress").isBetween(1, 2);
            assertThat(result(board.execute(stage.skeleton, stage.model, 0, 5)))
                    .as("an abort that came before")
                    .isEqualTo(AeeError.EFAILED.onDsp());
            assertThat(board.execute(stage.skeleton, stage.model, 0, 6)).isZero();
            assertThat(control.ints()[2]).isEqualTo(3);
            assertThat(setControl(stage, 0)).isZero();
            board.free(control);
        }
    }

    private static long setControl(Stage stage, long address) {
        MemorySegment in = stage.board.words(stage.model, 0, 0, 0);
        in.set(ValueLayout.JAVA_LONG_UNALIGNED, QnnWire.CONTROL_ADDRESS, address);
        return stage.board.invoke(stage.skeleton, QnnWire.SET_CONTROL_SCALARS, stage.board.inline(in));
    }

    @Test
    void aModelIsNotUnloadedUnderARunAndOtherCallsForItWait() {
        FaultPlan plan = FaultPlan.of(new Fault(Kind.INVOKE_INTERRUPTED, new Count(3, 1), 0));
        try (Stage stage = new Stage(STANDARD.withFaults(plan), AFFINE)) {
            stage.give(1, 2, 3, 4);
            assertThat(Answer.errno(stage.board.execute(stage.skeleton, stage.model, 0)))
                    .isEqualTo(Errno.EINTR);
            assertThat(result(stage.board.unload(stage.skeleton, stage.model)))
                    .as("the DSP still runs it")
                    .isEqualTo(AeeError.EBUSY.onDsp());
            assertThat(stage.take()).as("waits for the end").containsExactly(8, 11, 14, 17);
        }
    }

    @Test
    void faultsOfTheDspAreWhatTheySay() {
        FaultPlan plan = FaultPlan.of(
                new Fault(Kind.CORRUPTED_BYTE, new Count(1, 1), 5),
                new Fault(Kind.SLOW_DSP, new Count(1, 1), 400),
                new Fault(Kind.MODULE_MISSING, new Count(2, 1), 0));
        try (Stage stage = new Stage(STANDARD.withFaults(plan), AFFINE)) {
            stage.give(1, 1, 1, 1);
            long before = stage.board.clock.nanos();
            assertThat(stage.board.execute(stage.skeleton, stage.model, 0)).isZero();
            assertThat(stage.board.clock.nanos() - before).isGreaterThan(12_000_000);
            assertThat(stage.take()).containsExactly(8, 8 ^ 0xff00, 8, 8);
            assertThat(stage.take()).containsOnly(8);
            assertThat(stage.board.open(QnnWire.SKELETON_URI).error()).isEqualTo(AeeError.EUNABLETOLOAD.onDsp());
        }
    }

    @Test
    void matricesAndFloatsAreExact() {
        IntegerGraph floats = new IntegerGraph("floats");
        int x = floats.input("x", ElementType.FLOAT32, 2);
        int y = floats.node(IntegerGraph.Operator.MULTIPLY, x, x, 0);
        floats.output("y", y, ElementType.FLOAT32, 2);
        IntegerGraph matrix = new IntegerGraph("matrix");
        int a = matrix.input("a", ElementType.INT32, 2, 3);
        int b = matrix.constant(new int[] {3, 2}, 1, 2, 3, 4, 5, 6);
        int c = matrix.node(IntegerGraph.Operator.MATMUL, a, b, 0);
        matrix.output("c", c, ElementType.INT32, 2, 2);
        byte[] container = ContextBinary.of(List.of(matrix.image(), floats.image()));
        try (Stage stage = new Stage(STANDARD, container)) {
            DspBoard board = stage.board;
            stage.x.ints(1, 2, 3, 4, 5, 6);
            board.written(stage.x);
            assertThat(board.setInput(stage.skeleton, stage.model, 0, 0, stage.x.dsp(), 24))
                    .isZero();
            assertThat(board.execute(stage.skeleton, stage.model, 0)).isZero();
            assertThat(stage.take()).containsExactly(22, 28, 49, 64);
            ByteBuffer bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
            bytes.putFloat(1.5f).putFloat(0.1f);
            stage.x.bytes(bytes.array());
            board.written(stage.x);
            assertThat(board.setInput(stage.skeleton, stage.model, 1, 0, stage.x.dsp(), 8))
                    .isZero();
            assertThat(board.execute(stage.skeleton, stage.model, 1)).isZero();
            assertThat(board.getOutput(stage.skeleton, stage.model, 1, 0, stage.y.dsp(), 8))
                    .isZero();
            board.toRead(stage.y);
            assertThat(stage.y.memory().get(ValueLayout.JAVA_FLOAT, 4)).isEqualTo(0.1f * 0.1f);
        }
    }
}
