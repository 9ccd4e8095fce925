package dev.portal.hexagon;

import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.QnnWire;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A model on the DSP: its bytes in a mapped buffer, its handle there, its graphs.
 *
 * <p>The DSP serialises calls on one model; so does the host, by {@link #lock()}, since a graph's buffers serve one job at
 * a time. It belongs to one session and ends with it.
 */
public final class QnnModel implements AutoCloseable {
    private final RemoteModule module;
    private final String name;
    private final DmaBuffer binary;
    private final int handle;
    private final List<QnnGraph> graphs = new ArrayList<>();
    private final @Nullable ControlBlock control;
    private final ReentrantLock turn = new ReentrantLock();
    private boolean closed;

    private QnnModel(RemoteModule module, String name, DmaBuffer binary, int handle, @Nullable ControlBlock control) {
        this.module = module;
        this.name = name;
        this.binary = binary;
        this.handle = handle;
        this.control = control;
    }

    /**
     * Loads a model.
     *
     * @param name for messages
     * @param binary holds the model library or context binary at its start, mapped to the DSP; it belongs to the model
     *     from now on, and is closed when loading fails
     * @param bytes length of it
     * @param graphs what the model declares
     * @throws HexagonException.BudgetExceeded for more than 8 graphs
     * @throws HexagonException.DspFailed when the DSP refuses it
     */
    static QnnModel load(RemoteModule module, String name, DmaBuffer binary, long bytes, List<GraphSpec> graphs) {
        try {
            return loadOwned(module, name, binary, bytes, graphs);
        } catch (RuntimeException e) {
            binary.close();
            throw e;
        }
    }

    private static QnnModel loadOwned(
            RemoteModule module, String name, DmaBuffer binary, long bytes, List<GraphSpec> graphs) {
        if (graphs.size() > QnnWire.MAX_GRAPHS_PER_MODEL) {
            throw new HexagonException.BudgetExceeded("model " + name + " has " + graphs.size() + " graphs; "
                    + QnnWire.MAX_GRAPHS_PER_MODEL + " fit into the DSP's table, so split it");
        }
        CallFrame load = new CallFrame(
                "portal_qnn.model_load", QnnWire.MODEL_LOAD_SCALARS, QnnWire.LOAD_IN_BYTES, QnnWire.LOAD_OUT_BYTES);
        new ArgumentPacker().into(load.in()).u64(binary.dspAddress()).u32(Math.toIntExact(bytes));
        FastRpcSession session = module.session();
        session.invoke(module.handle(), load, loadNanos(session), null);
        int handle = load.out().get(ValueLayout.JAVA_INT, QnnWire.LOAD_OUT_HANDLE);
        int count = load.out().get(ValueLayout.JAVA_INT, QnnWire.LOAD_OUT_GRAPHS);
        ControlBlock control = null;
        QnnModel model = null;
        try {
            if (count != graphs.size()) {
                throw new HexagonException.ModuleFailed(
                        "model " + name + " has " + count + " graphs on the DSP and " + graphs.size()
                                + " in its description; describe the model that is loaded",
                        0);
            }
            control = control(module, handle);
            model = new QnnModel(module, name, binary, handle, control);
            for (int i = 0; i < count; i++) {
                model.graphs.add(new QnnGraph(model, i, graphs.get(i), control != null));
            }
            return model;
        } catch (RuntimeException e) {
            undo(module, handle, control, model);
            throw e;
        }
    }

    /** Loading a large model may take its time: ten times what a call may. */
    private static long loadNanos(FastRpcSession session) {
        return 10 * session.options().hangNanos();
    }

    private static void undo(
            RemoteModule module, int handle, @Nullable ControlBlock control, @Nullable QnnModel model) {
        if (model != null) {
            model.graphs.forEach(QnnGraph::close);
        }
        if (module.session().isOpen()) {
            module.invoke(unloadCall(handle));
        }
        if (control != null) {
            control.buffer().close();
        }
    }

    /** The control block; null where the skeleton has none, and then its graphs cannot be stopped. */
    private static @Nullable ControlBlock control(RemoteModule module, int handle) {
        DmaBuffer buffer = module.session().allocateCoherent(QnnWire.CONTROL_BYTES);
        try {
            ControlBlock control = new ControlBlock(buffer);
            CallFrame set =
                    new CallFrame("portal_qnn.set_control", QnnWire.SET_CONTROL_SCALARS, QnnWire.CONTROL_IN_BYTES, 0);
            new ArgumentPacker().into(set.in()).u32(handle).u64(module.session().mapToDsp(buffer));
            module.invoke(set);
            return control;
        } catch (HexagonException.DspFailed e) {
            buffer.close();
            if (e.result() == AeeError.EUNSUPPORTED.onDsp()) {
                return null;
            }
            throw e;
        } catch (RuntimeException e) {
            buffer.close();
            throw e;
        }
    }

    private static CallFrame unloadCall(int handle) {
        CallFrame unload =
                new CallFrame("portal_qnn.model_unload", QnnWire.MODEL_UNLOAD_SCALARS, QnnWire.UNLOAD_IN_BYTES, 0);
        new ArgumentPacker().into(unload.in()).u32(handle);
        return unload;
    }

    /** The DSP's name of it. */
    public int handle() {
        return handle;
    }

    public List<QnnGraph> graphs() {
        return List.copyOf(graphs);
    }

    /** One of its graphs; without a copy of the list. */
    QnnGraph graph(int index) {
        return graphs.get(index);
    }

    /** Whose turn it is to use the graphs' buffers. */
    ReentrantLock lock() {
        return turn;
    }

    RemoteModule module() {
        return module;
    }

    FastRpcSession session() {
        return module.session();
    }

    @Nullable
    ControlBlock control() {
        return control;
    }

    /** What a failure of the DSP means: a stop that was asked for, or the QNN code behind it. */
    HexagonException explain(String what, HexagonException.DspFailed failure) {
        if (!QnnGraph.isGeneral(failure.result())) {
            return failure;
        }
        int code = lastError();
        if (code == QnnWire.QNN_ABORTED) {
            return new HexagonException.Aborted(what);
        }
        return code == 0 ? failure : HexagonException.DspFailed.ofQnn(what, failure.result(), code);
    }

    /** The QNN code of the last failure; 0 where the skeleton keeps none. */
    private int lastError() {
        CallFrame last =
                new CallFrame("portal_qnn.last_error", QnnWire.LAST_ERROR_SCALARS, 0, QnnWire.LAST_ERROR_OUT_BYTES);
        try {
            module.invoke(last);
        } catch (HexagonException.DspFailed e) {
            return 0;
        }
        return last.out().get(ValueLayout.JAVA_INT, QnnWire.LAST_ERROR_CODE);
    }

    /** Unloads it and frees its buffers; on a session that is over, the buffers go with the session. */
    @Override
    public void close() {
        turn.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            if (!session().isOpen()) {
                return;
            }
            try {
                module.invoke(unloadCall(handle));
            } finally {
                if (session().isOpen()) {
                    graphs.forEach(QnnGraph::close);
                    if (control != null) {
                        control.buffer().close();
                    }
                    binary.close();
                }
            }
        } finally {
            turn.unlock();
        }
    }

    @Override
    public String toString() {
        return "model " + name;
    }
}
