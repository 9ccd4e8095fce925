package dev.portal.rknpu;

import java.lang.foreign.MemorySegment;

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

    private static void inside(String what, DeviceBuffer buffer, long offset, long bytes, int alignment) {
        if (offset < 0 || offset % alignment != 0 || offset + bytes > buffer.sizeBytes()) {
            throw new IllegalArgumentException(what + " takes " + bytes + " bytes from " + offset + " on in " + buffer
                    + "; it must lie inside and begin at a multiple of " + alignment);
        }
    }
}
