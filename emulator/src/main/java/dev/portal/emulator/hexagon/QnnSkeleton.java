package dev.portal.emulator.hexagon;

import static dev.portal.emulator.hexagon.RemoteCall.address;
import static dev.portal.emulator.hexagon.RemoteCall.word;

import dev.portal.emulator.FaultInjector;
import dev.portal.emulator.FaultPlan.Fault;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.KernelLog;
import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.QnnWire;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The module {@code portal_qnn} in a process (spec 3.3): a table of {@value QnnWire#MAX_MODELS} models with at most {@value
 * QnnWire#MAX_GRAPHS_PER_MODEL} graphs each.
 *
 * <p>Order for each graph: unset, inputs set, executed, outputs valid. {@code set_input} keeps the address; data is read
 * at {@code execute}. Every address must lie in one mapping of the process. What QNN would refuse is 0x80000401, with
 * QNN's own number for {@code last_error}.
 */
final class QnnSkeleton {
    private static final long LARGEST_MODEL = 1L << 30;
    private static final int GENERATIONS = 1 << 24;

    /** One graph and what the client did with it. */
    private static final class LoadedGraph {
        final GraphImage image;
        final GraphBackend.Graph graph;
        final int[] inputBytes;
        final int[] outputBytes;
        final long[] inputs;
        boolean outputsValid;

        LoadedGraph(GraphImage image, GraphBackend.Graph graph) {
            this.image = image;
            this.graph = graph;
            this.inputBytes =
                    image.inputs().stream().mapToInt(TensorInfo::sizeBytes).toArray();
            this.inputs = new long[inputBytes.length];
            List<Integer> outputs = new ArrayList<>();
            image.outputs().forEach(tensor -> outputs.add(tensor.sizeBytes()));
            image.outputs().stream()
                    .filter(TensorInfo::atMost)
                    .forEach(tensor -> outputs.add(4 * tensor.shape().length));
            this.outputBytes = outputs.stream().mapToInt(Integer::intValue).toArray();
        }
    }

    private static final class Model {
        final List<LoadedGraph> graphs;
        final int generation;
        long control;

        @Nullable
        Execution executing;

        Model(List<LoadedGraph> graphs, int generation) {
            this.graphs = graphs;
            this.generation = generation;
        }
    }

    private final DspMemory memory;
    private final Map<Integer, GraphBackend> backends;
    private final FaultInjector faults;
    private final KernelLog log;
    private final Telemetry telemetry;
    private final @Nullable Model[] models = new Model[QnnWire.MAX_MODELS];
    private int generations;
    private int lastQnnCode;
    private boolean dead;

    QnnSkeleton(
            DspMemory memory,
            Map<Integer, GraphBackend> backends,
            FaultInjector faults,
            KernelLog log,
            Telemetry telemetry) {
        this.memory = memory;
        this.backends = backends;
        this.faults = faults;
        this.log = log;
        this.telemetry = telemetry;
    }

    /** A call of the handle interface, its method counted from {@link QnnWire#MODEL_LOAD}. */
    Outcome invoke(int method, RemoteCall call) {
        return switch (method) {
            case QnnWire.MODEL_LOAD ->
                call.has(1, 1, QnnWire.LOAD_IN_BYTES, QnnWire.LOAD_OUT_BYTES) ? load(call) : badParameters();
            case QnnWire.SET_INPUT ->
                call.has(1, 0, QnnWire.TENSOR_IN_BYTES_SIZELESS, 0) ? setInput(call) : badParameters();
            case QnnWire.EXECUTE -> call.has(1, 0, QnnWire.EXECUTE_IN_BYTES, 0) ? execute(call) : badParameters();
            case QnnWire.GET_OUTPUT ->
                call.has(1, 0, QnnWire.TENSOR_IN_BYTES_SIZELESS, 0) ? getOutput(call) : badParameters();
            case QnnWire.MODEL_UNLOAD -> call.has(1, 0, QnnWire.UNLOAD_IN_BYTES, 0) ? unload(call) : badParameters();
            case QnnWire.LAST_ERROR ->
                call.has(0, 1, 0, QnnWire.LAST_ERROR_OUT_BYTES) ? lastError(call) : badParameters();
            case QnnWire.SET_CONTROL ->
                call.has(1, 0, QnnWire.CONTROL_IN_BYTES, 0) ? setControl(call) : badParameters();
            default -> error(AeeError.EUNSUPPORTED);
        };
    }

    private static Outcome error(AeeError error) {
        return Outcome.reply(error.onDsp());
    }

    private static Outcome badParameters() {
        return error(AeeError.EBADPARM);
    }

    private Outcome qnn(int code) {
        lastQnnCode = code;
        return error(AeeError.EFAILED);
    }

    private Outcome load(RemoteCall call) {
        MemorySegment in = call.in(0);
        long address = address(in, QnnWire.LOAD_ADDRESS);
        long size = word(in, QnnWire.LOAD_SIZE) & 0xffff_ffffL;
        if (address == 0 || size == 0) {
            return qnn(QnnWire.QNN_INVALID_ARGUMENT);
        }
        int slot = freeSlot();
        if (slot < 0) {
            lastQnnCode = QnnWire.QNN_MEM_ALLOC;
            return error(AeeError.ENOMEMORY);
        }
        int bad = memory.check(address, size);
        if (bad != 0) {
            return Outcome.reply(bad);
        }
        if (size > LARGEST_MODEL) {
            return qnn(QnnWire.QNN_MEM_ALLOC);
        }
        byte[] bytes = memory.view(address, size).toArray(ValueLayout.JAVA_BYTE);
        List<LoadedGraph> graphs = new ArrayList<>();
        List<GraphImage> images;
        try {
            images = ModelLibrary.isElf(bytes) ? ModelLibrary.load(bytes) : ContextBinary.read(bytes);
            if (images.size() > QnnWire.MAX_GRAPHS_PER_MODEL) {
                log.add("portal_qnn: " + images.size() + " graphs in one model, at most " + QnnWire.MAX_GRAPHS_PER_MODEL
                        + " are possible");
                return error(AeeError.EBADITEM);
            }
            for (GraphImage image : images) {
                graphs.add(compile(image));
            }
        } catch (GraphException e) {
            graphs.forEach(graph -> graph.graph.close());
            log.add("portal_qnn: model_load: " + e.getMessage() + " (QNN " + e.qnnCode() + ")");
            return qnn(e.qnnCode());
        }
        generations = (generations + 1) % GENERATIONS;
        Model model = new Model(List.copyOf(graphs), generations);
        models[slot] = model;
        telemetry.loaded(bytes, images);
        MemorySegment out = call.out(0);
        word(out, QnnWire.LOAD_OUT_HANDLE, model.generation << 8 | slot + 1);
        word(out, QnnWire.LOAD_OUT_GRAPHS, graphs.size());
        return Outcome.reply(0);
    }

    private LoadedGraph compile(GraphImage image) throws GraphException {
        GraphBackend backend = backends.get(image.kind());
        if (backend == null) {
            throw new GraphException(
                    QnnWire.QNN_NOT_SUPPORTED, "graph '" + image.name() + "' is of kind " + image.kind());
        }
        return new LoadedGraph(image, backend.compile(image));
    }

    private int freeSlot() {
        for (int slot = 0; slot < models.length; slot++) {
            if (models[slot] == null) {
                return slot;
            }
        }
        return -1;
    }

    private @Nullable Model model(int handle) {
        int slot = (handle & 0xff) - 1;
        Model model = slot < 0 || slot >= models.length ? null : models[slot];
        return model != null && model.generation == handle >>> 8 ? model : null;
    }

    private static @Nullable LoadedGraph graph(Model model, int index) {
        return index < 0 || index >= model.graphs.size() ? null : model.graphs.get(index);
    }

    /** Whether a call must wait for the execution that its model is busy with. */
    boolean mustWait(int method, RemoteCall call) {
        if (method < QnnWire.SET_INPUT || method > QnnWire.GET_OUTPUT || !call.has(1, 0, QnnWire.EXECUTE_IN_BYTES, 0)) {
            return false;
        }
        Model model = model(word(call.in(0), QnnWire.EXECUTE_MODEL));
        return model != null && model.executing != null && !dead;
    }

    private Outcome setInput(RemoteCall call) {
        MemorySegment in = call.in(0);
        Model model = model(word(in, QnnWire.TENSOR_MODEL));
        if (model == null) {
            return staleModel();
        }
        LoadedGraph graph = graph(model, word(in, QnnWire.TENSOR_GRAPH));
        int index = word(in, QnnWire.TENSOR_INDEX);
        if (graph == null || index < 0 || index >= graph.inputs.length) {
            lastQnnCode = graph == null ? QnnWire.QNN_GRAPH_DOES_NOT_EXIST : QnnWire.QNN_INVALID_TENSOR;
            return error(AeeError.EBADITEM);
        }
        int declared = graph.inputBytes[index];
        if (size(in, declared) != declared) {
            return qnn(QnnWire.QNN_INVALID_TENSOR);
        }
        long address = address(in, QnnWire.TENSOR_ADDRESS);
        int bad = memory.check(address, declared);
        if (bad != 0) {
            return Outcome.reply(bad);
        }
        graph.inputs[index] = address;
        graph.outputsValid = false;
        return Outcome.reply(0);
    }

    /** What the caller says of the size; without a word the declared one is meant. */
    private static long size(MemorySegment in, int declared) {
        return in.byteSize() < QnnWire.TENSOR_IN_BYTES ? declared : word(in, QnnWire.TENSOR_SIZE) & 0xffff_ffffL;
    }

    private Outcome staleModel() {
        lastQnnCode = QnnWire.QNN_CONTEXT_INVALID_HANDLE;
        return error(AeeError.EINVHANDLE);
    }

    private Outcome execute(RemoteCall call) {
        MemorySegment in = call.in(0);
        Model model = model(word(in, QnnWire.EXECUTE_MODEL));
        if (model == null) {
            return staleModel();
        }
        LoadedGraph graph = graph(model, word(in, QnnWire.EXECUTE_GRAPH));
        if (graph == null) {
            lastQnnCode = QnnWire.QNN_GRAPH_DOES_NOT_EXIST;
            return error(AeeError.EBADITEM);
        }
        Optional<Integer> epoch = in.byteSize() >= QnnWire.EXECUTE_IN_BYTES_EPOCH
                ? Optional.of(word(in, QnnWire.EXECUTE_EPOCH))
                : Optional.empty();
        Execution execution = new Execution(model, graph, epoch.orElseGet(() -> epoch(model)));
        return new Outcome.Run(execution);
    }

    private int epoch(Model model) {
        return memory.check(model.control, QnnWire.CONTROL_BYTES) == 0 && model.control != 0
                ? word(memory.view(model.control, QnnWire.CONTROL_BYTES), QnnWire.CONTROL_BLOCK_ABORT_EPOCH)
                : 0;
    }

    private Outcome getOutput(RemoteCall call) {
        MemorySegment in = call.in(0);
        Model model = model(word(in, QnnWire.TENSOR_MODEL));
        if (model == null) {
            return staleModel();
        }
        LoadedGraph graph = graph(model, word(in, QnnWire.TENSOR_GRAPH));
        int index = word(in, QnnWire.TENSOR_INDEX);
        if (graph == null || index < 0 || index >= graph.outputBytes.length) {
            lastQnnCode = graph == null ? QnnWire.QNN_GRAPH_DOES_NOT_EXIST : QnnWire.QNN_INVALID_TENSOR;
            return error(AeeError.EBADITEM);
        }
        if (!graph.outputsValid) {
            return error(AeeError.EBADSTATE);
        }
        int declared = graph.outputBytes[index];
        if (size(in, declared) != declared) {
            return qnn(QnnWire.QNN_INVALID_TENSOR);
        }
        long address = address(in, QnnWire.TENSOR_ADDRESS);
        int bad = memory.check(address, declared);
        if (bad != 0) {
            return Outcome.reply(bad);
        }
        MemorySegment to = memory.view(address, declared);
        MemorySegment.copy(graph.graph.output(index), 0, to, 0, declared);
        Optional<Fault> corrupted = faults.at(Kind.CORRUPTED_BYTE);
        if (corrupted.isPresent() && declared > 0) {
            long at = Math.floorMod(corrupted.get().amount(), (long) declared);
            to.set(ValueLayout.JAVA_BYTE, at, (byte) ~to.get(ValueLayout.JAVA_BYTE, at));
        }
        return Outcome.reply(0);
    }

    private Outcome unload(RemoteCall call) {
        int handle = word(call.in(0), QnnWire.UNLOAD_MODEL);
        Model model = model(handle);
        if (model == null) {
            return staleModel();
        }
        if (model.executing != null) {
            return error(AeeError.EBUSY);
        }
        models[(handle & 0xff) - 1] = null;
        model.graphs.forEach(graph -> graph.graph.close());
        return Outcome.reply(0);
    }

    private Outcome lastError(RemoteCall call) {
        word(call.out(0), QnnWire.LAST_ERROR_CODE, lastQnnCode);
        return Outcome.reply(0);
    }

    private Outcome setControl(RemoteCall call) {
        MemorySegment in = call.in(0);
        Model model = model(word(in, QnnWire.CONTROL_MODEL));
        if (model == null) {
            return staleModel();
        }
        long address = address(in, QnnWire.CONTROL_ADDRESS);
        if (address != 0) {
            int bad = memory.check(address, QnnWire.CONTROL_BYTES);
            if (bad != 0) {
                return Outcome.reply(bad);
            }
            if (word(memory.view(address, QnnWire.CONTROL_BYTES), QnnWire.CONTROL_BLOCK_MAGIC)
                    != QnnWire.CONTROL_MAGIC) {
                return badParameters();
            }
        }
        model.control = address;
        return Outcome.reply(0);
    }

    /** Models in the table. */
    int models() {
        int count = 0;
        for (Model model : models) {
            count += model == null ? 0 : 1;
        }
        return count;
    }

    /** The process ends; what runs is dropped at its next step. */
    void die() {
        dead = true;
        for (int slot = 0; slot < models.length; slot++) {
            Model model = models[slot];
            models[slot] = null;
            if (model != null && model.executing == null) {
                model.graphs.forEach(graph -> graph.graph.close());
            }
        }
    }

    /** One execution of one graph. */
    private final class Execution implements GraphRun {
        private final Model model;
        private final LoadedGraph graph;
        private final int epoch;
        private final long percent;
        private @Nullable GraphException failure;
        private boolean stopped;
        private int done;

        Execution(Model model, LoadedGraph graph, int epoch) {
            this.model = model;
            this.graph = graph;
            this.epoch = epoch;
            this.percent = faults.at(Kind.SLOW_DSP).map(Fault::amount).orElse(100L);
        }

        @Override
        public int begin() {
            if (dead || model(model.generation << 8 | slotOf(model) + 1) != model) {
                return AeeError.EINVHANDLE.onDsp();
            }
            for (int i = 0; i < graph.inputs.length; i++) {
                if (graph.inputs[i] == 0) {
                    lastQnnCode = QnnWire.QNN_INVALID_TENSOR;
                    return AeeError.EBADSTATE.onDsp();
                }
                int bad = memory.check(graph.inputs[i], graph.inputBytes[i]);
                if (bad != 0) {
                    return bad;
                }
                MemorySegment.copy(
                        memory.view(graph.inputs[i], graph.inputBytes[i]),
                        0,
                        graph.graph.input(i),
                        0,
                        graph.inputBytes[i]);
            }
            graph.outputsValid = false;
            model.executing = this;
            return 0;
        }

        @Override
        public int steps() {
            return graph.graph.steps();
        }

        @Override
        public long nanosOf(int step) {
            return graph.graph.nanosOf(step) * percent / 100;
        }

        @Override
        public boolean wantsToStop() {
            stopped = dead || (model.control != 0 && epoch(model) != epoch);
            return stopped;
        }

        @Override
        public boolean compute(int step) {
            try {
                graph.graph.run(step);
                return true;
            } catch (GraphException e) {
                failure = e;
                return false;
            }
        }

        @Override
        public void progressed(int steps) {
            done = steps;
            if (!dead && model.control != 0 && memory.check(model.control, QnnWire.CONTROL_BYTES) == 0) {
                word(memory.view(model.control, QnnWire.CONTROL_BYTES), QnnWire.CONTROL_BLOCK_PROGRESS, done);
            }
        }

        @Override
        public int finish() {
            model.executing = null;
            if (dead) {
                model.graphs.forEach(each -> each.graph.close());
                return AeeError.EBADSTATE.onDsp();
            }
            GraphException failed = failure;
            if (failed != null) {
                log.add("portal_qnn: execute: " + failed.getMessage() + " (QNN " + failed.qnnCode() + ")");
                lastQnnCode = failed.qnnCode();
                return AeeError.EFAILED.onDsp();
            }
            if (stopped) {
                lastQnnCode = QnnWire.QNN_ABORTED;
                return AeeError.EFAILED.onDsp();
            }
            graph.outputsValid = true;
            telemetry.executed(graph.image.name());
            return 0;
        }
    }

    private int slotOf(Model model) {
        for (int slot = 0; slot < models.length; slot++) {
            if (models[slot] == model) {
                return slot;
            }
        }
        return 0;
    }
}
