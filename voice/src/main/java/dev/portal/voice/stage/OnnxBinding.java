package dev.portal.voice.stage;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import dev.portal.scheduler.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A model with fixed memory for every input and output, so that a run neither copies nor allocates tensors.
 *
 * <p>One thread at a time. Close it before its model; the model stays open.
 */
public final class OnnxBinding implements AutoCloseable {
    private final OnnxModel model;
    private final Map<String, OnnxTensor> feed = new LinkedHashMap<>();
    private final Map<String, OnnxTensor> fetch = new LinkedHashMap<>();
    private final Map<String, ByteBuffer> memory = new LinkedHashMap<>();
    private boolean closed;

    OnnxBinding(OnnxModel model, OrtEnvironment environment, Map<String, long[]> shapes) {
        this.model = model;
        List<String> unknown = new ArrayList<>(shapes.keySet());
        try {
            for (TensorSpec spec : model.inputs()) {
                feed.put(spec.name(), allocate(environment, spec, shapes.get(spec.name())));
                unknown.remove(spec.name());
            }
            for (TensorSpec spec : model.outputs()) {
                fetch.put(spec.name(), allocate(environment, spec, shapes.get(spec.name())));
                unknown.remove(spec.name());
            }
            if (!unknown.isEmpty()) {
                throw new IllegalArgumentException(model + " has no " + unknown);
            }
        } catch (OrtException e) {
            close();
            throw new StageException(model.name() + ": cannot bind memory: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private OnnxTensor allocate(OrtEnvironment environment, TensorSpec spec, long @Nullable [] wanted)
            throws OrtException {
        long[] shape = wanted == null ? spec.shape() : wanted;
        if (!spec.accepts(shape)) {
            throw new IllegalArgumentException(
                    model.name() + ": " + spec + " cannot have the shape " + Arrays.toString(shape));
        }
        for (long extent : shape) {
            if (extent < 0) {
                throw new IllegalArgumentException(
                        model.name() + ": " + spec + " leaves an extent open; give its shape");
            }
        }
        int bytes = Math.toIntExact(Tensor.elements(shape) * spec.type().bytes());
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
        memory.put(spec.name(), buffer);
        return OnnxTensors.of(environment, spec.type(), shape, buffer);
    }

    /** The memory of a FLOAT32 input or output, shared with the model: absolute gets and puts. */
    public FloatBuffer floats(String tensor) {
        return bytes(tensor).asFloatBuffer();
    }

    /** The memory of an INT64 input or output, shared with the model: absolute gets and puts. */
    public LongBuffer longs(String tensor) {
        return bytes(tensor).asLongBuffer();
    }

    private ByteBuffer bytes(String tensor) {
        ByteBuffer buffer = memory.get(tensor);
        if (buffer == null) {
            throw new IllegalArgumentException(model + " has no tensor '" + tensor + "'");
        }
        return buffer;
    }

    /** Runs the model on what the input memory holds, into the output memory. */
    public void run() {
        if (closed) {
            throw new IllegalStateException("the binding of " + model.name() + " is closed");
        }
        model.runPinned(feed, fetch);
    }

    @Override
    public void close() {
        closed = true;
        feed.values().forEach(OnnxTensor::close);
        fetch.values().forEach(OnnxTensor::close);
        feed.clear();
        fetch.clear();
    }
}
