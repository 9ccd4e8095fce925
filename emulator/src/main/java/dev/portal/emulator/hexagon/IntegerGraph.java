package dev.portal.emulator.hexagon;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A graph whose results are exact, for tests: nodes in order over numbered values, little-endian u32 words.
 *
 * <pre>
 *   constants | for each: type, rank, extents, elements
 *   nodes     | for each: operator, value a, value b, nanoseconds on the DSP
 *   outputs   | for each: value
 * </pre>
 *
 * Values are numbered inputs first, then constants, then one for each node. Operators work on INT32, which wraps around,
 * or on FLOAT32, which IEEE 754 rounds the same everywhere. {@code b} may be a scalar; RELU takes {@code a} alone.
 */
public final class IntegerGraph {
    /** What a node computes. */
    public enum Operator {
        /** a + b, element by element. */
        ADD,
        /** a - b. */
        SUBTRACT,
        /** a * b. */
        MULTIPLY,
        /** The matrix product [m, k] x [k, n]. */
        MATMUL,
        /** max(a, 0). */
        RELU
    }

    private record Constant(TensorInfo info, byte[] data) {}

    private record Node(Operator operator, int a, int b, int nanos) {}

    private final String name;
    private final List<TensorInfo> inputs = new ArrayList<>();
    private final List<TensorInfo> outputs = new ArrayList<>();
    private final List<Constant> constants = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final List<Integer> outputValues = new ArrayList<>();

    /** An empty graph. Inputs come first, then constants, then nodes, then outputs. */
    public IntegerGraph(String name) {
        this.name = name;
    }

    /** Adds an input and returns its value's number. */
    public int input(String tensor, ElementType type, int... shape) {
        inputs.add(TensorInfo.of(tensor, type, shape));
        return inputs.size() - 1;
    }

    /** Adds an INT32 constant and returns its value's number. */
    public int constant(int[] shape, int... elements) {
        ByteBuffer data = ByteBuffer.allocate(4 * elements.length).order(ByteOrder.LITTLE_ENDIAN);
        data.asIntBuffer().put(elements);
        constants.add(new Constant(TensorInfo.of("", ElementType.INT32, shape), data.array()));
        return inputs.size() + constants.size() - 1;
    }

    /**
     * Adds a node and returns its value's number.
     *
     * @param nanos how long the DSP takes for it
     */
    public int node(Operator operator, int a, int b, int nanos) {
        nodes.add(new Node(operator, a, b, nanos));
        return inputs.size() + constants.size() + nodes.size() - 1;
    }

    /** Makes a value an output. */
    public IntegerGraph output(String tensor, int value, ElementType type, int... shape) {
        outputs.add(TensorInfo.of(tensor, type, shape));
        outputValues.add(value);
        return this;
    }

    /** The graph as a container has it. */
    public GraphImage image() {
        var out = new ByteArrayOutputStream();
        word(out, constants.size());
        for (Constant constant : constants) {
            int[] shape = constant.info().shape();
            word(out, constant.info().type().code());
            word(out, shape.length);
            Arrays.stream(shape).forEach(extent -> word(out, extent));
            out.writeBytes(constant.data());
        }
        word(out, nodes.size());
        for (Node node : nodes) {
            word(out, node.operator().ordinal());
            word(out, node.a());
            word(out, node.b());
            word(out, node.nanos());
        }
        word(out, outputValues.size());
        outputValues.forEach(value -> word(out, value));
        return new GraphImage(GraphImage.INTEGER, name, inputs, outputs, out.toByteArray());
    }

    private static void word(ByteArrayOutputStream out, int value) {
        out.writeBytes(ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(value)
                .array());
    }
}
