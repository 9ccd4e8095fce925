package dev.portal.app.npu;

import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import dev.portal.scheduler.Tensor;
import dev.portal.voice.stage.ModelStage;
import dev.portal.voice.stage.TensorSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A stage that the DSP computes as a QNN graph; where the arbiter sends its jobs to the CPU instead, the CPU's stage of
 * the same file computes them.
 */
final class QnnStage implements ModelStage {
    private static final long LARGEST_ROOM = 16 << 20;
    private static final int GROWTH = 8;

    private final ModelStage cpu;
    private final byte[] model;
    private final ModelSlot slot;
    private final BooleanSupplier onDsp;
    private final Consumer<ModelStage> onClose;

    /** How much more room than at first the open outputs need; it only grows. */
    private long growth = 1;

    QnnStage(ModelStage cpu, byte[] model, ModelSlot slot, BooleanSupplier onDsp, Consumer<ModelStage> onClose) {
        this.cpu = cpu;
        this.model = model;
        this.slot = slot;
        this.onDsp = onDsp;
        this.onClose = onClose;
    }

    static boolean isOpen(TensorSpec spec) {
        for (long extent : spec.shape()) {
            if (extent < 0) {
                return true;
            }
        }
        return false;
    }

    /** The ONNX file's bytes. */
    byte[] model() {
        return model;
    }

    /** As the DSP's telemetry counts it. */
    String graphName() {
        return workload() + " " + name();
    }

    /**
     * Elements of room for each output whose extents are open: what the known extents make, times the largest extent that
     * the inputs chose, with some reserve where they chose more than 1, times what was learned. The slot's lock guards it.
     */
    List<Integer> room(List<long[]> shapes) {
        long chosen = 1;
        for (int i = 0; i < shapes.size(); i++) {
            long[] declared = inputs().get(i).shape();
            for (int axis = 0; axis < declared.length; axis++) {
                if (declared[axis] < 0) {
                    chosen = Math.max(chosen, shapes.get(i)[axis]);
                }
            }
        }
        List<Integer> room = new ArrayList<>();
        for (TensorSpec output : outputs()) {
            long known = Tensor.elements(output.shapeWith(1));
            long reserve = chosen == 1 ? 1 : GROWTH;
            room.add((int) Math.clamp(known * chosen * reserve * growth, 1, LARGEST_ROOM));
        }
        return room;
    }

    /** An output did not fit; false when there is no more room to give. */
    boolean enlarge() {
        growth *= GROWTH;
        return growth <= LARGEST_ROOM;
    }

    @Override
    public String name() {
        return cpu.name();
    }

    @Override
    public NpuWorkload workload() {
        return cpu.workload();
    }

    @Override
    public List<TensorSpec> inputs() {
        return cpu.inputs();
    }

    @Override
    public List<TensorSpec> outputs() {
        return cpu.outputs();
    }

    @Override
    public Map<String, String> metadata() {
        return cpu.metadata();
    }

    @Override
    public NpuJob job(List<Tensor> given) {
        NpuJob refuge = cpu.job(given);
        List<Tensor> ordered = new ArrayList<>();
        for (TensorSpec spec : inputs()) {
            for (Tensor tensor : given) {
                if (tensor.name().equals(spec.name())) {
                    ordered.add(tensor);
                }
            }
        }
        return new Run(List.copyOf(ordered), refuge);
    }

    @Override
    public void close() {
        onClose.accept(this);
        slot.forget(this);
        cpu.close();
    }

    private final class Run implements NpuJob {
        private final List<Tensor> inputs;
        private final NpuJob refuge;
        private final ModelSlot.RunState state = new ModelSlot.RunState();

        Run(List<Tensor> inputs, NpuJob refuge) {
            this.inputs = inputs;
            this.refuge = refuge;
        }

        @Override
        public NpuWorkload workload() {
            return cpu.workload();
        }

        @Override
        public NpuJobResult execute(Preemption preemption) throws Exception {
            return onDsp.getAsBoolean()
                    ? slot.run(QnnStage.this, inputs, preemption, state)
                    : refuge.execute(preemption);
        }

        @Override
        public String toString() {
            return workload() + " on " + name();
        }
    }
}
