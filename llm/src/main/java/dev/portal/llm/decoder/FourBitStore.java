package dev.portal.llm.decoder;

import dev.portal.llm.gguf.GgufTensor;
import dev.portal.llm.gguf.TensorType;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Rows in 4 bits for the processor's part of a split: the file's own where it has them, else blocks of Q4_0 as llama.cpp's
 * reference quantiser makes them. Rows are converted when they are first asked for.
 */
final class FourBitStore {
    private final boolean on;
    private final CpuBackend.Int8Store memory;
    private final Map<String, GgufTensor> converted = new HashMap<>();
    /** Rows from this one on are converted. */
    private final Map<String, Integer> first = new HashMap<>();

    /**
     * @param on whether anything is to be in 4 bits
     * @param memory where converted rows go
     */
    FourBitStore(boolean on, CpuBackend.Int8Store memory) {
        this.on = on;
        this.memory = memory;
    }

    /** Whether the processor has a tensor's rows in 4 bits; rows that are no whole blocks it has not. */
    boolean takes(GgufTensor tensor) {
        return on && tensor.columns() % Q4Blocks.WEIGHTS == 0;
    }

    /**
     * In which type a group has its rows, one for all, since all take the same activations: the file's own where that is
     * the same 4-bit type for each matrix, else Q4_0.
     */
    TensorType kind(List<GgufTensor> group) {
        TensorType first = group.getFirst().type();
        boolean own = first == TensorType.Q4_0 || first == TensorType.Q4_K;
        return own && group.stream().allMatch(tensor -> tensor.type() == first) ? first : TensorType.Q4_0;
    }

    /** The tensor with rows {@code from} to the last one in a type of {@link #kind}; those before may be anything. */
    GgufTensor rows(GgufTensor tensor, int from, TensorType kind) {
        return tensor.type() == kind ? tensor : converted(tensor, from);
    }

    private GgufTensor converted(GgufTensor tensor, int from) {
        GgufTensor made = converted.get(tensor.name());
        if (made == null) {
            long bytes = tensor.rows() * TensorType.Q4_0.rowBytes(tensor.columns());
            MemorySegment data = memory.reserve(tensor.name(), bytes, "4 bits");
            made = new GgufTensor(tensor.name(), tensor.sizes(), TensorType.Q4_0, data);
            converted.put(tensor.name(), made);
        }
        int before = first.getOrDefault(tensor.name(), tensor.rows());
        float[] row = new float[tensor.columns()];
        for (int i = from; i < before; i++) {
            WeightRows.read(tensor, i, row);
            Q4Blocks.quantise(row, made.data(), i * made.rowBytes());
        }
        first.put(tensor.name(), Math.min(from, before));
        return made;
    }
}
