package dev.portal.hexagon;

import java.util.List;

/**
 * What a model declares of one graph.
 *
 * @param name for messages
 * @param inputs in the order of their indices
 * @param outputs in the order of their indices
 */
public record GraphSpec(String name, List<TensorSpec> inputs, List<TensorSpec> outputs) {
    public GraphSpec {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }
}
