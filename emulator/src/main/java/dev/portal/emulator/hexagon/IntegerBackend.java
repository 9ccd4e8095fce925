package dev.portal.emulator.hexagon;

import dev.portal.emulator.hexagon.IntegerGraph.Operator;
import dev.portal.hardware.fastrpc.QnnWire;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Computes {@link IntegerGraph}s, a node a step. */
public final class IntegerBackend implements GraphBackend {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int MOST = 1 << 20;
    private static final int LARGEST_BYTES = 64 << 20;

    private record Value(TensorInfo info, MemorySegment data) {
        static Value of(TensorInfo info) {
            if (info.sizeBytes() > LARGEST_BYTES) {
                throw new IllegalArgumentException(info + " is above " + LARGEST_BYTES + " bytes");
            }
            return new Value(info, MemorySegment.ofArray(new byte[info.sizeBytes()]));
        }

        int extent(int axis) {
            return info.shape()[axis];
        }
    }

    private record Node(Operator operator, Value a, Value b, Value result, long nanos) {}

    @Override
    public int kind() {
        return GraphImage.INTEGER;
    }

    @Override
    public Graph compile(GraphImage image) throws GraphException {
        try {
            return build(image);
        } catch (BufferUnderflowException | IllegalArgumentException | ArithmeticException e) {
            throw new GraphException(
                    QnnWire.QNN_CREATE_FROM_BINARY, "graph '" + image.name() + "' is damaged: " + e, e);
        }
    }

    private static Graph build(GraphImage image) throws GraphException {
        ByteBuffer body = ByteBuffer.wrap(image.body()).order(ByteOrder.LITTLE_ENDIAN);
        List<Value> values = new ArrayList<>();
        image.inputs().forEach(info -> values.add(Value.of(info)));
        for (int i = count(body); i > 0; i--) {
            values.add(constant(body));
        }
        List<Node> nodes = new ArrayList<>();
        for (int i = count(body); i > 0; i--) {
            Node node = node(body, values);
            nodes.add(node);
            values.add(node.result());
        }
        List<Value> outputs = new ArrayList<>();
        int count = count(body);
        for (int i = 0; i < count; i++) {
            outputs.add(value(body.getInt(), values));
        }
        if (outputs.size() != image.outputs().size()) {
            throw new IllegalArgumentException(outputs.size() + " outputs, declared are " + image.outputs());
        }
        for (int i = 0; i < count; i++) {
            TensorInfo declared = image.outputs().get(i);
            TensorInfo made = outputs.get(i).info();
            if (declared.type() != made.type() || declared.sizeBytes() != made.sizeBytes() || declared.atMost()) {
                throw new IllegalArgumentException("output " + declared + " is made as " + made);
            }
        }
        return new Compiled(values.subList(0, image.inputs().size()), nodes, outputs);
    }

    private static int count(ByteBuffer body) {
        int count = body.getInt();
        if (count < 0 || count > MOST) {
            throw new IllegalArgumentException("a count of " + count);
        }
        return count;
    }

    private static Value constant(ByteBuffer body) {
        ElementType type =
                ElementType.of(body.getInt()).orElseThrow(() -> new IllegalArgumentException("element type"));
        int[] shape = new int[count(body)];
        for (int i = 0; i < shape.length; i++) {
            shape[i] = body.getInt();
        }
        TensorInfo info = TensorInfo.of("", type, shape);
        if (info.sizeBytes() > body.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] data = new byte[info.sizeBytes()];
        body.get(data);
        return new Value(info, MemorySegment.ofArray(data));
    }

    private static Value value(int index, List<Value> values) {
        if (index < 0 || index >= values.size()) {
            throw new IllegalArgumentException("value " + index + " of " + values.size());
        }
        return values.get(index);
    }

