package dev.portal.rknpu;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Names what is wrong with an fp16 result. On boards asynchronous fp16 drops blocks of the reduction: with operands of
 * ones a sum of 512 becomes 512 - 32 n, in every row (320: six blocks) or in one (480: one block) (seed section 7b, Q9).
 *
 * @param kind what it looks like
 * @param missingBlocks blocks of {@link #BLOCK} products that are missing; 0 unless it is a short count
 * @param blocks blocks of a whole sum
 * @param wrongRows rows with a wrong element
 * @param wrongElements elements that differ
 */
public record Fp16Diagnosis(Kind kind, int missingBlocks, int blocks, List<Integer> wrongRows, long wrongElements) {
    /** Products that fall out together: a 64-byte entry of the convolution buffer. */
    public static final int BLOCK = 32;

    /** What it looks like. */
    public enum Kind {
        /** Nothing is wrong. */
        RIGHT,
        /** Words that nobody wrote: the result was looked at before it was there. */
        UNWRITTEN,
        /** The same blocks are missing everywhere: the whole round under-counts. */
        SHORT_ROUND,
        /** The same blocks are missing from some rows only. */
        SHORT_ROWS,
        /** Neither: dirty lines, wrong operands, another defect. */
        OTHER
    }

    /** Of operands that are all ones, as the seed's test has them: every sum is K. */
    public static Fp16Diagnosis ofOnes(MatmulShape shape, MemorySegment c) {
        return diagnose(shape, c, (row, column, blocks) -> (float) blocks * BLOCK);
    }

    /**
     * Of any operands.
     *
     * @param a dense and row-major
     * @param b by columns, dense
     * @param c the result, fp32, dense and row-major
     */
    public static Fp16Diagnosis of(MatmulShape shape, MemorySegment a, MemorySegment b, MemorySegment c) {
        return diagnose(shape, c, (row, column, blocks) -> {
            float sum = 0;
            for (int k = 0; k < Math.min(shape.k(), blocks * BLOCK); k++) {
                sum += half(a, (long) row * shape.k() + k) * half(b, (long) column * shape.k() + k);
            }
            return sum;
        });
    }

    private static float half(MemorySegment values, long index) {
        return Float.float16ToFloat(values.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * index));
    }

    /** The sum of an element's first blocks. */
    @FunctionalInterface
    private interface PartialSum {
        float of(int row, int column, int blocks);
    }

    private static Fp16Diagnosis diagnose(MatmulShape shape, MemorySegment c, PartialSum partial) {
        int blocks = Math.ceilDiv(shape.k(), BLOCK);
        List<Integer> rows = new ArrayList<>();
        long wrong = 0;
        boolean unwritten = false;
        int firstRow = -1;
        int firstColumn = -1;
        for (int m = 0; m < shape.m(); m++) {
            boolean wrongRow = false;
            for (int n = 0; n < shape.n(); n++) {
                int word = word(shape, c, m, n);
                if (word != Float.floatToRawIntBits(partial.of(m, n, blocks))) {
                    wrong++;
                    wrongRow = true;
                    unwritten |= word == StepTable.SENTINEL;
                    if (firstRow < 0) {
                        firstRow = m;
                        firstColumn = n;
                    }
                }
            }
            if (wrongRow) {
                rows.add(m);
            }
        }
        if (wrong == 0) {
            return new Fp16Diagnosis(Kind.RIGHT, 0, blocks, rows, 0);
        }
        if (unwritten) {
            return new Fp16Diagnosis(Kind.UNWRITTEN, 0, blocks, rows, wrong);
        }
        for (int missing = 1; missing <= blocks; missing++) {
            boolean fits = word(shape, c, firstRow, firstColumn)
                    == Float.floatToRawIntBits(partial.of(firstRow, firstColumn, blocks - missing));
            if (fits && explains(shape, c, partial, rows, blocks - missing)) {
                Kind kind = rows.size() == shape.m() ? Kind.SHORT_ROUND : Kind.SHORT_ROWS;
                return new Fp16Diagnosis(kind, missing, blocks, rows, wrong);
            }
        }
        return new Fp16Diagnosis(Kind.OTHER, 0, blocks, rows, wrong);
    }

    private static boolean explains(
            MatmulShape shape, MemorySegment c, PartialSum partial, List<Integer> rows, int blocks) {
        for (int m : rows) {
            for (int n = 0; n < shape.n(); n++) {
                if (word(shape, c, m, n) != Float.floatToRawIntBits(partial.of(m, n, blocks))) {
                    return false;
                }
            }
        }
        return true;
    }

    private static int word(MatmulShape shape, MemorySegment c, int m, int n) {
        return c.get(ValueLayout.JAVA_INT_UNALIGNED, 4 * ((long) m * shape.n() + n));
    }

    @Override
    public String toString() {
        return switch (kind) {
            case RIGHT -> "right";
            case UNWRITTEN -> wrongElements + " element(s) of " + wrongRows.size() + " row(s) were not written yet";
            case SHORT_ROUND ->
                "short count: " + missingBlocks + " of " + blocks + " K blocks are missing from the whole round";
            case SHORT_ROWS ->
                "short count: " + missingBlocks + " of " + blocks + " K blocks are missing from row(s) " + wrongRows;
            case OTHER ->
                wrongElements + " wrong element(s) in " + wrongRows.size()
                        + " row(s), and no number of missing K blocks" + " explains them; look at syncs and operands";
        };
    }
}
