package dev.portal.llm.decoder;

import dev.portal.llm.LlmException;
import dev.portal.llm.LlmException.Kind;
import dev.portal.llm.gguf.GgufTensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All on the processor. */
public final class CpuBackend implements Backend {
    private final CpuScratch scratch;
    private final Int8Store store;
    private final boolean i8;

    private CpuBackend(CpuScratch scratch, long freeBytes, boolean i8) {
        this.scratch = scratch;
        this.i8 = i8;
        store = new Int8Store(freeBytes);
    }

    /** The file's weights in place. */
    public static Factory nativeWeights() {
        return (scratch, free) -> new CpuBackend(scratch, free, false);
    }

    /** Weights converted to the format I8, which every device computes to the same bits. */
    public static Factory int8() {
        return (scratch, free) -> new CpuBackend(scratch, free, true);
    }

    @Override
    public String name() {
        return "cpu, " + (i8 ? "I8" : "native weights") + ", " + scratch.team().threads() + " threads, "
                + scratch.kernels().name();
    }

    @Override
    public LinearGroup group(List<GgufTensor> tensors) {
        return new CpuGroup(tensors.stream().map(this::matrix).toList());
    }

    private Linear matrix(GgufTensor tensor) {
        return i8 ? new Int8Linear(store.weights(tensor), scratch) : new CpuLinear(tensor, scratch);
    }

    @Override
    public double npuShare() {
        return 0;
    }

    @Override
    public void close() {
        store.close();
    }

    /** Converted weights, outside of the heap; a tensor that is used twice is converted once. */
    static final class Int8Store implements AutoCloseable {
        private final Arena arena = arena();
        private final Map<String, Int8Weights> converted = new HashMap<>();
        private long freeBytes;

        Int8Store(long freeBytes) {
            this.freeBytes = freeBytes;
        }

        @SuppressWarnings("MustBeClosedChecker") // closed with the store
        private static Arena arena() {
            return Arena.ofShared();
        }

        Int8Weights weights(GgufTensor tensor) {
            Int8Weights known = converted.get(tensor.name());
            if (known != null) {
                return known;
            }
            long bytes = Int8Weights.bytes(tensor.rows(), tensor.columns());
            Int8Weights fresh = Int8Weights.of(tensor, reserve(tensor.name(), bytes, "the format I8"));
            converted.put(tensor.name(), fresh);
            return fresh;
        }

        /**
         * Memory with zeros for a converted tensor.
         *
         * @param format for the refusal
         */
        MemorySegment reserve(String tensor, long bytes, String format) {
            if (bytes > freeBytes) {
                throw new LlmException(
                        Kind.OUT_OF_MEMORY,
                        "tensor '" + tensor + "' needs " + (bytes >> 20) + " MiB in " + format + " and "
                                + (freeBytes >> 20) + " MiB are free; take a smaller model, or --weights native, which"
                                + " leaves the weights in the file");
            }
            freeBytes -= bytes;
            try {
                return arena.allocate(bytes, 64);
            } catch (OutOfMemoryError e) {
                throw new LlmException(
                        Kind.OUT_OF_MEMORY,
                        "no " + (bytes >> 20) + " MiB for tensor '" + tensor + "'; take a smaller model",
                        e);
            }
        }

        @Override
        public void close() {
            arena.close();
        }
    }
}
