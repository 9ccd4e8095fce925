package dev.portal.app.rk;

import dev.portal.rknpu.ChainStep;
import dev.portal.rknpu.CpuReference;
import dev.portal.rknpu.DeviceBuffer;
import dev.portal.rknpu.DeviceBuffer.Use;
import dev.portal.rknpu.Fp16Diagnosis;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.OutputSpec;
import dev.portal.rknpu.Packing;
import dev.portal.rknpu.PatternInputs;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.SyncPoint;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Steps whose results tell them apart: step i multiplies rows i * m and on of the pattern A with one pattern B, into a
 * place of its own, which is filled with a value first that no result has.
 */
final class PatternChain implements AutoCloseable {
    /** Where the chip did not write. */
    private static final int UNTOUCHED = 0x55aa55aa;

    private static final int SENTINEL = 0x7fffffff;
    private static final long LINE = 64;

    private final MatmulShape shape;
    private final MemorySegment b;
    private final MemorySegment expected;
    private final DeviceBuffer weights;
    private final DeviceBuffer results;
    private final long pitch;
    private final List<ChainStep> steps = new ArrayList<>();

    PatternChain(RknpuDevice device, int count, MatmulShape shape) {
        this.shape = shape;
        MatmulType type = shape.type();
        MatmulShape all = new MatmulShape(type, Math.multiplyExact(count, shape.m()), shape.k(), shape.n());
        MemorySegment a = PatternInputs.a(all);
        b = PatternInputs.b(all);
        expected = CpuReference.multiply(new OutputSpec(type, 0, 0), all, a, b);
        weights = device.allocate(shape.bBytes(), Use.DATA);
        Packing.b(shape, b, (long) shape.k() * type.inputBytes(), shape.k(), shape.n(), weights.memory());
        weights.toDevice(SyncPoint.WEIGHTS_TO_DEVICE, 0, shape.bBytes());
        pitch = Math.ceilDiv(shape.cBytes(), LINE) * LINE;
        results = device.allocate(count * pitch, Use.DATA);
        for (long at = 0; at < count * pitch; at += 4) {
            results.memory().set(ValueLayout.JAVA_INT, at, UNTOUCHED);
        }
        for (int i = 0; i < count; i++) {
            MemorySegment features = a.asSlice(i * shape.aBytes(), shape.aBytes());
            steps.add(new ChainStep(shape, features, weights, 0, results, i * pitch));
        }
    }

    List<ChainStep> steps() {
        return steps;
    }

    /** Whether every row has a result in its last column, which the chip writes last. */
    boolean isComputed(int step) {
        for (int row = 0; row < shape.m(); row++) {
            int last = word(step, row * shape.n() + shape.n() - 1);
            if (last == SENTINEL || last == UNTOUCHED) {
                return false;
            }
        }
        return true;
    }

    boolean isCorrect(int step) {
        return expected.asSlice(step * shape.cBytes(), shape.cBytes())
                        .mismatch(results.memory().asSlice(step * pitch, shape.cBytes()))
                < 0;
    }

    /** What is wrong with an fp16 result. */
    Fp16Diagnosis diagnose(int step) {
        MemorySegment a = steps.get(step).a();
        return Fp16Diagnosis.of(shape, a, b, results.memory().asSlice(step * pitch, shape.cBytes()));
    }

    /** Whether nothing but doorbells was written. */
    boolean isUntouched(int step) {
        for (int i = 0; i < shape.m() * shape.n(); i++) {
            boolean doorbell = shape.type() != MatmulType.INT8_INT32 || i % shape.n() == shape.n() - 1;
            int word = word(step, i);
            if (word != UNTOUCHED && !(doorbell && word == SENTINEL)) {
                return false;
            }
        }
        return true;
    }

    private int word(int step, int index) {
        return results.memory().get(ValueLayout.JAVA_INT, step * pitch + 4L * index);
    }

    @Override
    public void close() {
        weights.close();
        results.close();
    }
}
