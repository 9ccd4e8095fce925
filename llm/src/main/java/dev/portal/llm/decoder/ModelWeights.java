package dev.portal.llm.decoder;

import dev.portal.llm.gguf.GgufException;
import dev.portal.llm.gguf.GgufFile;
import dev.portal.llm.gguf.GgufTensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The weights of a model: its matrices in groups, small vectors as floats.
 *
 * @param embeddings a row a token
 * @param layers from first to last
 * @param outputNorm factors of the last norm
 * @param output from the residual stream to the vocabulary
 */
record ModelWeights(GgufTensor embeddings, List<Layer> layers, float[] outputNorm, LinearGroup output) {
    /** One layer; biases and norms of heads are null where the family has none. */
    record Layer(
            float[] attentionNorm,
            LinearGroup queryKeyValue,
            float @Nullable [] queryBias,
            float @Nullable [] keyBias,
            float @Nullable [] valueBias,
            float @Nullable [] queryNorm,
            float @Nullable [] keyNorm,
            LinearGroup attentionOutput,
            float[] forwardNorm,
            LinearGroup gateUp,
            LinearGroup down) {}

    /**
     * Takes the tensors of a file.
     *
     * @param group makes the matrices of tensors
     * @throws GgufException naming the tensor that is missing or has other sizes than the keys say
     */
    static ModelWeights of(GgufFile file, ModelShape shape, Function<List<GgufTensor>, LinearGroup> group) {
        GgufTensor embeddings = file.tensor("token_embd.weight", shape.width(), shape.vocabulary());
        List<Layer> layers = new ArrayList<>();
        for (int i = 0; i < shape.layers(); i++) {
            layers.add(new Reader(file, "blk." + i + ".", group).layer(shape));
        }
        // Without a matrix of its own, the output is the embeddings again.
        GgufTensor output = file.find("output.weight").isPresent()
                ? file.tensor("output.weight", shape.width(), shape.vocabulary())
                : embeddings;
        float[] outputNorm = new Reader(file, "output_norm", group).vector(".weight", shape.width());
        return new ModelWeights(embeddings, List.copyOf(layers), outputNorm, group.apply(List.of(output)));
    }

    private record Reader(GgufFile file, String prefix, Function<List<GgufTensor>, LinearGroup> group) {
        Layer layer(ModelShape shape) {
            int width = shape.width();
            return new Layer(
                    vector("attn_norm.weight", width),
                    group.apply(List.of(
                            matrix("attn_q.weight", width, shape.queryWidth()),
                            matrix("attn_k.weight", width, shape.keyWidth()),
                            matrix("attn_v.weight", width, shape.keyWidth()))),
                    optional("attn_q.bias", shape.queryWidth(), shape.family() == ModelShape.Family.QWEN2),
                    optional("attn_k.bias", shape.keyWidth(), shape.family() == ModelShape.Family.QWEN2),
                    optional("attn_v.bias", shape.keyWidth(), shape.family() == ModelShape.Family.QWEN2),
                    optional("attn_q_norm.weight", shape.headWidth(), shape.family() == ModelShape.Family.QWEN3),
                    optional("attn_k_norm.weight", shape.headWidth(), shape.family() == ModelShape.Family.QWEN3),
                    group.apply(List.of(matrix("attn_output.weight", shape.queryWidth(), width))),
                    vector("ffn_norm.weight", width),
                    group.apply(List.of(
                            matrix("ffn_gate.weight", width, shape.hidden()),
                            matrix("ffn_up.weight", width, shape.hidden()))),
                    group.apply(List.of(matrix("ffn_down.weight", shape.hidden(), width))));
        }

        GgufTensor matrix(String name, int inputs, int outputs) {
            return file.tensor(prefix + name, inputs, outputs);
        }

        float[] vector(String name, int width) {
            GgufTensor tensor = file.tensor(prefix + name, width);
            float[] values = new float[width];
            WeightRows.read(tensor, 0, values);
            return values;
        }

        float @Nullable [] optional(String name, int width, boolean needed) {
            return needed || file.find(prefix + name).isPresent() ? vector(name, width) : null;
        }
    }
}
