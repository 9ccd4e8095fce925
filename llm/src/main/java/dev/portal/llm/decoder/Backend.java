package dev.portal.llm.decoder;

import dev.portal.llm.LlmException;
import dev.portal.llm.gguf.GgufTensor;
import java.util.List;

/**
 * Where the matrices of a model are computed, and in which format. Owns what it converts.
 *
 * <p>One thread at a time.
 */
public interface Backend extends AutoCloseable {
    /** Makes the back end of a model that is being opened. */
    @FunctionalInterface
    interface Factory {
        /**
         * A back end.
         *
         * @param scratch what the matrices share on the processor
         * @param freeBytes memory that may be taken
         */
        Backend open(CpuScratch scratch, long freeBytes);
    }

    /** For reports: device and format. */
    String name();

    /**
     * The matrices of tensors that take the same activations, converted if the format asks for it.
     *
     * @throws LlmException out of memory, naming the tensor
     */
    LinearGroup group(List<GgufTensor> tensors);

    /** The part of the multiply-adds so far that an NPU did, 0 to 1. */
    double npuShare();

    /**
     * Compares what was planned with what the last tokens took, and plans anew where that gains much. Between two tokens
     * only; groups stay valid.
     *
     * @return whether it wants to see more tokens; false after some calls
     */
    default boolean settle() {
        return false;
    }

    /** Frees what was converted; no layer is used any more. */
    @Override
    void close();
}
