package dev.portal.voice.stage;

import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Tensor;
import java.util.List;
import java.util.Map;

/**
 * One neural stage of an engine. An inference is a job: the engine gives the inputs, submits the job, and takes the
 * outputs from its result.
 *
 * <p>Any thread. Several jobs of one stage may be in flight.
 */
public interface ModelStage extends AutoCloseable {
    /** For logs and errors: the model's file name. */
    String name();

    /** What the stage computes, and so which lane runs it. */
    NpuWorkload workload();

    /** The inputs in the model's order. */
    List<TensorSpec> inputs();

    /** The outputs in the model's order. */
    List<TensorSpec> outputs();

    /** What the model file carries beside the graph (chunk sizes, vocabulary size and the like). */
    Map<String, String> metadata();

    /**
     * Prepares one inference. The inputs belong to the job until it has completed; the outputs, in the model's order and
     * under its names, belong to the receiver.
     *
     * @param inputs one tensor for each input, in any order
     * @throws IllegalArgumentException when a tensor is missing, unknown, or of the wrong type or shape
     */
    NpuJob job(List<Tensor> inputs);

    /** Waits for the inference that runs, and frees the model. Jobs executed later fail. */
    @Override
    void close();
}
