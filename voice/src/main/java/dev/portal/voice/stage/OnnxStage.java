package dev.portal.voice.stage;

import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import dev.portal.scheduler.Tensor;
import java.util.List;
import java.util.Map;

/**
 * A stage that ONNX Runtime computes on the CPU, on the thread that executes the job. The whole run is one segment:
 * ONNX Runtime has no point where it could stop and go on.
 */
final class OnnxStage implements ModelStage {
    private final OnnxModel model;
    private final NpuWorkload workload;

    OnnxStage(OnnxModel model, NpuWorkload workload) {
        this.model = model;
        this.workload = workload;
    }

    @Override
    public String name() {
        return model.name();
    }

    @Override
    public NpuWorkload workload() {
        return workload;
    }

    @Override
    public List<TensorSpec> inputs() {
        return model.inputs();
    }

    @Override
    public List<TensorSpec> outputs() {
        return model.outputs();
    }

    @Override
    public Map<String, String> metadata() {
        return model.metadata();
    }

    @Override
    public NpuJob job(List<Tensor> inputs) {
        model.check(inputs);
        return new Run(List.copyOf(inputs));
    }

    @Override
    public void close() {
        model.close();
    }

    private final class Run implements NpuJob {
        private final List<Tensor> inputs;

        Run(List<Tensor> inputs) {
            this.inputs = inputs;
        }

        @Override
        public NpuWorkload workload() {
            return workload;
        }

        @Override
        public NpuJobResult execute(Preemption preemption) {
            return new NpuJobResult.Completed(model.run(inputs));
        }

        @Override
        public String toString() {
            return workload + " on " + model.name();
        }
    }
}
