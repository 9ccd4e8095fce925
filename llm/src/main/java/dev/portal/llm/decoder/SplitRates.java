package dev.portal.llm.decoder;

import java.util.List;

/**
 * What groups of one shape take for a token, as measured, and the division that follows: the number of cores and the
 * outputs with which NPU and processor end together, handing in included.
 *
 * <pre>
 *   NPU        fixed + outputs * bytes / rate of so many cores
 *   processor  handing in, of which the caller is one of the threads, + the other outputs * bytes / rate
 * </pre>
 *
 * @param outputs of all matrices of the group
 * @param depths into how many programs a column is cut
 * @param npuRowBytes weights of an output on the NPU
 * @param cpuRowBytes those on the processor, on the average
 * @param threads of the processor
 * @param byCores one for 1 core, for 2, and so on
 * @param cpuNanosPerByte with all threads together
 */
record SplitRates(
        int outputs,
        int depths,
        double npuRowBytes,
        double cpuRowBytes,
        int threads,
        List<Line> byCores,
        double cpuNanosPerByte) {
    /** A gain that is worth another core. */
    private static final double CORE_GAIN = 0.005;

    /**
     * A chain's time on a number of cores.
     *
     * @param fixedNanos of any chain: the call, the start
     * @param nanosPerByte of weights
     * @param handingNanos of the fixed time, what the caller's thread is busy with
     */
    record Line(double fixedNanos, double nanosPerByte, long handingNanos) {
        /** Through the times of a small chain and a larger one. */
        static Line through(long smallBytes, long smallNanos, long largeBytes, long largeNanos, long handingNanos) {
            if (largeBytes <= smallBytes) {
                return new Line(0, (double) smallNanos / smallBytes, handingNanos);
            }
            double slope = Math.max(0, (double) (largeNanos - smallNanos) / (largeBytes - smallBytes));
            return new Line(Math.max(0, smallNanos - slope * smallBytes), slope, handingNanos);
        }
    }

    /** With another rate of the processor. */
    SplitRates withCpu(double nanosPerByte) {
        return new SplitRates(outputs, depths, npuRowBytes, cpuRowBytes, threads, byCores, nanosPerByte);
    }

    /** What a division takes for a token. */
    double nanos(Split split) {
        return Math.max(npuNanos(split), cpuNanos(split));
    }

    double npuNanos(Split split) {
        if (split.cores() == 0) {
            return 0;
        }
        Line line = byCores.get(split.cores() - 1);
        // The slowest core has a whole number of tiles.
        int tiles = Math.ceilDiv(split.outputs(), Split.COLUMN_GROUP) * depths;
        double slowest = (double) Math.ceilDiv(tiles, split.cores()) * split.cores() / depths;
        return line.fixedNanos + slowest * Split.COLUMN_GROUP * npuRowBytes * line.nanosPerByte;
    }

    double cpuNanos(Split split) {
        double rows = (outputs - split.outputs()) * cpuRowBytes * cpuNanosPerByte;
        if (split.cores() == 0) {
            return rows;
        }
        return rows + (double) byCores.get(split.cores() - 1).handingNanos / threads;
    }

    /** The division that takes least. */
    Split best() {
        Split best = Split.NONE;
        double least = nanos(best);
        for (int cores = 1; cores <= byCores.size(); cores++) {
            Split here = best(cores);
            double takes = nanos(here);
            if (takes < least * (1 - CORE_GAIN)) {
                best = here;
                least = takes;
            }
        }
        return best;
    }

    private Split best(int cores) {
        Line line = byCores.get(cores - 1);
        double npuRow = npuRowBytes * line.nanosPerByte;
        double cpuRow = cpuRowBytes * cpuNanosPerByte;
        double together = (outputs * cpuRow + (double) line.handingNanos / threads - line.fixedNanos)
                / Math.max(Double.MIN_NORMAL, npuRow + cpuRow);
        Split best = new Split(cores, outputs);
        for (int step : new int[] {Split.COLUMN_GROUP, Split.COLUMN_GROUP * cores}) {
            for (int more = -1; more <= 2; more++) {
                int rows = ((int) (Math.clamp(together, 0, outputs) / step) + more) * step;
                if (rows > 0 && rows < outputs) {
                    Split other = new Split(cores, rows);
                    best = nanos(other) < nanos(best) ? other : best;
                }
            }
        }
        return best;
    }
}
