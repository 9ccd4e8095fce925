package dev.portal.llm.decoder;

import dev.portal.scheduler.Preemption;
import org.jspecify.annotations.Nullable;

/**
 * Matrices that are divided between NPU and processor, and can be divided anew between two tokens. While the NPU is out of
 * use the processor does all of it; what is under way ends where it began.
 */
final class SplitGroup implements LinearGroup, AutoCloseable {
    private final SplitParts parts;
    private Split split;
    private Rest rest;
    private @Nullable NpuGroup onNpu;
    private LinearGroup present;
    /** Made when the NPU is out of use for the first time. */
    private @Nullable LinearGroup refuge;

    /** Whether the last call went there. */
    private boolean refuged;

    private boolean whole = true;
    private long seenBytes;
    private long seenNanos;

    SplitGroup(SplitParts parts, Split split) {
        this.parts = parts;
        this.split = split;
        rest = parts.rest(split);
        onNpu = split.cores() == 0 ? null : parts.divided(split, rest);
        present = onNpu == null ? parts.alone(rest) : onNpu;
    }

    SplitParts parts() {
        return parts;
    }

    Split split() {
        return split;
    }

    /** Divides it otherwise; nothing of it may be under way. When the device has no room it stays as it is, and throws. */
    void divide(Split fresh) {
        if (fresh.equals(split)) {
            return;
        }
        Rest others = parts.rest(fresh);
        NpuGroup made = fresh.cores() == 0 ? null : parts.divided(fresh, others);
        close();
        present = made == null ? parts.alone(others) : made;
        onNpu = made;
        rest = others;
        split = fresh;
    }

    @Override
    public boolean apply(float[] x, float[][] y, int tokens, Preemption preemption) {
        if (whole) {
            refuged = onNpu != null && !parts.options().usable().getAsBoolean();
        }
        boolean done = (refuged ? refuge() : present).apply(x, y, tokens, preemption);
        if (done && whole && tokens == 1 && !refuged) {
            seenBytes += rest.bytes();
            seenNanos += rest.threadNanos();
        }
        whole = done;
        return done;
    }

    private LinearGroup refuge() {
        LinearGroup known = refuge;
        if (known == null) {
            known = parts.alone(parts.rest(Split.NONE));
            refuge = known;
        }
        return known;
    }

    /** Weights that the processor read for single tokens since {@link #forget()}. */
    long seenBytes() {
        return seenBytes;
    }

    /** What its threads spent on them together. */
    long seenNanos() {
        return seenNanos;
    }

    /** Begins to count anew. */
    void forget() {
        seenBytes = 0;
        seenNanos = 0;
    }

    @Override
    public void abandon() {
        whole = true;
        present.abandon();
    }

    /** Gives back what is on the device. */
    @Override
    public void close() {
        NpuGroup closing = onNpu;
        onNpu = null;
        if (closing != null) {
            closing.close();
        }
    }
}
