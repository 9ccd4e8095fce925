package dev.portal.emulator.hexagon;

import java.util.List;

/**
 * A ready graph in a container.
 *
 * @param kind how {@code body} is to be read: {@link #INTEGER} or {@link #ONNX}
 * @param name for messages
 * @param inputs in the order of {@code tensor_idx}
 * @param outputs in the order of {@code tensor_idx}; the shape outputs of those that are {@code atMost} come after them,
 *     in the same order, and are not listed
 * @param body the graph itself
 */
public record GraphImage(int kind, String name, List<TensorInfo> inputs, List<TensorInfo> outputs, byte[] body) {
    /** {@link IntegerGraph}. */
    public static final int INTEGER = 1;

    /** A model file of ONNX. */
    public static final int ONNX = 2;

    public GraphImage {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }
}
