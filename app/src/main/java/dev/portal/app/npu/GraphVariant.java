package dev.portal.app.npu;

import dev.portal.emulator.hexagon.ElementType;
import dev.portal.emulator.hexagon.GraphImage;
import dev.portal.emulator.hexagon.TensorInfo;
import dev.portal.hexagon.GraphSpec;
import dev.portal.hexagon.TensorSpec;
import dev.portal.scheduler.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A stage's model for inputs of certain shapes: a graph of the DSP has no open extents, so each combination of shapes is a
 * graph of its own over the same model bytes.
 *
 * <p>An output whose extents the model leaves open gets room for a number of elements, and its shape comes as one more
 * output behind all others.
 */
final class GraphVariant {
    private final QnnStage stage;
    private final List<long[]> inputShapes;
    private final List<TensorInfo> inputs = new ArrayList<>();
    private final List<TensorInfo> outputs = new ArrayList<>();

    /** Counts up whenever it is used: the oldest goes first. */
    long lastUse;

    GraphVariant(QnnStage stage, List<long[]> inputShapes, List<Integer> room) {
        this.stage = stage;
        this.inputShapes = inputShapes;
        for (int i = 0; i < inputShapes.size(); i++) {
            dev.portal.voice.stage.TensorSpec spec = stage.inputs().get(i);
            inputs.add(new TensorInfo(spec.name(), type(spec.type()), extents(inputShapes.get(i)), false));
        }
        for (int i = 0; i < stage.outputs().size(); i++) {
            dev.portal.voice.stage.TensorSpec spec = stage.outputs().get(i);
            boolean open = QnnStage.isOpen(spec);
            int[] extents = extents(spec.shapeWith(1));
            if (open) {
                Arrays.fill(extents, 1);
                extents[0] = room.get(i);
            }
            outputs.add(new TensorInfo(spec.name(), type(spec.type()), extents, open));
        }
    }

    private static int[] extents(long[] shape) {
        return Arrays.stream(shape).mapToInt(Math::toIntExact).toArray();
    }

    boolean isFor(QnnStage wanted, List<long[]> shapes) {
        if (stage != wanted) {
            return false;
        }
        for (int i = 0; i < shapes.size(); i++) {
            if (!Arrays.equals(shapes.get(i), inputShapes.get(i))) {
                return false;
            }
        }
        return true;
    }

    QnnStage stage() {
        return stage;
    }

    GraphImage image() {
        return new GraphImage(GraphImage.ONNX, stage.graphName(), inputs, outputs, stage.model());
    }

    GraphSpec spec() {
        List<TensorSpec> all = new ArrayList<>();
        outputs.forEach(output -> all.add(declared(output)));
        for (TensorInfo output : outputs) {
            if (output.atMost()) {
                all.add(new TensorSpec(
                        output.name() + ".shape", Tensor.Type.INT32, new long[] {output.shape().length}));
            }
        }
        return new GraphSpec(
                stage.graphName(), inputs.stream().map(GraphVariant::declared).toList(), all);
    }

    private static TensorSpec declared(TensorInfo tensor) {
        return new TensorSpec(
                tensor.name(),
                type(tensor.type()),
                Arrays.stream(tensor.shape()).asLongStream().toArray());
    }

    /** The outputs of a run as the model names and shapes them. */
    List<Tensor> outputs(List<Tensor> run) {
        List<Tensor> result = new ArrayList<>();
        int shapeIndex = outputs.size();
        for (int i = 0; i < outputs.size(); i++) {
            Tensor made = run.get(i);
            if (outputs.get(i).atMost()) {
                long[] shape = Arrays.stream(run.get(shapeIndex++).data().toArray(ValueLayout.JAVA_INT_UNALIGNED))
                        .asLongStream()
                        .toArray();
                long bytes = Tensor.elements(shape) * made.type().bytes();
                made = new Tensor(made.name(), made.type(), shape, made.data().asSlice(0, bytes));
            }
            result.add(made);
        }
        return result;
    }

    private static ElementType type(Tensor.Type type) {
        return switch (type) {
            case INT8 -> ElementType.INT8;
            case INT32 -> ElementType.INT32;
            case INT64 -> ElementType.INT64;
            case FLOAT16 -> ElementType.FLOAT16;
            case FLOAT32 -> ElementType.FLOAT32;
        };
    }

    private static Tensor.Type type(ElementType type) {
        return switch (type) {
            case INT8 -> Tensor.Type.INT8;
            case INT32 -> Tensor.Type.INT32;
            case INT64 -> Tensor.Type.INT64;
            case FLOAT16 -> Tensor.Type.FLOAT16;
            case FLOAT32 -> Tensor.Type.FLOAT32;
        };
    }
}
