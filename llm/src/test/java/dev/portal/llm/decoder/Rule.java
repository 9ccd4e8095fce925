package dev.portal.llm.decoder;

import dev.portal.base.SystemClock;
import dev.portal.llm.gguf.GgufFile;
import dev.portal.llm.gguf.GgufTensor;
import java.lang.foreign.Arena;
import java.util.function.Function;

/** By which rule the matrices of a test's decoder are computed. */
enum Rule {
    /** Weights as stored, activations in full precision. */
    EXACT,
    /** The file's weights in place. */
    NATIVE,
    /** The format I8. */
    I8;

    /** A decoder of a file on one thread. */
    LlamaDecoder decoder(GgufFile file, Kernels kernels, int batch) {
        return decoder(file, kernels, batch, Team.alone(new SystemClock()));
    }

    LlamaDecoder decoder(GgufFile file, Kernels kernels, int batch, Team team) {
        ModelShape shape = ModelShape.of(file);
        CpuScratch scratch = new CpuScratch(team, kernels, batch, shape.longestRow());
        Function<GgufTensor, Linear> matrix = switch (this) {
            case EXACT -> ReferenceLinear::new;
            case NATIVE -> tensor -> new CpuLinear(tensor, scratch);
            case I8 ->
                tensor -> new Int8Linear(
                        Int8Weights.of(
                                tensor, Arena.ofAuto().allocate(Int8Weights.bytes(tensor.rows(), tensor.columns()))),
                        scratch);
        };
        ModelWeights weights = ModelWeights.of(
                file,
                shape,
                tensors -> new CpuGroup(tensors.stream().map(matrix).toList()));
        return new LlamaDecoder(shape, weights, new KvCache(shape, 128), team, kernels, batch);
    }
}
