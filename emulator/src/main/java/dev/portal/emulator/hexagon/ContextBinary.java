package dev.portal.emulator.hexagon;

import dev.portal.hardware.fastrpc.QnnWire;
import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The emulated DSP's context binary (spec 3.2): ready graphs, little-endian. The vendor's format is not public; this one
 * is ours.
 *
 * <pre>
 *   0   "PQCB" | 4 version u32 = 1 | 8 graphs u32 | 12 bytes in all u32
 *   16  for each graph: kind u32 | text name | inputs u32 | outputs u32 | tensors | body offset u32 | body bytes u32
 *       tensor: text name | type u32 (QNN's) | flags u32 (1: at most) | rank u32 | extents u32
 *       text: bytes u32 | UTF-8
 *   bodies, each at a multiple of 8; graphs may share one
 * </pre>
 */
public final class ContextBinary {
    /** {@code "PQCB"}. */
    static final int MAGIC = 0x42435150;

    private static final int VERSION = 1;
    private static final int AT_MOST = 1;
    private static final int MAX_RANK = 8;
    private static final int MAX_TENSORS = 4096;
    private static final int MAX_NAME = 4096;

    private ContextBinary() {}

    /** A container of these graphs. Bodies that are equal are written once. */
    public static byte[] of(List<GraphImage> graphs) {
        int[] offsets = new int[graphs.size()];
        int size = 16 + write(graphs, offsets).length;
        for (int i = 0; i < offsets.length; i++) {
            int known = indexOfBody(graphs, i);
            if (known < i) {
                offsets[i] = offsets[known];
            } else {
                size = (size + 7) / 8 * 8;
                offsets[i] = size;
                size = Math.addExact(size, graphs.get(i).body().length);
            }
        }
        ByteBuffer all = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        all.putInt(MAGIC).putInt(VERSION).putInt(graphs.size()).putInt(size).put(write(graphs, offsets));
        for (int i = 0; i < offsets.length; i++) {
            all.put(offsets[i], graphs.get(i).body());
        }
        return all.array();
    }

    private static int indexOfBody(List<GraphImage> graphs, int index) {
        for (int i = 0; i < index; i++) {
            if (Arrays.equals(graphs.get(i).body(), graphs.get(index).body())) {
                return i;
            }
        }
        return index;
    }

    private static byte[] write(List<GraphImage> graphs, int[] offsets) {
        var out = new ByteArrayOutputStream();
        for (int i = 0; i < offsets.length; i++) {
            GraphImage graph = graphs.get(i);
            number(out, graph.kind());
            text(out, graph.name());
            number(out, graph.inputs().size());
            number(out, graph.outputs().size());
            graph.inputs().forEach(tensor -> tensor(out, tensor));
            graph.outputs().forEach(tensor -> tensor(out, tensor));
            number(out, offsets[i]);
            number(out, graph.body().length);
        }
        return out.toByteArray();
    }

    private static void tensor(ByteArrayOutputStream out, TensorInfo tensor) {
        text(out, tensor.name());
        number(out, tensor.type().code());
        number(out, tensor.atMost() ? AT_MOST : 0);
        int[] shape = tensor.shape();
        number(out, shape.length);
        for (int extent : shape) {
            number(out, extent);
        }
    }

    private static void text(ByteArrayOutputStream out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        number(out, bytes.length);
        out.writeBytes(bytes);
    }

    private static void number(ByteArrayOutputStream out, int value) {
        out.writeBytes(ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(value)
                .array());
    }

    /**
     * Reads a container.
     *
     * @throws GraphException 5004 for another version, 5005 for anything that is not a container
     */
    static List<GraphImage> read(byte[] bytes) throws GraphException {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        try {
            if (in.getInt() != MAGIC) {
                throw bad("it does not begin with the magic of a context binary");
            }
            int version = in.getInt();
            if (version != VERSION) {
                throw new GraphException(
                        QnnWire.QNN_BINARY_VERSION, "context binary of version " + version + ", not " + VERSION);
            }
            int count = in.getInt();
            int size = in.getInt();
            if (size < 16 || size > bytes.length) {
                throw bad("it says " + size + " bytes and has " + bytes.length);
            }
            in.limit(size);
            List<GraphImage> graphs = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                graphs.add(graph(in));
            }
            return graphs;
        } catch (BufferUnderflowException | IllegalArgumentException | ArithmeticException e) {
            throw new GraphException(QnnWire.QNN_CREATE_FROM_BINARY, "context binary is damaged: " + e, e);
        }
    }

    private static GraphImage graph(ByteBuffer in) throws GraphException {
        int kind = in.getInt();
        String name = text(in);
        int inputs = in.getInt();
        int outputs = in.getInt();
        if (inputs < 0 || outputs < 0 || inputs > MAX_TENSORS || outputs > MAX_TENSORS) {
            throw bad("graph '" + name + "' has " + inputs + " inputs and " + outputs + " outputs");
        }
        List<TensorInfo> in0 = tensors(in, inputs);
        List<TensorInfo> out0 = tensors(in, outputs);
        int offset = in.getInt();
        int length = in.getInt();
        if (offset < 0 || length < 0 || offset > in.limit() - length) {
            throw bad("the body of graph '" + name + "' lies outside");
        }
        byte[] body = new byte[length];
        in.get(offset, body);
        return new GraphImage(kind, name, in0, out0, body);
    }

    private static List<TensorInfo> tensors(ByteBuffer in, int count) throws GraphException {
        List<TensorInfo> tensors = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = text(in);
            int code = in.getInt();
            ElementType type =
                    ElementType.of(code).orElseThrow(() -> bad("element type 0x" + Integer.toHexString(code)));
            boolean atMost = (in.getInt() & AT_MOST) != 0;
            int rank = in.getInt();
            if (rank < 0 || rank > MAX_RANK) {
                throw bad("tensor '" + name + "' of rank " + rank);
            }
            int[] shape = new int[rank];
            for (int k = 0; k < rank; k++) {
                shape[k] = in.getInt();
            }
            tensors.add(new TensorInfo(name, type, shape, atMost));
        }
        return tensors;
    }

    private static String text(ByteBuffer in) throws GraphException {
        int length = in.getInt();
        if (length < 0 || length > MAX_NAME) {
            throw bad("a name of " + length + " bytes");
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static GraphException bad(String why) {
        return new GraphException(QnnWire.QNN_CREATE_FROM_BINARY, "not a context binary: " + why);
    }
}
