package dev.portal.llm.decoder;

import dev.portal.base.Clock;
import java.util.Arrays;
import java.util.List;

/**
 * The processor's rows of a group: those behind the NPU's, of all its matrices as one round of the team. One thread at a
 * time. Computing allocates nothing.
 */
final class Rest implements Team.Rows {
    /** A thread's counter in a line of its own. */
    private static final int LONGS_A_LINE = 8;

    /** About as many bytes of weights are taken by a thread at once. */
    private static final long GRAIN_BYTES = 32 << 10;

    /** Rows of a matrix on the processor. */
    interface Part extends Team.Rows {
        /** Takes the activations; some kinds prepare them in the scratch. */
        void take(float[] x, float[] y, int tokens);

        /** Bytes of a row. */
        long rowBytes();
    }

    private final CpuScratch scratch;
    private final ProcessorTime time;
    private final Part[] parts;
    /** The first row of each part that is the processor's. */
    private final int[] first;
    /** Rows of the parts before, and of all. */
    private final int[] starts;

    private final int grain;
    private final long bytes;
    private final long[] busy;
    private long began;
    private long cpuStart;
    private long cpuEnd;

    /**
     * Rows of matrices.
     *
     * @param outputs of each matrix
     * @param taken how many of them, from the first on, are the NPU's
     */
    Rest(CpuScratch scratch, ProcessorTime time, List<? extends Part> matrices, int[] outputs, int[] taken) {
        this.scratch = scratch;
        this.time = time;
        parts = matrices.toArray(Part[]::new);
        first = taken.clone();
        starts = new int[parts.length + 1];
        long sum = 0;
        long longest = 1;
        for (int i = 0; i < parts.length; i++) {
            int rows = outputs[i] - taken[i];
            starts[i + 1] = starts[i] + rows;
            sum += rows * parts[i].rowBytes();
            longest = Math.max(longest, parts[i].rowBytes());
        }
        bytes = sum;
        grain = (int) Math.max(Kernels.ROWS_AT_ONCE, GRAIN_BYTES / longest);
        busy = new long[scratch.team().threads() * LONGS_A_LINE];
    }

    /** Of all matrices together. */
    int rows() {
        return starts[parts.length];
    }

    /** Weights that it reads. */
    long bytes() {
        return bytes;
    }

    /** Lets the team's helpers begin; the activations in the scratch are the processor's from then on. */
    void begin(float[] x, float[][] y, int tokens) {
        began = time.now();
        if (rows() == 0) {
            return;
        }
        for (int i = 0; i < parts.length; i++) {
            parts[i].take(x, y[i], tokens);
        }
        Arrays.fill(busy, 0);
        scratch.team().begin(this, rows(), grain);
    }

    /** Works along until all is done. */
    void finish() {
        finish(() -> {});
    }

    /**
     * Works along until all is done.
     *
     * @param look run between rows, and between what happens on an emulated device meanwhile
     */
    void finish(Runnable look) {
        if (rows() == 0) {
            cpuStart = began;
            cpuEnd = began;
            return;
        }
        int threads = scratch.team().threads();
        cpuStart = threads == 1 ? time.now() : began;
        if (time.passes()) {
            scratch.team().finish();
        } else {
            scratch.team().finish(look);
        }
        cpuEnd = time.pass(began, threads, threadNanos(), look);
    }

    /** What the threads of the team spent on it together, the last time; 0 where nothing is measured. */
    long threadNanos() {
        long sum = 0;
        for (int i = 0; i < busy.length; i += LONGS_A_LINE) {
            sum += busy[i];
        }
        return time.threadNanos(sum, bytes, scratch.team().threads());
    }

    /** When it began, on the device's clock. */
    long startNanos() {
        return cpuStart;
    }

    /** When its last row was done. */
    long endNanos() {
        return cpuEnd;
    }

    @Override
    public void compute(int from, int to, int worker) {
        Clock host = time.host();
        long start = host == null ? 0 : host.nanos();
        for (int i = 0; i < parts.length; i++) {
            int a = Math.max(from, starts[i]);
            int b = Math.min(to, starts[i + 1]);
            if (a < b) {
                int shift = first[i] - starts[i];
                parts[i].compute(a + shift, b + shift, worker);
            }
        }
        if (host != null) {
            busy[worker * LONGS_A_LINE] += host.nanos() - start;
        }
    }
}
