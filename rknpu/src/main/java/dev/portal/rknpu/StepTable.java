package dev.portal.rknpu;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The steps of a chain as the chip sees them, and the doorbells in their outputs.
 *
 * <p>A doorbell is a word of C that is seeded with a value which no result has, and looked at until it has changed: the
 * last column of every row for int8, where rows come in any order but the last column of a row comes last; every word for
 * fp16 (seed sections 2 and 7b, spec 9).
 */
final class StepTable {
    /**
     * Unreachable as an int32 sum up to K = 16384, since 128 * 128 * 16384 is 2^28; as fp32 a NaN that no sum of numbers
     * makes.
     */
    static final int SENTINEL = 0x7fffffff;

    /** Outputs of one buffer with nothing but the rest of a line between them are synchronised together. */
    private static final long NEAR_BYTES = 63;

    private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

    private final MatmulProgram[] programs;
    private final long[] aOffset;
    private final long[] b;
    private final DeviceBuffer[] c;
    private final long[] cOffset;
    private final long[] cEnd;

    /** From one doorbell of a step to the next, and from the first byte of C to the end of the first. */
    private final long[] doorbellStride;

    private final boolean wholeSurface;
    private final ChainStep[] steps;

    /** Each A once, and where it is staged. */
    private final MemorySegment[] features;

    private final long[] featuresAt;
    private final List<DeviceBuffer> operands;
    private final long aBytes;

    /** Which step comes at a place, and how many do. */
    private final int[] order;

    private int size;

    StepTable(List<ChainStep> given) {
        size = given.size();
        steps = given.toArray(ChainStep[]::new);
        programs = new MatmulProgram[size];
        aOffset = new long[size];
        b = new long[size];
        c = new DeviceBuffer[size];
        cOffset = new long[size];
        cEnd = new long[size];
        doorbellStride = new long[size];
        wholeSurface = steps[0].shape().type() != MatmulType.INT8_INT32;
        List<MemorySegment> once = new ArrayList<>();
        Set<DeviceBuffer> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
        IdentityHashMap<MemorySegment, Long> staged = new IdentityHashMap<>();
        long bytes = 0;
        for (int i = 0; i < size; i++) {
            ChainStep step = steps[i];
            if (step.shape().type() != steps[0].shape().type()) {
                throw new ProgramRefusedException("step " + i + " is " + step.shape() + " and step 0 "
                        + steps[0].shape() + "; a change of precision inside a chain leaves the core cold");
            }
            // Checking a shape costs more than encoding it, and neighbours mostly have the same.
            boolean again = i > 0 && step.shape().equals(steps[i - 1].shape());
            programs[i] = again ? programs[i - 1] : MatmulProgram.rowMajor(step.shape());
            b[i] = step.b().iova() + step.bOffset();
            c[i] = step.c();
            cOffset[i] = step.cOffset();
            cEnd[i] = step.cOffset() + step.shape().cBytes();
            doorbellStride[i] = wholeSurface ? 4 : 4L * step.shape().n();
            distinct.add(step.b());
            distinct.add(step.c());
            Long known = staged.get(step.a());
            if (known == null) {
                once.add(step.a());
                staged.put(step.a(), bytes);
                aOffset[i] = bytes;
                bytes += aligned(step.shape().aBytes());
            } else {
                aOffset[i] = known;
            }
        }
        aBytes = bytes;
        features = once.toArray(MemorySegment[]::new);
        featuresAt = new long[features.length];
        for (int i = 0; i < features.length; i++) {
            featuresAt[i] = Objects.requireNonNull(staged.get(features[i]));
        }
        operands = new ArrayList<>(distinct);
        order = new int[size];
        for (int i = 0; i < size; i++) {
            order[i] = i;
        }
    }

    /** From now on the table has these steps of its own, in this order. */
    void select(int[] chosen) {
        System.arraycopy(chosen, 0, order, 0, chosen.length);
        size = chosen.length;
    }

    private static long aligned(long bytes) {
        return (bytes + 63) & ~63L;
    }

    int size() {
        return size;
    }

    MatmulType type() {
        return steps[0].shape().type();
    }

    /** Staging for all of A. */
    long aBytes() {
        return aBytes;
    }

    /** Buffers of the caller, each once. */
    List<DeviceBuffer> operands() {
        return operands;
    }

