package dev.portal.voice.stage;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import dev.portal.scheduler.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Portal's tensors as ONNX Runtime's. */
final class OnnxTensors {
    private OnnxTensors() {}

    /** A native view of {@code tensor}: in place where its memory is native, else a copy. The caller closes it. */
    static OnnxTensor wrap(OrtEnvironment environment, Tensor tensor) throws OrtException {
        ByteBuffer buffer;
        if (tensor.data().isNative()) {
            buffer = tensor.data().asByteBuffer();
        } else {
            buffer = ByteBuffer.allocateDirect(Math.toIntExact(tensor.data().byteSize()));
            MemorySegment.ofBuffer(buffer).copyFrom(tensor.data());
        }
        return of(environment, tensor.type(), tensor.shape(), buffer);
    }

    /** A native view of a direct buffer. */
    static OnnxTensor of(OrtEnvironment environment, Tensor.Type type, long[] shape, ByteBuffer buffer)
            throws OrtException {
        OnnxJavaType javaType = switch (type) {
            case FLOAT32 -> OnnxJavaType.FLOAT;
            case FLOAT16 -> OnnxJavaType.FLOAT16;
            case INT64 -> OnnxJavaType.INT64;
            case INT32 -> OnnxJavaType.INT32;
            case INT8 -> OnnxJavaType.INT8;
        };
        return OnnxTensor.createTensor(environment, buffer.order(ByteOrder.nativeOrder()), shape, javaType);
    }
}
