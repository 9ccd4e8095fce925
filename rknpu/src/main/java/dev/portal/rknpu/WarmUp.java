package dev.portal.rknpu;

import dev.portal.hardware.rk3588.Precision;
import dev.portal.kernel.DeviceException;
import dev.portal.kernel.DeviceException.Recovery;
import dev.portal.rknpu.DeviceBuffer.Use;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * Throw-away products on a cold core. After start, reset or a change of precision a core may miscompute its first pass,
 * or return without computing at all (Q5); one product whose result is looked at tells whether it is awake.
 */
final class WarmUp {
    private static final int MAX_PASSES = 4;
    private static final int UNTOUCHED = 0x7fffffff;

    private final RknpuDevice device;

    WarmUp(RknpuDevice device) {
        this.device = device;
    }

    void everyCore() {
        for (int i = 0; i < device.soc().cores(); i++) {
            warm(i, Precision.INT8);
        }
    }

    /**
     * Warms a core for an input precision, unless it is.
     *
     * @throws DeviceException.Faulted when it still does not compute after {@link #MAX_PASSES} passes
     */
    void warm(int core, Precision precision) {
        if (device.core(core).isWarmFor(precision)) {
            return;
        }
        MatmulType type = precision == Precision.FP16 ? MatmulType.FP16_FP32 : MatmulType.INT8_INT32;
        MatmulShape shape = new MatmulShape(type, 4, 32, 32);
        try (Submission submission = new Submission(device, core, 1, true);
                DeviceBuffer a = device.allocate(shape.aBytes(), Use.DATA);
                DeviceBuffer b = device.allocate(shape.bBytes(), Use.DATA);
                DeviceBuffer c = device.allocate(shape.cBytes(), Use.DATA)) {
            ones(type, a, shape.aBytes());
            ones(type, b, shape.bBytes());
            a.toDevice(SyncPoint.FEATURES_TO_DEVICE, 0, shape.aBytes());
            b.toDevice(SyncPoint.WEIGHTS_TO_DEVICE, 0, shape.bBytes());
            submission.encode(MatmulProgram.rowMajor(shape), a.iova(), b.iova(), c.iova());
            for (int pass = 0; pass < MAX_PASSES; pass++) {
                fill(c.memory(), shape);
                c.toDevice(SyncPoint.RESULT_TO_DEVICE, 0, shape.cBytes());
                submission.run(List.of(a, b, c));
                device.counters().count(Counters.Recovery.WARM_UP);
                c.fromDevice(SyncPoint.RESULT_FROM_DEVICE, 0, shape.cBytes());
                if (isRight(c.memory(), shape)) {
                    device.core(core).becomeWarm(precision);
                    return;
                }
            }
        }
        throw new DeviceException.Faulted(
                device.node(),
                "core " + core + " returned from " + MAX_PASSES + " products of ones without the right result;"
                        + " reset the device, and if that does not help power-cycle the board",
                Recovery.RESET);
    }

    private static void ones(MatmulType type, DeviceBuffer buffer, long bytes) {
        if (type.inputBytes() == 1) {
            buffer.memory().asSlice(0, bytes).fill((byte) 1);
            return;
        }
        short one = Float.floatToFloat16(1);
        for (long at = 0; at < bytes; at += 2) {
            buffer.memory().set(ValueLayout.JAVA_SHORT, at, one);
        }
    }

    private static void fill(MemorySegment c, MatmulShape shape) {
        for (long at = 0; at < shape.cBytes(); at += 4) {
            c.set(ValueLayout.JAVA_INT, at, UNTOUCHED);
        }
    }

    private static boolean isRight(MemorySegment c, MatmulShape shape) {
        int expected = shape.type() == MatmulType.INT8_INT32 ? shape.k() : Float.floatToRawIntBits(shape.k());
        for (long at = 0; at < shape.cBytes(); at += 4) {
            if (c.get(ValueLayout.JAVA_INT, at) != expected) {
                return false;
            }
        }
        return true;
    }
}
