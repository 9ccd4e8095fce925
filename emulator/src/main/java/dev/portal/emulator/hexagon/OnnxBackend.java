package dev.portal.emulator.hexagon;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import dev.portal.hardware.fastrpc.QnnWire;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Computes ONNX models with ONNX Runtime, one thread a run, as the CPU's stages do: the same numbers come out. A run is
 * one step. A model whose bytes were loaded before is not compiled again. The bytes are those that the skeleton read from the DSP's memory; no file is opened.
 */
public final class OnnxBackend implements GraphBackend, AutoCloseable {
    /** Models that are kept although no graph uses them. */
    private static final int KEPT_IDLE = 2;

    private final OrtEnvironment environment =
            OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL, "portal");
    private final long nanosOfARun;
    private final Map<String, Shared> sessions = new LinkedHashMap<>();
    private int compilations;

    /** @param nanosOfARun how long a run takes on the DSP, of the model; 0 where the machine's own time counts */
    public OnnxBackend(long nanosOfARun) {
        this.nanosOfARun = nanosOfARun;
    }

    @Override
    public int kind() {
        return GraphImage.ONNX;
    }

    /** How often ONNX Runtime has compiled a model. */
    public synchronized int compilations() {
        return compilations;
    }

    @Override
    public Graph compile(GraphImage image) throws GraphException {
        try {
            Shared shared = shared(image);
            try {
                return new Compiled(image, shared);
            } catch (OrtException | RuntimeException e) {
                release(shared);
                throw e;
            }
        } catch (OrtException | RuntimeException e) {
            throw new GraphException(
                    QnnWire.QNN_CREATE_FROM_BINARY,
                    "ONNX Runtime cannot load graph '" + image.name() + "': " + e.getMessage(),
                    e);
        }
    }

    /** A model that graphs of other shapes, and later loads of the same bytes, use as well. */
    private static final class Shared {
        final String digest;
        final OrtSession session;
        int users;

        Shared(String digest, OrtSession session) {
            this.digest = digest;
            this.session = session;
        }
    }

    private synchronized Shared shared(GraphImage image) throws OrtException {
        String digest = Telemetry.sha256(image.body());
        Shared known = sessions.remove(digest);
        if (known == null) {
            try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
                options.setIntraOpNumThreads(1);
                options.setInterOpNumThreads(1);
                options.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL);
                known = new Shared(digest, environment.createSession(image.body(), options));
                compilations++;
            }
        }
        sessions.put(digest, known);
        known.users++;
        return known;
    }

    /** The last users leave a model for a while, since it may be loaded again. */
    private synchronized void release(Shared shared) {
        shared.users--;
        long idle = sessions.values().stream().filter(each -> each.users == 0).count();
        for (Shared oldest : List.copyOf(sessions.values())) {
            if (idle > KEPT_IDLE && oldest.users == 0) {
                sessions.remove(oldest.digest);
                end(oldest);
                idle--;
            }
        }
    }

    private static void end(Shared shared) {
        try {
            shared.session.close();
        } catch (OrtException e) {
            throw new IllegalStateException("cannot close a model: " + e.getMessage(), e);
        }
    }

    /** Frees the models that nobody uses. */
    @Override
    public synchronized void close() {
        sessions.values().removeIf(shared -> {
            if (shared.users == 0) {
                end(shared);
            }
            return shared.users == 0;
        });
    }

    private static OnnxJavaType type(ElementType type) {
        return switch (type) {
            case INT8 -> OnnxJavaType.INT8;
            case INT32 -> OnnxJavaType.INT32;
            case INT64 -> OnnxJavaType.INT64;
            case FLOAT16 -> OnnxJavaType.FLOAT16;
            case FLOAT32 -> OnnxJavaType.FLOAT;
        };
    }

    private final class Compiled implements Graph {
        private final GraphImage image;
        private final Shared shared;
        private final List<MemorySegment> inputs = new ArrayList<>();
        private final List<MemorySegment> outputs = new ArrayList<>();
        private final Map<String, OnnxTensor> feed = new LinkedHashMap<>();
        private final Map<String, OnnxTensor> pinned = new LinkedHashMap<>();
        private final Set<String> open = new LinkedHashSet<>();

        Compiled(GraphImage image, Shared shared) throws OrtException {
            this.image = image;
            this.shared = shared;
            OrtSession session = shared.session;
            try {
                for (TensorInfo tensor : image.inputs()) {
                    inputs.add(bind(tensor, feed));
                }
                for (TensorInfo tensor : image.outputs()) {
                    outputs.add(bind(tensor, tensor.atMost() ? null : pinned));
                    if (tensor.atMost()) {
                        open.add(tensor.name());
                    }
                }
                for (TensorInfo tensor : image.outputs()) {
                    if (tensor.atMost()) {
                        outputs.add(MemorySegment.ofArray(new byte[4 * tensor.shape().length]));
                    }
                }
                boolean known = session.getInputNames().equals(feed.keySet())
                        && session.getOutputNames().containsAll(open)
                        && session.getOutputNames().containsAll(pinned.keySet());
                if (!known) {
                    throw new IllegalArgumentException("the container names " + image.inputs() + " and "
                            + image.outputs() + ", the model " + session.getInputNames() + " and "
                            + session.getOutputNames());
                }
            } catch (OrtException | RuntimeException e) {
                closeTensors();
                throw e;
            }
        }

        /** Memory of a tensor that every run uses, and its tensor in {@code tensors}. */
        private MemorySegment bind(TensorInfo tensor, @Nullable Map<String, OnnxTensor> tensors) throws OrtException {
            ByteBuffer buffer = ByteBuffer.allocateDirect(tensor.sizeBytes()).order(ByteOrder.nativeOrder());
            if (tensors != null) {
                long[] shape = Arrays.stream(tensor.shape()).asLongStream().toArray();
                tensors.put(
                        tensor.name(),
                        OnnxTensor.createTensor(environment, buffer, shape, OnnxBackend.type(tensor.type())));
            }
            return MemorySegment.ofBuffer(buffer);
        }

        @Override
        public MemorySegment input(int index) {
            return inputs.get(index);
        }

        @Override
        public MemorySegment output(int index) {
            return outputs.get(index);
        }

        @Override
        public int steps() {
            return 1;
        }

        @Override
        public long nanosOf(int step) {
            return nanosOfARun;
        }

        @Override
        public void run(int step) throws GraphException {
            try (OrtSession.Result result = shared.session.run(feed, open, pinned)) {
                int shapes = image.outputs().size();
                for (int i = 0; i < image.outputs().size(); i++) {
                    TensorInfo tensor = image.outputs().get(i);
                    if (tensor.atMost()) {
                        take(tensor, (OnnxTensor) result.get(tensor.name()).orElseThrow(), i, shapes);
                        shapes++;
                    }
                }
            } catch (OrtException | RuntimeException e) {
                throw new GraphException(
                        QnnWire.QNN_GRAPH_INVALID_ARGUMENT,
                        "graph '" + image.name() + "' failed: " + e.getMessage(),
                        e);
            }
        }

        private void take(TensorInfo tensor, OnnxTensor made, int index, int shapeIndex) throws GraphException {
            long[] shape = made.getInfo().getShape();
            ByteBuffer bytes = made.getByteBuffer();
            if (shape.length != tensor.shape().length || bytes.remaining() > tensor.sizeBytes()) {
                throw new GraphException(
                        QnnWire.QNN_MEM_ALLOC,
                        "output " + tensor + " of '" + image.name() + "' became " + Arrays.toString(shape));
            }
            MemorySegment to = outputs.get(index);
            to.fill((byte) 0);
            MemorySegment.copy(MemorySegment.ofBuffer(bytes), 0, to, 0, bytes.remaining());
            for (int k = 0; k < shape.length; k++) {
                outputs.get(shapeIndex).set(ValueLayout.JAVA_INT_UNALIGNED, 4L * k, Math.toIntExact(shape[k]));
            }
        }

        private void closeTensors() {
            feed.values().forEach(OnnxTensor::close);
            pinned.values().forEach(OnnxTensor::close);
        }

        @Override
        public void close() {
            closeTensors();
            release(shared);
        }
    }
}