    /** Whether none of them was closed. */
    boolean isOpen() {
        for (int i = 0; i < operands.size(); i++) {
            if (operands.get(i).isClosed()) {
                return false;
            }
        }
        return true;
    }

    MatmulShape shape(int i) {
        return steps[order[i]].shape();
    }

    MatmulProgram program(int i) {
        return programs[order[i]];
    }

    long aOffset(int i) {
        return aOffset[order[i]];
    }

    long b(int i) {
        return b[order[i]];
    }

    long c(int i) {
        return c[order[i]].iova() + cOffset[order[i]];
    }

    /** Copies the features of all steps into {@code staging}, each A once. */
    void stage(DeviceBuffer staging) {
        MemorySegment to = staging.memory();
        for (int i = 0; i < features.length; i++) {
            MemorySegment a = features[i];
            MemorySegment.copy(a, 0, to, featuresAt[i], a.byteSize());
        }
        staging.toDevice(SyncPoint.FEATURES_TO_DEVICE, 0, aBytes);
    }

    /** Copies the features of the selected steps; an A that neighbours share is copied once. */
    void stageSelected(DeviceBuffer staging) {
        MemorySegment to = staging.memory();
        long before = -1;
        for (int i = 0; i < size; i++) {
            int step = order[i];
            if (aOffset[step] != before) {
                before = aOffset[step];
                long bytes = steps[step].shape().aBytes();
                MemorySegment.copy(steps[step].a(), 0, to, before, bytes);
                staging.toDevice(SyncPoint.FEATURES_TO_DEVICE, before, bytes);
            }
        }
    }

    /** Seeds the doorbells of steps {@code from} to {@code to - 1}, and cleans every line of their outputs. */
    void seed(int from, int to) {
        for (int i = from; i < to; i++) {
            int step = order[i];
            MemorySegment memory = c[step].memory();
            long end = cEnd[step];
            long stride = doorbellStride[step];
            for (long at = cOffset[step] + stride - 4; at < end; at += stride) {
                memory.set(ValueLayout.JAVA_INT, at, SENTINEL);
            }
        }
        sync(from, to, true);
    }

    /** Makes the outputs of steps {@code from} to {@code to - 1} visible to the processor. */
    void writeBack(int from, int to) {
        sync(from, to, false);
    }

    private void sync(int from, int to, boolean toDevice) {
        int i = from;
        while (i < to) {
            DeviceBuffer buffer = c[order[i]];
            long start = cOffset[order[i]];
            long end = cEnd[order[i]];
            i++;
            while (i < to && isNear(order[i], buffer, start, end)) {
                end = Math.max(end, cEnd[order[i]]);
                i++;
            }
            if (toDevice) {
                buffer.toDevice(SyncPoint.RESULT_TO_DEVICE, start, end - start);
            } else {
                buffer.fromDevice(SyncPoint.RESULT_FROM_DEVICE, start, end - start);
            }
        }
    }

    private boolean isNear(int step, DeviceBuffer buffer, long start, long end) {
        return c[step].equals(buffer) && cOffset[step] >= start && cOffset[step] <= end + NEAR_BYTES;
    }

    /** Whether every doorbell of a step has been rung; looks at memory, not at the cache. */
    boolean isDone(int i) {
        int step = order[i];
        DeviceBuffer buffer = c[step];
        MemorySegment memory = buffer.memory();
        long from = cOffset[step];
        long end = cEnd[step];
        if (wholeSurface) {
            return isSurfaceDone(buffer, memory, from, end - from);
        }
        long stride = doorbellStride[step];
        for (long at = from + stride - 4; at < end; at += stride) {
            if (!isRung(buffer, memory, at)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSurfaceDone(DeviceBuffer buffer, MemorySegment memory, long from, long bytes) {
        buffer.fromDevice(SyncPoint.RESULT_FROM_DEVICE, from, bytes);
        for (long at = from + bytes - 4; at >= from; at -= 4) {
            if ((int) WORD.getAcquire(memory, at) == SENTINEL) {
                return false;
            }
        }
        return true;
    }

    static boolean isRung(DeviceBuffer buffer, MemorySegment memory, long at) {
        buffer.fromDevice(SyncPoint.RESULT_FROM_DEVICE, at, 4);
        return (int) WORD.getAcquire(memory, at) != SENTINEL;
    }
}
