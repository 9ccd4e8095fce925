package dev.portal.app.npu;

import dev.portal.emulator.hexagon.ContextBinary;
import dev.portal.hardware.fastrpc.QnnWire;
import dev.portal.hexagon.HexagonException;
import dev.portal.hexagon.HexagonModel;
import dev.portal.hexagon.QnnGraphJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.Preemption;
import dev.portal.scheduler.Tensor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One entry of the DSP's table of four models: a container with up to eight graphs, of the stages that share the entry and
 * of the shapes that they were given. A graph that is missing makes a new container; the least used one makes room.
 *
 * <p>Any thread; one runs at a time, as on the DSP, where calls for one model are serialised.
 */
final class ModelSlot {
    private final EmulatedDsp dsp;
    private final String name;
    private final ReentrantLock turn = new ReentrantLock();
    private final List<GraphVariant> variants = new ArrayList<>();
    private @Nullable HexagonModel loaded;
    private long uses;
    private long containers;

    ModelSlot(EmulatedDsp dsp, String name) {
        this.dsp = dsp;
        this.name = name;
    }

    /** Runs a stage once; a job that yielded is given again with its {@code state}. */
    NpuJobResult run(QnnStage stage, List<Tensor> inputs, Preemption preemption, RunState state) {
        turn.lock();
        try {
            while (true) {
                GraphVariant variant = prepare(stage, inputs);
                HexagonModel model = loaded();
                QnnGraphJob job = state.job(
                        model,
                        variant,
                        () -> new QnnGraphJob(
                                dsp.runtime(),
                                model,
                                variants.indexOf(variant),
                                stage.workload(),
                                inputs,
                                new QnnGraphJob.Options(
                                        true,
                                        QnnGraphJob.Options.DEFAULT.deadlineNanos(),
                                        QnnGraphJob.UNDECLARED,
                                        true,
                                        stage.name())));
                try {
                    NpuJobResult result = job.execute(preemption);
                    return result instanceof NpuJobResult.Completed completed
                            ? new NpuJobResult.Completed(variant.outputs(completed.outputs()))
                            : result;
                } catch (HexagonException.DspFailed e) {
                    if (e.qnnCode() != QnnWire.QNN_MEM_ALLOC || !stage.enlarge()) {
                        throw e;
                    }
                    variants.remove(variant);
                    unload();
                }
            }
        } finally {
            turn.unlock();
        }
    }

    /** What a job keeps between two executions. */
    static final class RunState {
        private @Nullable HexagonModel model;
        private @Nullable GraphVariant variant;
        private @Nullable QnnGraphJob job;

        /** Makes a job. */
        interface Maker {
            QnnGraphJob make();
        }

        private QnnGraphJob job(HexagonModel now, GraphVariant of, Maker maker) {
            QnnGraphJob made = job;
            if (made == null || model != now || variant != of) {
                made = maker.make();
                job = made;
                model = now;
                variant = of;
            }
            return made;
        }
    }

    private GraphVariant prepare(QnnStage stage, List<Tensor> inputs) {
        List<long[]> shapes = inputs.stream().map(Tensor::shape).toList();
        for (GraphVariant variant : variants) {
            if (variant.isFor(stage, shapes)) {
                variant.lastUse = ++uses;
                return variant;
            }
        }
        if (variants.size() == QnnWire.MAX_GRAPHS_PER_MODEL) {
            variants.remove(variants.stream()
                    .min(Comparator.comparingLong(each -> each.lastUse))
                    .orElseThrow());
        }
        GraphVariant variant = new GraphVariant(stage, shapes, stage.room(shapes));
        variant.lastUse = ++uses;
        variants.add(variant);
        unload();
        return variant;
    }

    private HexagonModel loaded() {
        HexagonModel model = loaded;
        if (model == null) {
            byte[] container =
                    ContextBinary.of(variants.stream().map(GraphVariant::image).toList());
            containers++;
            String path = dsp.putContainer(name + "-" + containers + ".bin", container);
            model = dsp.runtime()
                    .load(name, path, variants.stream().map(GraphVariant::spec).toList());
            loaded = model;
        }
        return model;
    }

    private void unload() {
        HexagonModel model = loaded;
        loaded = null;
        if (model != null) {
            dsp.runtime().unload(model);
            dsp.removeContainer(model.path());
        }
    }

    /** A stage is closed: its graphs go with the next container. */
    void forget(QnnStage stage) {
        turn.lock();
        try {
            if (variants.removeIf(variant -> variant.stage() == stage)) {
                unload();
            }
        } finally {
            turn.unlock();
        }
    }

    /** How many containers were made: one at the start, and one for each new shape. */
    long containers() {
        turn.lock();
        try {
            return containers;
        } finally {
            turn.unlock();
        }
    }
}
