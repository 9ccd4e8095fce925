package dev.portal.llm.decoder;

import dev.portal.kernel.DeviceException;
import dev.portal.scheduler.Preemption;
import org.jspecify.annotations.Nullable;

/**
 * Matrices that are divided between NPU and processor, and can be divided anew between two tokens. What divides them is
 * reading weights, which a batch does once for all its tokens: there the NPU multiplies so much faster that it gets all
 * outputs. While the NPU is out of use the processor does all of it. What is under way ends where it began.
 */
final class SplitGroup implements LinearGroup, AutoCloseable {
    private final SplitParts parts;
    private Split split;
    private Rest rest;
    private @Nullable NpuGroup onNpu;
    private LinearGroup present;
    /** Made when the NPU is out of use for the first time. */
    private @Nullable LinearGroup refuge;

    /** Whether batches are the NPU's alone; not where the share was pinned, and no more once the device had no room. */
    private boolean batches;

    private @Nullable NpuGroup batch;
    private Way way = Way.DIVIDED;
    private boolean whole = true;
    private long seenBytes;
    private long seenNanos;

    /** Where a call goes. */
    private enum Way {
        DIVIDED,
        BATCH,
        REFUGE
    }

    /** @param batches whether batches may be the NPU's alone */
    SplitGroup(SplitParts parts, Split split, boolean batches) {
        this.parts = parts;
        this.split = split;
        this.batches = batches;
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
        closeDivided();
        present = made == null ? parts.alone(others) : made;
        onNpu = made;
        rest = others;
        split = fresh;
        if (!batchesApart()) {
            closeBatch();
        }
    }

    /** Whether a batch goes elsewhere than a token. */
    private boolean batchesApart() {
        return batches && onNpu != null && split.outputs() < parts.outputs();
    }

    @Override
    public boolean apply(float[] x, float[][] y, int tokens, Preemption preemption) {
        if (whole) {
            way = way(tokens);
        }
        LinearGroup group = switch (way) {
            case DIVIDED -> present;
            case BATCH -> batch == null ? present : batch;
            case REFUGE -> refuge();
        };
        boolean done = group.apply(x, y, tokens, preemption);
        if (done && whole && tokens == 1 && way == Way.DIVIDED) {
            seenBytes += rest.bytes();
            seenNanos += rest.threadNanos();
        }
        whole = done;
        return done;
    }

    private Way way(int tokens) {
        if (onNpu == null) {
            return Way.DIVIDED;
        }
        if (!parts.options().usable().getAsBoolean()) {
            return Way.REFUGE;
        }
        if (tokens == 1 || !batchesApart()) {
            return Way.DIVIDED;
        }
        if (batch == null) {
            try {
                batch = parts.undivided();
            } catch (DeviceException e) {
                // Its weights have no room on the device: batches stay divided, like single tokens.
                batches = false;
                return Way.DIVIDED;
            }
        }
        return Way.BATCH;
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
        if (batch != null) {
            batch.abandon();
        }
    }

    /** Gives back what is on the device. */
    @Override
    public void close() {
        try {
            closeDivided();
        } finally {
            closeBatch();
        }
    }

    private void closeDivided() {
        NpuGroup closing = onNpu;
        onNpu = null;
        if (closing != null) {
            closing.close();
        }
    }

    private void closeBatch() {
        NpuGroup closing = batch;
        batch = null;
        if (closing != null) {
            closing.close();
        }
    }
}
