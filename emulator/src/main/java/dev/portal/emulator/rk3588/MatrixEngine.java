package dev.portal.emulator.rk3588;

/**
 * The MAC array: rows of dense features times weights in the chip's tile order (spec 5.2). int8 sums wrap in 32 bits.
 * fp16 products are exact in fp32 and are added in fp32, channels in ascending order; the chip's own order is not known
 * (spec 5.4).
 *
 * <p>One engine serves one core; it keeps scratch memory and is not for several threads.
 */
public interface MatrixEngine {
    /** The engine that the emulated cores use. */
    static MatrixEngine fast() {
        return new FastEngine();
    }

    /** The arithmetic as the spec states it, for comparison; the same bits, slowly. */
    static MatrixEngine scalar() {
        return new ScalarEngine();
    }

    /**
     * Sums of int8 products.
     *
     * @param features {@code rows} by {@code channels}
     * @param weights tiles of 32 kernels by 32 channels, from {@code weightOffset}
     * @param channels a multiple of 32
     * @param kernels a multiple of 32
     * @param sums out, {@code rows} by {@code kernels}
     */
    void int8(byte[] features, byte[] weights, int weightOffset, int rows, int channels, int kernels, int[] sums);

    /**
     * Sums of fp16 products, as the bits of fp32. Elements are two bytes, little-endian.
     *
     * @param weights tiles of 16 kernels by 32 channels, from {@code weightOffset}
     * @param kernels a multiple of 16
     */
    void fp16(byte[] features, byte[] weights, int weightOffset, int rows, int channels, int kernels, int[] sums);
}
