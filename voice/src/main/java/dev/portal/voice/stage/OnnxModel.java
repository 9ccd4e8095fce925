package dev.portal.voice.stage;

import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import dev.portal.scheduler.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;

/**
 * A model that ONNX Runtime computes on the CPU, on the caller's thread.
 *
 * <p>Any thread, several at once; {@link #close()} waits for those that run. Native memory of a run is freed before the
 * run returns.
 */
public final class OnnxModel implements AutoCloseable {
    private final String name;
    private final OrtEnvironment environment;
    private final OrtSession session;
    private final Consumer<OnnxModel> onClose;
    private final List<TensorSpec> inputs;
    private final List<TensorSpec> outputs;
    private final Map<String, String> metadata;
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private boolean closed;

    OnnxModel(String name, OrtEnvironment environment, OrtSession session, Consumer<OnnxModel> onClose)
            throws OrtException {
        this.name = name;
        this.environment = environment;
        this.session = session;
        this.onClose = onClose;
        this.inputs = specs(session.getInputInfo().values());
        this.outputs = specs(session.getOutputInfo().values());
        this.metadata = Map.copyOf(session.getMetadata().getCustomMetadata());
    }

    public String name() {
        return name;
    }

    /** The inputs in the model's order. */
    public List<TensorSpec> inputs() {
        return inputs;
    }

    /** The outputs in the model's order. */
    public List<TensorSpec> outputs() {
        return outputs;
    }

    /** The custom metadata of the file. */
    public Map<String, String> metadata() {
        return metadata;
    }

    /**
     * Runs the model once.
     *
     * @param tensors one for each input, in any order; native memory is used in place, arrays are copied
     * @return the outputs in the model's order; the caller owns them
     * @throws IllegalArgumentException when a tensor is missing, unknown, or of the wrong type or shape
     * @throws StageException when ONNX Runtime fails
     */
    public List<Tensor> run(List<Tensor> tensors) {
        check(tensors);
        Map<String, OnnxTensor> feed = new LinkedHashMap<>();
        lock.readLock().lock();
        try {
            requireOpen();
            for (Tensor tensor : tensors) {
                feed.put(tensor.name(), OnnxTensors.wrap(environment, tensor));
            }
            try (OrtSession.Result result = session.run(feed)) {
                List<Tensor> fetched = new ArrayList<>(outputs.size());
                for (Map.Entry<String, OnnxValue> entry : result) {
                    fetched.add(copyOut(entry.getKey(), entry.getValue()));
                }
                return fetched;
            }
        } catch (OrtException e) {
            throw new StageException(name + " failed on " + tensors + ": " + e.getMessage(), e);
        } finally {
            feed.values().forEach(OnnxTensor::close);
            lock.readLock().unlock();
        }
    }

    /**
     * Fixes the memory of every input and output, for a model that is run many times with the same shapes.
     *
     * @param shapes the shape of each input and output that leaves an extent open; the others may be left out
     */
    public OnnxBinding bind(Map<String, long[]> shapes) {
        lock.readLock().lock();
        try {
            requireOpen();
            return new OnnxBinding(this, environment, shapes);
        } finally {
            lock.readLock().unlock();
        }
    }

    void runPinned(Map<String, OnnxTensor> feed, Map<String, OnnxTensor> fetch) {
        lock.readLock().lock();
        try {
            requireOpen();
            session.run(feed, fetch).close();
        } catch (OrtException e) {
            throw new StageException(name + " failed: " + e.getMessage(), e);
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Refuses tensors that the model does not take. */
    void check(List<Tensor> tensors) {
        if (tensors.size() != inputs.size()) {
            throw new IllegalArgumentException(
                    name + " takes " + inputs.size() + " inputs " + inputs + " and was given " + tensors);
        }
        for (TensorSpec spec : inputs) {
            Tensor tensor = find(spec.name(), tensors);
            if (tensor.type() != spec.type() || !spec.accepts(tensor.shape())) {
                throw new IllegalArgumentException(name + " takes " + spec + " and was given " + tensor);
            }
        }
    }

    private Tensor find(String input, List<Tensor> tensors) {
        for (Tensor tensor : tensors) {
            if (tensor.name().equals(input)) {
                return tensor;
            }
        }
        throw new IllegalArgumentException(name + " needs an input '" + input + "' and was given " + tensors);
    }

    private Tensor copyOut(String output, OnnxValue value) {
        if (!(value instanceof OnnxTensor tensor)) {
            throw new StageException(name + ": output '" + output + "' is a " + value.getType() + ", not a tensor");
        }
        TensorInfo info = tensor.getInfo();
        Tensor.Type type = type(output, info.type);
        ByteBuffer copy = tensor.getByteBuffer().order(ByteOrder.nativeOrder());
        return new Tensor(output, type, info.getShape(), MemorySegment.ofBuffer(copy));
    }

    private List<TensorSpec> specs(Collection<NodeInfo> nodes) {
        List<TensorSpec> specs = new ArrayList<>();
        for (NodeInfo node : nodes) {
            if (!(node.getInfo() instanceof TensorInfo info)) {
                throw new StageException(name + ": '" + node.getName() + "' is not a tensor but " + node.getInfo());
            }
            specs.add(new TensorSpec(node.getName(), type(node.getName(), info.type), info.getShape()));
        }
        return List.copyOf(specs);
    }

    private Tensor.Type type(String tensor, OnnxJavaType type) {
        return switch (type) {
            case FLOAT -> Tensor.Type.FLOAT32;
            case FLOAT16 -> Tensor.Type.FLOAT16;
            case INT64 -> Tensor.Type.INT64;
            case INT32 -> Tensor.Type.INT32;
            case INT8 -> Tensor.Type.INT8;
            default ->
                throw new StageException(name + ": '" + tensor + "' has elements of type " + type + "; stages take "
                        + Arrays.toString(Tensor.Type.values()));
        };
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(name + " is closed");
        }
    }

    @Override
    public void close() {
        lock.writeLock().lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            session.close();
        } catch (OrtException e) {
            throw new StageException("cannot close " + name + ": " + e.getMessage(), e);
        } finally {
            lock.writeLock().unlock();
        }
        onClose.accept(this);
    }

    @Override
    public String toString() {
        return name + " " + inputs + " -> " + outputs;
    }
}