    private static Node node(ByteBuffer body, List<Value> values) throws GraphException {
        int code = body.getInt();
        if (code < 0 || code >= Operator.values().length) {
            throw new GraphException(QnnWire.QNN_NOT_SUPPORTED, "operator " + code);
        }
        Operator operator = Operator.values()[code];
        Value a = value(body.getInt(), values);
        Value b = value(body.getInt(), values);
        long nanos = body.getInt() & 0xffff_ffffL;
        ElementType type = a.info().type();
        boolean numbers = type == ElementType.INT32 || type == ElementType.FLOAT32;
        boolean alike = operator == Operator.RELU || b.info().type() == type;
        if (!numbers || !alike) {
            throw new GraphException(QnnWire.QNN_NOT_SUPPORTED, operator + " of " + a.info() + " and " + b.info());
        }
        return new Node(operator, a, b, Value.of(TensorInfo.of("", type, shape(operator, a, b))), nanos);
    }

    private static int[] shape(Operator operator, Value a, Value b) {
        if (operator == Operator.MATMUL) {
            boolean fits = a.info().shape().length == 2
                    && b.info().shape().length == 2
                    && a.extent(1) == b.extent(0)
                    && a.info().type() == ElementType.INT32;
            if (!fits) {
                throw new IllegalArgumentException("matrix product of " + a.info() + " and " + b.info());
            }
            return new int[] {a.extent(0), b.extent(1)};
        }
        int elements = b.info().elements();
        if (operator != Operator.RELU && elements != 1 && elements != a.info().elements()) {
            throw new IllegalArgumentException(operator + " of " + a.info() + " and " + b.info());
        }
        return a.info().shape();
    }

    private static final class Compiled implements Graph {
        private final List<Value> inputs;
        private final List<Node> nodes;
        private final List<Value> outputs;

        Compiled(List<Value> inputs, List<Node> nodes, List<Value> outputs) {
            this.inputs = List.copyOf(inputs);
            this.nodes = nodes;
            this.outputs = outputs;
        }

        @Override
        public MemorySegment input(int index) {
            return inputs.get(index).data();
        }

        @Override
        public MemorySegment output(int index) {
            return outputs.get(index).data();
        }

        @Override
        public int steps() {
            return Math.max(1, nodes.size());
        }

        @Override
        public long nanosOf(int step) {
            return nodes.isEmpty() ? 0 : nodes.get(step).nanos();
        }

        @Override
        public void run(int step) {
            if (nodes.isEmpty()) {
                return;
            }
            Node node = nodes.get(step);
            if (node.operator() == Operator.MATMUL) {
                multiply(node);
            } else if (node.a().info().type() == ElementType.INT32) {
                integers(node);
            } else {
                floats(node);
            }
        }

        private static void multiply(Node node) {
            int inner = node.a().extent(1);
            int columns = node.b().extent(1);
            for (int i = 0; i < node.result().info().elements(); i++) {
                int sum = 0;
                for (int k = 0; k < inner; k++) {
                    sum += node.a().data().get(INT, 4L * (i / columns * inner + k))
                            * node.b().data().get(INT, 4L * (k * columns + i % columns));
                }
                node.result().data().set(INT, 4L * i, sum);
            }
        }

        private static void integers(Node node) {
            boolean scalar = node.b().info().elements() == 1;
            for (int i = 0; i < node.result().info().elements(); i++) {
                int a = node.a().data().get(INT, 4L * i);
                int b = node.operator() == Operator.RELU ? 0 : node.b().data().get(INT, scalar ? 0 : 4L * i);
                node.result()
                        .data()
                        .set(
                                INT,
                                4L * i,
                                switch (node.operator()) {
                                    case ADD -> a + b;
                                    case SUBTRACT -> a - b;
                                    case MULTIPLY, MATMUL -> a * b;
                                    case RELU -> Math.max(a, 0);
                                });
            }
        }

        private static void floats(Node node) {
            boolean scalar = node.b().info().elements() == 1;
            for (int i = 0; i < node.result().info().elements(); i++) {
                float a = node.a().data().get(FLOAT, 4L * i);
                float b = node.operator() == Operator.RELU ? 0 : node.b().data().get(FLOAT, scalar ? 0 : 4L * i);
                node.result()
                        .data()
                        .set(
                                FLOAT,
                                4L * i,
                                switch (node.operator()) {
                                    case ADD -> a + b;
                                    case SUBTRACT -> a - b;
                                    case MULTIPLY, MATMUL -> a * b;
                                    case RELU -> Math.max(a, 0);
                                });
            }
        }

        @Override
        public void close() {}
    }
}
