package dev.portal.verification.rk;

import dev.portal.base.RandomStream;
import dev.portal.rknpu.ChainStep;
import dev.portal.rknpu.CpuReference;
import dev.portal.rknpu.DeviceBuffer;
import dev.portal.rknpu.DeviceBuffer.Use;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.OutputSpec;
import dev.portal.rknpu.Packing;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.SyncPoint;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Steps with random operands, weights of their own, and the results that the processor has for them. */
final class StepSet implements AutoCloseable {
    private static final int UNTOUCHED = 0x55aa55aa;
    private static final int SENTINEL = 0x7fffffff;

    final List<ChainStep> steps = new ArrayList<>();
    final List<DeviceBuffer> weights = new ArrayList<>();
    final DeviceBuffer results;
    final List<MemorySegment> features = new ArrayList<>();
    private final List<MemorySegment> columns = new ArrayList<>();
    private final MatmulShape shape;
    private final long pitch;
    private final RandomStream random;

    StepSet(RknpuDevice device, int count, MatmulShape shape, int distinctWeights, long seed) {
        this.shape = shape;
        random = new RandomStream(seed).derive("steps");
        pitch = (shape.cBytes() + 63) / 64 * 64;
        results = device.allocate(count * pitch, Use.DATA);
        for (int i = 0; i < distinctWeights; i++) {
            MemorySegment b = operand((long) shape.n() * shape.k());
            DeviceBuffer packed = device.allocate(shape.bBytes(), Use.DATA);
            long pitchBytes = (long) shape.k() * shape.type().inputBytes();
            Packing.b(shape, b, pitchBytes, shape.k(), shape.n(), packed.memory());
            packed.toDevice(SyncPoint.WEIGHTS_TO_DEVICE, 0, shape.bBytes());
            columns.add(b);
            weights.add(packed);
        }
        for (int i = 0; i < count; i++) {
            features.add(operand((long) shape.m() * shape.k()));
            steps.add(new ChainStep(shape, features.get(i), weights.get(i % distinctWeights), 0, results, i * pitch));
        }
        wipe();
    }

    /** Values whose fp16 sums are exact, so that their order does not matter. */
    private MemorySegment operand(long elements) {
        MemorySegment bytes = MemorySegment.ofArray(
                new byte[Math.toIntExact(elements * shape.type().inputBytes())]);
        fill(bytes);
        return bytes;
    }

    private void fill(MemorySegment bytes) {
        int size = shape.type().inputBytes();
        for (long at = 0; at < bytes.byteSize(); at += size) {
            if (size == 1) {
                bytes.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
            } else {
                short half = Float.floatToFloat16((random.nextInt(17) - 8) / 4f);
                bytes.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, half);
            }
        }
    }

    /** Other features for the next run of the same steps. */
    void renew() {
        features.forEach(this::fill);
        wipe();
    }

    /** Fills the results with a value that none has. */
    void wipe() {
        for (long at = 0; at < results.sizeBytes(); at += 4) {
            results.memory().set(ValueLayout.JAVA_INT, at, UNTOUCHED);
        }
        results.toDevice(SyncPoint.RESULT_TO_DEVICE, 0, results.sizeBytes());
    }

    boolean isRight(int step) {
        MemorySegment expected = CpuReference.multiply(
                new OutputSpec(shape.type(), 0, 0), shape, features.get(step), columns.get(step % columns.size()));
        return expected.mismatch(results.memory().asSlice(step * pitch, shape.cBytes())) < 0;
    }

    /** Whether the chip wrote nothing there; doorbells are ours. */
    boolean isUntouched(int step) {
        for (int i = 0; i < shape.m() * shape.n(); i++) {
            int word = results.memory().get(ValueLayout.JAVA_INT, step * pitch + 4L * i);
            boolean doorbell = shape.type() != MatmulType.INT8_INT32 || i % shape.n() == shape.n() - 1;
            if (word != UNTOUCHED && !(doorbell && word == SENTINEL)) {
                return false;
            }
        }
        return true;
    }

    /** The steps that are right. */
    BitSet right() {
        BitSet set = new BitSet();
        for (int i = 0; i < steps.size(); i++) {
            set.set(i, isRight(i));
        }
        return set;
    }

    byte[] bytes() {
        return results.memory().toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public void close() {
        weights.forEach(DeviceBuffer::close);
        results.close();
    }
}
