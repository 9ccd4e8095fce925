package dev.portal.scheduler;

import java.util.List;

/** How one call of {@link NpuJob#execute} ended. */
public sealed interface NpuJobResult {
    /** A result without outputs, for jobs that deliver elsewhere (audio pieces, tokens). */
    Completed DONE = new Completed(List.of());

    /** There is more to do; the arbiter runs the job again. */
    Yielded YIELDED = new Yielded();

    /** The job is done. */
    static Completed completed(Tensor... outputs) {
        return new Completed(List.of(outputs));
    }

    /**
     * The job is done.
     *
     * @param outputs what it computed, in the order that the job documents; the receiver owns the memory
     */
    record Completed(List<Tensor> outputs) implements NpuJobResult {
        /** The output called {@code name}. */
        public Tensor output(String name) {
            for (Tensor tensor : outputs) {
                if (tensor.name().equals(name)) {
                    return tensor;
                }
            }
            throw new IllegalArgumentException("no output named '" + name + "'; there are "
                    + outputs.stream().map(Tensor::name).toList());
        }
    }

    /** The job stopped at a segment boundary because it was asked to, and has more to do. */
    record Yielded() implements NpuJobResult {}
}
