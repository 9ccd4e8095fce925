package dev.portal.rknpu;

import dev.portal.hardware.rk3588.Soc;
import java.util.ArrayList;
import java.util.List;

/**
 * How a matrix product of any shape is cut into programs (spec 6.3). Rows are cut where the feature banks end, columns
 * where the chip's results would become wrong or where several cores share them, and the depth where chips were seen to
 * fail; the partial sums of the depth are added on the host (Q2).
 *
 * @param rows of A and C
 * @param depth of A and B
 * @param columns of B and C
 */
record TilePlan(List<Slice> rows, List<Slice> depth, List<Slice> columns) {
    /**
     * A range of one dimension.
     *
     * @param start first index
     * @param size true length
     * @param padded length that the program has
     */
    record Slice(int start, int size, int padded) {}

    /** K = 3584 fails from 20 rows on and 3840 at submit, 2048 is exact on boards (spec 6.2, 6.3). */
    static final int MAX_DEPTH = 2048;

    /** What ork runs at most. */
    private static final int MAX_ROWS = 704;

    TilePlan {
        rows = List.copyOf(rows);
        depth = List.copyOf(depth);
        columns = List.copyOf(columns);
    }

    /** Cuts depth and columns: what the weights need to know, whatever the rows. */
    static TilePlan weights(MatmulType type, int k, int n, int cores) {
        int share = Math.ceilDiv(n, cores);
        int width = Math.min(roundUp(share, type.kernelGroup()), MatmulProgram.MAX_N);
        return new TilePlan(
                List.of(), slices(k, MAX_DEPTH, MatmulType.CHANNEL_GROUP), slices(n, width, type.kernelGroup()));
    }

    /** The same cut, with the rows of a product. */
    TilePlan withRows(MatmulType type, int m) {
        int deepest = depth.stream().mapToInt(Slice::padded).max().orElseThrow();
        return new TilePlan(slices(m, maxRows(type, deepest), 1), depth, columns);
    }

    /** Rows that eleven feature banks hold, in whole schedule steps. */
    static int maxRows(MatmulType type, int depth) {
        int entries = MatmulProgram.entriesPerRow(new MatmulShape(type, 1, depth, type.kernelGroup()));
        int fit = MatmulProgram.MAX_FEATURE_BANKS * Soc.BANK_BYTES / (entries * Soc.ENTRY_BYTES);
        int step = MatmulProgram.SCHEDULE_ROWS;
        int whole = fit >= step ? fit / step * step : fit;
        return Math.min(whole, MAX_ROWS);
    }

    private static List<Slice> slices(int length, int limit, int granule) {
        List<Slice> slices = new ArrayList<>();
        for (int start = 0; start < length; start += limit) {
            int size = Math.min(limit, length - start);
            slices.add(new Slice(start, size, roundUp(size, granule)));
        }
        return slices;
    }

    private static int roundUp(int value, int granule) {
        return Math.ceilDiv(value, granule) * granule;
    }
}
