package dev.portal.rknpu;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * One matrix product of a chain: C = A x B.
 *
 * <p>A is copied when the chain begins or runs, so that it may lie anywhere; it is never read in place (seed section 3,
 * Q3). B and C are in device memory and belong to the caller; neither can be closed while the chain may run.
 *
 * @param shape what is computed; {@code int8 to int32}, or {@code fp16 to fp32}
 * @param a dense and row-major, {@code shape.aBytes()} bytes
 * @param b holds B, packed ({@link Packing#b}) and synchronised to the device
 * @param bOffset where B begins, in bytes, a multiple of 16
 * @param c receives C, dense and row-major. The processor must leave its lines alone while the chain runs
 * @param cOffset where C begins, in bytes, a multiple of 64: no line of it may hold anything else
 */
public record ChainStep(
        MatmulShape shape, MemorySegment a, DeviceBuffer b, long bOffset, DeviceBuffer c, long cOffset) {
    private static final int LINE_BYTES = 64;
    private static final int ATOM_BYTES = 16;
    private static final int COLUMN_GRANULE = 32;

    public ChainStep {
        if (shape.type() != MatmulType.INT8_INT32 && shape.type() != MatmulType.FP16_FP32) {
            throw new ProgramRefusedException(
                    shape + " in a chain; completion is read from the output, which must be int32 or fp32");
        }
        if (a.byteSize() != shape.aBytes()) {
            throw new IllegalArgumentException(
                    "A has " + a.byteSize() + " bytes; " + shape + " takes " + shape.aBytes());
        }
        inside("B", b, bOffset, shape.bBytes(), ATOM_BYTES);
        inside("C", c, cOffset, shape.cBytes(), LINE_BYTES);
    }

    /** A product whose B and C begin their buffers. */
    public static ChainStep of(MatmulShape shape, MemorySegment a, DeviceBuffer b, DeviceBuffer c) {
        return new ChainStep(shape, a, b, 0, c, 0);
    }

    /**
     * The same product as several of fewer columns, for an N above the {@value MatmulProgram#MAX_N} that one program does, or
     * for several cores to share. They have A in common, and together write the same C.
     *
     * @param most columns of a part, a multiple of 32
     * @return in order; this step alone when it has no more columns than that
     * @throws ProgramRefusedException for several rows, whose parts would not be dense
     */
    public List<ChainStep> byColumns(int most) {
        if (most < COLUMN_GRANULE || most % COLUMN_GRANULE != 0) {
            throw new IllegalArgumentException("parts of " + most + " columns; a multiple of " + COLUMN_GRANULE);
        }
        if (shape.n() <= most) {
            return List.of(this);
        }
        if (shape.m() != 1) {
            throw new ProgramRefusedException(
                    shape + " by columns: only one row has its columns side by side; Matmul" + " splits any shape");
        }
        List<ChainStep> parts = new ArrayList<>();
        for (int from = 0; from < shape.n(); from += most) {
            MatmulShape part = new MatmulShape(shape.type(), 1, shape.k(), Math.min(most, shape.n() - from));
            long before = (long) from * shape.k() * shape.type().inputBytes();
            parts.add(new ChainStep(part, a, b, bOffset + before, c, cOffset + 4L * from));
        }
        return parts;
    }

    private static void inside(String what, DeviceBuffer buffer, long offset, long bytes, int alignment) {
        if (offset < 0 || offset % alignment != 0 || offset + bytes > buffer.sizeBytes()) {
            throw new IllegalArgumentException(what + " takes " + bytes + " bytes from " + offset + " on in " + buffer
                    + "; it must lie inside and begin at a multiple of " + alignment);
        }
    }
}
