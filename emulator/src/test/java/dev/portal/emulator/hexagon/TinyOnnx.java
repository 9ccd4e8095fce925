package dev.portal.emulator.hexagon;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes ONNX models of a few nodes without attributes: just enough of onnx.proto (IR version 8, operator set 13). */
final class TinyOnnx {
    static final int FLOAT = 1;
    static final int INT64 = 7;

    private final ByteArrayOutputStream graph = new ByteArrayOutputStream();

    TinyOnnx() {
        text(graph, 2, "tiny");
    }

    /** An input; an extent below 0 is left open. */
    TinyOnnx input(String name, int type, long... shape) {
        bytes(graph, 11, value(name, type, shape));
        return this;
    }

    TinyOnnx output(String name, int type, long... shape) {
        bytes(graph, 12, value(name, type, shape));
        return this;
    }

    TinyOnnx node(String operator, List<String> inputs, List<String> outputs) {
        var node = new ByteArrayOutputStream();
        inputs.forEach(input -> text(node, 1, input));
        outputs.forEach(output -> text(node, 2, output));
        text(node, 4, operator);
        bytes(graph, 1, node.toByteArray());
        return this;
    }

    byte[] bytes() {
        var operators = new ByteArrayOutputStream();
        number(operators, 2, 13);
        var model = new ByteArrayOutputStream();
        number(model, 1, 8);
        bytes(model, 8, operators.toByteArray());
        bytes(model, 7, graph.toByteArray());
        return model.toByteArray();
    }

    private static byte[] value(String name, int type, long... shape) {
        var extents = new ByteArrayOutputStream();
        for (int i = 0; i < shape.length; i++) {
            var extent = new ByteArrayOutputStream();
            if (shape[i] < 0) {
                text(extent, 2, name + i);
            } else {
                number(extent, 1, shape[i]);
            }
            bytes(extents, 1, extent.toByteArray());
        }
        var tensor = new ByteArrayOutputStream();
        number(tensor, 1, type);
        bytes(tensor, 2, extents.toByteArray());
        var kind = new ByteArrayOutputStream();
        bytes(kind, 1, tensor.toByteArray());
        var value = new ByteArrayOutputStream();
        text(value, 1, name);
        bytes(value, 2, kind.toByteArray());
        return value.toByteArray();
    }

    private static void number(ByteArrayOutputStream out, int field, long value) {
        varint(out, (long) field << 3);
        varint(out, value);
    }

    private static void text(ByteArrayOutputStream out, int field, String value) {
        bytes(out, field, value.getBytes(StandardCharsets.UTF_8));
    }

    private static void bytes(ByteArrayOutputStream out, int field, byte[] value) {
        varint(out, ((long) field << 3) | 2);
        varint(out, value.length);
        out.writeBytes(value);
    }

    private static void varint(ByteArrayOutputStream out, long value) {
        long left = value;
        while ((left & ~0x7fL) != 0) {
            out.write((int) ((left & 0x7f) | 0x80));
            left >>>= 7;
        }
        out.write((int) left);
    }
}
