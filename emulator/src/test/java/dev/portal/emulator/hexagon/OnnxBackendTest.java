package dev.portal.emulator.hexagon;

import static dev.portal.emulator.hexagon.TinyOnnx.FLOAT;
import static dev.portal.emulator.hexagon.TinyOnnx.INT64;
import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.emulator.hexagon.DspBoard.Buffer;
import dev.portal.emulator.hexagon.DspBoard.Model;
import dev.portal.hardware.fastrpc.QnnWire;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** ONNX models on the emulated DSP: their bytes and their tensors come through its memory. */
class OnnxBackendTest {
    private static final byte[] SUM = new TinyOnnx()
            .input("a", FLOAT, -1, 3)
            .input("b", FLOAT, -1, 3)
            .output("sum", FLOAT, -1, 3)
            .node("Add", List.of("a", "b"), List.of("sum"))
            .bytes();

    /** Its output is as long as the data say. */
    private static final byte[] PLACES = new TinyOnnx()
            .input("x", FLOAT, 6)
            .output("places", INT64, 1, -1)
            .node("NonZero", List.of("x"), List.of("places"))
            .bytes();

    private static GraphImage sum(int rows) {
        return new GraphImage(
                GraphImage.ONNX,
                "sum " + rows,
                List.of(
                        TensorInfo.of("a", ElementType.FLOAT32, rows, 3),
                        TensorInfo.of("b", ElementType.FLOAT32, rows, 3)),
                List.of(TensorInfo.of("sum", ElementType.FLOAT32, rows, 3)),
                SUM);
    }

    @Test
    void oneModelIsAGraphForEachShapeThatIsDeclared() {
        try (DspBoard board = DspBoard.ready(HexagonOptions.standard())) {
            int skeleton = board.skeleton();
            byte[] container = ContextBinary.of(List.of(sum(1), sum(2)));
            assertThat(container.length).as("the body stands once").isLessThan(2 * SUM.length + 400);
            Model model = board.load(skeleton, container);
            assertThat(model.graphs()).isEqualTo(2);
            Buffer a = board.shared(4096);
            Buffer b = board.shared(4096);
            Buffer out = board.shared(4096);
            for (int i = 0; i < 6; i++) {
                a.memory().set(ValueLayout.JAVA_FLOAT, 4L * i, i);
                b.memory().set(ValueLayout.JAVA_FLOAT, 4L * i, 0.5f);
            }
            board.written(a);
            board.written(b);
            assertThat(board.setInput(skeleton, model.handle(), 1, 0, a.dsp(), 24))
                    .isZero();
            assertThat(board.setInput(skeleton, model.handle(), 1, 1, b.dsp(), 24))
                    .isZero();
            assertThat(board.execute(skeleton, model.handle(), 1)).isZero();
            assertThat(board.getOutput(skeleton, model.handle(), 1, 0, out.dsp(), 24))
                    .isZero();
            board.toRead(out);
            assertThat(out.memory().asSlice(0, 24).toArray(ValueLayout.JAVA_FLOAT))
                    .containsExactly(0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f);
            assertThat(board.driver.telemetry().executions()).containsOnlyKeys("sum 2");
        }
    }

    @Test
    void anOutputWhoseLengthTheDataDecideComesWithItsShape() {
        GraphImage image = new GraphImage(
                GraphImage.ONNX,
                "places",
                List.of(TensorInfo.of("x", ElementType.FLOAT32, 6)),
                List.of(new TensorInfo("places", ElementType.INT64, new int[] {1, 4}, true)),
                PLACES);
        try (DspBoard board = DspBoard.ready(HexagonOptions.standard())) {
            int skeleton = board.skeleton();
            Model model = board.load(skeleton, ContextBinary.of(List.of(image)));
            Buffer x = board.shared(4096);
            Buffer out = board.shared(4096);
            assertThat(run(board, skeleton, model, x, 0, 3, 0, 1, 1, 0)).isZero();
            assertThat(board.getOutput(skeleton, model.handle(), 0, 0, out.dsp(), 32))
                    .isZero();
            board.toRead(out);
            assertThat(out.memory().asSlice(0, 32).toArray(ValueLayout.JAVA_LONG))
                    .containsExactly(1, 3, 4, 0);
            assertThat(board.getOutput(skeleton, model.handle(), 0, 1, out.dsp(), 8))
                    .isZero();
            board.toRead(out);
            assertThat(Arrays.copyOf(out.ints(), 2)).containsExactly(1, 3);
            assertThat(run(board, skeleton, model, x, 1, 1, 1, 1, 1, 1))
                    .as("more than there is room for")
                    .isNotZero();
            assertThat(board.lastQnnCode(skeleton)).isEqualTo(QnnWire.QNN_MEM_ALLOC);
        }
    }

    private static long run(DspBoard board, int skeleton, Model model, Buffer x, float... values) {
        for (int i = 0; i < values.length; i++) {
            x.memory().set(ValueLayout.JAVA_FLOAT, 4L * i, values[i]);
        }
        board.written(x);
        assertThat(board.setInput(skeleton, model.handle(), 0, 0, x.dsp(), 24)).isZero();
        return board.execute(skeleton, model.handle(), 0);
    }

    @Test
    void aContainerThatNamesOtherTensorsIsRefused() {
        GraphImage other = new GraphImage(
                GraphImage.ONNX,
                "other",
                List.of(TensorInfo.of("c", ElementType.FLOAT32, 1, 3)),
                List.of(TensorInfo.of("sum", ElementType.FLOAT32, 1, 3)),
                SUM);
        try (DspBoard board = DspBoard.ready(HexagonOptions.standard())) {
            int skeleton = board.skeleton();
            assertThat(board.load(skeleton, ContextBinary.of(List.of(other))).answer())
                    .isNotZero();
            assertThat(board.lastQnnCode(skeleton)).isEqualTo(QnnWire.QNN_CREATE_FROM_BINARY);
        }
    }

    @Test
    void aModelThatIsLoadedAgainIsNotCompiledAgain() throws GraphException {
        OnnxBackend backend = new OnnxBackend(0);
        try (GraphBackend.Graph first = backend.compile(sum(1));
                GraphBackend.Graph second = backend.compile(sum(2))) {
            assertThat(first.input(0).byteSize()).isEqualTo(12);
            assertThat(second.input(0).byteSize()).isEqualTo(24);
        }
        assertThat(backend.compilations()).isOne();
    }
}
