package dev.portal.hexagon;

import dev.portal.base.Clock;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import dev.portal.scheduler.Preemption.Phase;
import dev.portal.scheduler.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * One run of a graph as a job of the arbiter: inputs in, {@code set_input}, {@code execute}, {@code get_output}, outputs
 * out. The trace gets copy in, device and copy out.
 *
 * <p><b>Preemption.</b> A graph has no state between two steps that could be kept, so a stopped execution starts from the
 * beginning next time. So that a job that is preempted for ever still ends, it stops once and then runs through.
 *
 * <p><b>Restart of the DSP.</b> A lost call may have run. A job that may run twice is replayed once within its deadline;
 * others fail with what happened. A call that hung is never replayed.
 */
public final class QnnGraphJob implements NpuJob {
    /** Sessions that are over may be met before a call is sent; that costs the job nothing, within reason. */
    private static final int UNSENT_RETRIES = 3;

    private final HexagonRuntime runtime;
    private final HexagonModel model;
    private final int graph;
    private final NpuWorkload workload;
    private final List<Tensor> inputs;
    private final Options options;
    private boolean stopped;
    private boolean replayed;
    private int unsent;

    /**
     * What can be said of a job.
     *
     * @param idempotent whether it may run twice
     * @param deadlineNanos until which it may be replayed; {@link Clock#NEVER} for no limit
     * @param segmentNanos the longest step of the graph; {@link NpuJob#UNDECLARED} when unknown
     * @param stoppable whether a preemption stops it, once
     * @param label for traces
     */
    public record Options(boolean idempotent, long deadlineNanos, long segmentNanos, boolean stoppable, String label) {
        /** May run twice, no deadline, may be stopped. */
        public static final Options DEFAULT = new Options(true, Clock.NEVER, UNDECLARED, true, "");
    }

    /**
     * A job.
     *
     * @param graph index of the graph in the model
     * @param inputs in the order of the graph's inputs, each of exactly the declared size; they are read until the job ends
     */
    public QnnGraphJob(
            HexagonRuntime runtime,
            HexagonModel model,
            int graph,
            NpuWorkload workload,
            List<Tensor> inputs,
            Options options) {
        GraphSpec spec = model.graphs().get(graph);
        if (inputs.size() != spec.inputs().size()) {
            throw new IllegalArgumentException("graph '" + spec.name() + "' has "
                    + spec.inputs().size() + " inputs and was given " + inputs.size());
        }
        for (int i = 0; i < inputs.size(); i++) {
            TensorSpec declared = spec.inputs().get(i);
            if (inputs.get(i).data().byteSize() != declared.bytes()) {
                throw new IllegalArgumentException("input " + i + " of graph '" + spec.name() + "' is declared as "
                        + declared + ", " + declared.bytes() + " bytes, and was given " + inputs.get(i));
            }
        }
        this.runtime = runtime;
        this.model = model;
        this.graph = graph;
        this.workload = workload;
        this.inputs = List.copyOf(inputs);
        this.options = options;
    }

    @Override
    public NpuWorkload workload() {
        return workload;
    }

    @Override
    public long segmentNanos() {
        return options.segmentNanos();
    }

    @Override
    public String label() {
        return options.label();
    }

    @Override
    public NpuJobResult execute(Preemption preemption) {
        while (true) {
            try {
                return once(preemption);
            } catch (HexagonException.Aborted e) {
                stopped = true;
                if (preemption.requested()) {
                    return NpuJobResult.YIELDED;
                }
            } catch (HexagonException.SessionOver e) {
                if (++unsent > UNSENT_RETRIES || isLate()) {
                    throw e;
                }
            } catch (HexagonException.DspRestarted | HexagonException.Interrupted e) {
                if (!options.idempotent() || replayed || isLate()) {
                    throw e;
                }
                replayed = true;
            }
        }
    }

    private boolean isLate() {
        return runtime.clock().nanos() >= options.deadlineNanos();
    }

    private NpuJobResult once(Preemption preemption) {
        preemption.enter(Phase.COPY_IN);
        QnnModel loaded = runtime.current(model, options.deadlineNanos());
        loaded.lock().lock();
        try {
            QnnGraph run = loaded.graph(graph);
            for (int i = 0; i < inputs.size(); i++) {
                run.copyIn(i, inputs.get(i).data());
                run.setInput(i);
            }
            preemption.enter(Phase.DEVICE);
            run.execute(preemption, options.stoppable() && !stopped);
            preemption.enter(Phase.COPY_OUT);
            int count = run.spec().outputs().size();
            List<Tensor> outputs = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                run.getOutput(i);
                outputs.add(run.copyOut(i));
            }
            return new NpuJobResult.Completed(outputs);
        } finally {
            loaded.lock().unlock();
        }
    }
}
