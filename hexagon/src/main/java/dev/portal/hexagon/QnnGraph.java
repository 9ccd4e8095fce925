package dev.portal.hexagon;

import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.QnnWire;
import dev.portal.scheduler.Preemption;
import dev.portal.scheduler.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One graph of a loaded model: its tensors' buffers, mapped to the DSP, and its calls, packed once (spec 3.3). A cycle of
 * {@link #setInput}, {@link #execute} and {@link #getOutput} allocates nothing.
 *
 * <p>{@code set_input} gives the DSP an address; the data is read at {@code execute}. One thread at a time: the model's
 * lock says whose turn it is.
 */
public final class QnnGraph {
    private final QnnModel model;
    private final int index;
    private final GraphSpec spec;
    private final List<DmaBuffer> inputs = new ArrayList<>();
    private final List<DmaBuffer> outputs = new ArrayList<>();
    private final List<CallFrame> setInput = new ArrayList<>();
    private final List<CallFrame> getOutput = new ArrayList<>();
    private final CallFrame execute;
    private final boolean stoppable;

    QnnGraph(QnnModel model, int index, GraphSpec spec, boolean stoppable) {
        this.model = model;
        this.index = index;
        this.spec = spec;
        this.stoppable = stoppable;
        this.execute = new CallFrame(
                "portal_qnn.execute",
                QnnWire.EXECUTE_SCALARS,
                stoppable ? QnnWire.EXECUTE_IN_BYTES_EPOCH : QnnWire.EXECUTE_IN_BYTES,
                0);
        ArgumentPacker packer = new ArgumentPacker();
        packer.into(execute.in()).u32(model.handle()).u32(index);
        try {
            for (TensorSpec tensor : spec.inputs()) {
                inputs.add(allocate(tensor));
                setInput.add(tensorCall(packer, "set_input", QnnWire.SET_INPUT_SCALARS, setInput.size(), inputs));
            }
            for (TensorSpec tensor : spec.outputs()) {
                outputs.add(allocate(tensor));
                getOutput.add(tensorCall(packer, "get_output", QnnWire.GET_OUTPUT_SCALARS, getOutput.size(), outputs));
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private DmaBuffer allocate(TensorSpec tensor) {
        DmaBuffer buffer = model.session().allocate(tensor.bytes());
        try {
            model.session().mapToDsp(buffer);
        } catch (RuntimeException e) {
            buffer.close();
            throw e;
        }
        return buffer;
    }

    private CallFrame tensorCall(
            ArgumentPacker packer, String method, int scalars, int tensor, List<DmaBuffer> buffers) {
        CallFrame frame = new CallFrame("portal_qnn." + method, scalars, QnnWire.TENSOR_IN_BYTES, 0);
        List<TensorSpec> specs = scalars == QnnWire.SET_INPUT_SCALARS ? spec.inputs() : spec.outputs();
        packer.into(frame.in())
                .u32(model.handle())
                .u32(index)
                .u32(tensor)
                .u64(buffers.get(tensor).dspAddress())
                .u32(Math.toIntExact(specs.get(tensor).bytes()));
        return frame;
    }

    public GraphSpec spec() {
        return spec;
    }

    /** Whether an execution can be stopped between two steps. */
    public boolean isStoppable() {
        return stoppable;
    }

    /** The buffer of an input; written between calls, by the thread whose turn it is. */
    public DmaBuffer input(int tensor) {
        return inputs.get(tensor);
    }

    /** The buffer of an output. */
    public DmaBuffer output(int tensor) {
        return outputs.get(tensor);
    }

    /** Tells the DSP where input {@code tensor} is. */
    public void setInput(int tensor) {
        model.module().invoke(setInput.get(tensor));
    }

    /** Runs the graph to its end. */
    public void execute() {
        execute(Preemption.NEVER, false);
    }

    /**
     * Runs the graph.
     *
     * @param mayStop whether a requested preemption stops it between two steps; its work so far is lost then
     * @throws HexagonException.Aborted when it stopped
     */
    public void execute(Preemption preemption, boolean mayStop) {
        @Nullable AbortRequest abort = null;
        ControlBlock control = model.control();
        if (stoppable && control != null) {
            execute.in().set(ValueLayout.JAVA_INT, QnnWire.EXECUTE_EPOCH, control.epoch());
            if (mayStop) {
                abort = new AbortRequest(preemption, control);
            }
        }
        try {
            model.session()
                    .invoke(
                            model.module().handle(),
                            execute,
                            model.session().options().hangNanos(),
                            abort);
        } catch (HexagonException.DspFailed e) {
            throw model.explain("executing " + this, e);
        }
    }

    /** Asks the DSP to put output {@code tensor} into its buffer. */
    public void getOutput(int tensor) {
        model.module().invoke(getOutput.get(tensor));
    }

    /** Copies a tensor into its input buffer; sizes are checked. */
    void copyIn(int tensor, MemorySegment data) {
        long bytes = spec.inputs().get(tensor).bytes();
        if (data.byteSize() != bytes) {
            throw new IllegalArgumentException("input " + spec.inputs().get(tensor) + " of " + this + " has " + bytes
                    + " bytes and was given " + data.byteSize());
        }
        inputs.get(tensor).copyIn(data, bytes);
    }

    /** A copy of an output, in memory of its own. */
    Tensor copyOut(int tensor) {
        TensorSpec declared = spec.outputs().get(tensor);
        Tensor copy = declared.newTensor();
        outputs.get(tensor).copyOut(copy.data(), declared.bytes());
        return copy;
    }

    /** Frees the buffers. */
    void close() {
        inputs.forEach(DmaBuffer::close);
        outputs.forEach(DmaBuffer::close);
    }

    /** AEE's general failure, behind which a QNN code stands. */
    static boolean isGeneral(int result) {
        return result == AeeError.EFAILED.onDsp();
    }

    @Override
    public String toString() {
        return "graph " + index + " '" + spec.name() + "' of " + model;
    }
}
