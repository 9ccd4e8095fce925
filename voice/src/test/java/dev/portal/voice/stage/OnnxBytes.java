package dev.portal.voice.stage;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes small ONNX models: just enough of the protobuf messages of onnx.proto (IR version 8, operator set 13) for graphs
 * that tests state node by node.
 */
public final class OnnxBytes {
    /** Element types as ONNX numbers them. */
    public static final int FLOAT = 1;

    public static final int INT32 = 6;
    public static final int INT64 = 7;
    public static final int BOOL = 9;

    private final Message model = new Message().number(1, 8).message(8, new Message().number(2, 13));
    private final Message graph = new Message().text(2, "test");

    /** An input; an extent below 0 is left open. */
    public OnnxBytes input(String name, int type, long... shape) {
        graph.message(11, value(name, type, shape));
        return this;
    }

    /** An output. */
    public OnnxBytes output(String name, int type, long... shape) {
        graph.message(12, value(name, type, shape));
        return this;
    }

    /** A constant. */
    public OnnxBytes floats(String name, float[] values, long... shape) {
        ByteBuffer raw = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        raw.asFloatBuffer().put(values);
        return constant(name, FLOAT, raw.array(), shape);
    }

    /** A constant of one dimension. */
    public OnnxBytes longs(String name, long... values) {
        ByteBuffer raw = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        raw.asLongBuffer().put(values);
        return constant(name, INT64, raw.array(), values.length);
    }

    private OnnxBytes constant(String name, int type, byte[] raw, long... shape) {
        Message tensor = new Message();
        for (long extent : shape) {
            tensor.number(1, extent);
        }
        graph.message(5, tensor.number(2, type).text(8, name).bytes(9, raw));
        return this;
    }

    /** A node without attributes, or with one that is an integer ({@code "axis=1"}) or a list ({@code "axes=1,2"}). */
    public OnnxBytes node(String operator, List<String> inputs, List<String> outputs, String... attributes) {
        Message node = new Message();
        inputs.forEach(input -> node.text(1, input));
        outputs.forEach(output -> node.text(2, output));
        node.text(4, operator);
        for (String attribute : attributes) {
            int equals = attribute.indexOf('=');
            Message message = new Message().text(1, attribute.substring(0, equals));
            node.message(
                    5,
                    message.number(3, Long.parseLong(attribute.substring(equals + 1)))
                            .number(20, 2));
        }
        graph.message(1, node);
        return this;
    }

    /** Metadata beside the graph. */
    public OnnxBytes metadata(String key, String value) {
        model.message(14, new Message().text(1, key).text(2, value));
        return this;
    }

    public byte[] bytes() {
        return new Message().bytes(model).message(7, graph).toBytes();
    }

    private static Message value(String name, int type, long... shape) {
        Message extents = new Message();
        for (int i = 0; i < shape.length; i++) {
            Message extent = new Message();
            extents.message(1, shape[i] < 0 ? extent.text(2, name + i) : extent.number(1, shape[i]));
        }
        Message tensor = new Message().number(1, type).message(2, extents);
        return new Message().text(1, name).message(2, new Message().message(1, tensor));
    }

    /** A protobuf message: fields as they come. */
    private static final class Message {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        Message number(int field, long value) {
            varint(field << 3);
            varint(value);
            return this;
        }

        Message text(int field, String value) {
            return bytes(field, value.getBytes(StandardCharsets.UTF_8));
        }

        Message message(int field, Message value) {
            return bytes(field, value.toBytes());
        }

        Message bytes(int field, byte[] value) {
            varint((field << 3) | 2);
            varint(value.length);
            out.writeBytes(value);
            return this;
        }

        Message bytes(Message other) {
            out.writeBytes(other.toBytes());
            return this;
        }

        byte[] toBytes() {
            return out.toByteArray();
        }

        private void varint(long value) {
            long left = value;
            while ((left & ~0x7fL) != 0) {
                out.write((int) ((left & 0x7f) | 0x80));
                left >>>= 7;
            }
            out.write((int) left);
        }
    }
}
