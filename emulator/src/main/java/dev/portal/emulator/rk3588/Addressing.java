package dev.portal.emulator.rk3588;

/**
 * Where the DMA engines find features and weights and where they put results (spec section 5). The unit is the atom of
 * 16 bytes; a surface is one atom wide in channels.
 */
final class Addressing {
    /** Bytes in an atom. */
    static final int ATOM = 16;

    /** Channels of one weight tile. */
    static final int TILE_CHANNELS = 32;

    private Addressing() {}

    /**
     * The feature DMA's rule (spec 5.1).
     *
     * @param groupLines lines in a group: 1, or 4 when GROUP_LINE_OFF is clear
     * @param width W
     * @param lineStride L in bytes
     * @param pitch bytes from surface to surface: (groupLines * W + S) * 16
     */
    record Feature(long base, int groupLines, int width, long lineStride, long pitch) {
        static Feature of(MatmulTask.Cna cna) {
            int lines = cna.groupLineOff() ? 1 : 4;
            return new Feature(
                    cna.feature(),
                    lines,
                    cna.width(),
                    cna.lineStride(),
                    (long) lines * cna.width() * ATOM + cna.surfaceStride());
        }

        /** Address of an atom: surface {@code s}, line {@code h}, column {@code w}. */
        long atom(int s, int h, int w) {
            return base
                    + s * pitch
                    + (h / groupLines) * lineStride
                    + (long) (h % groupLines) * width * ATOM
                    + (long) w * ATOM;
        }

        /** Whether the atoms of a line's one column lie one after another, as in a row-major matrix. */
        boolean rowsAreContiguous() {
            return pitch == ATOM;
        }
    }

    /** Kernels in a weight tile: 32 for one-byte elements, 16 for two-byte ones (spec 5.2). */
    static int kernelGroup(int elementBytes) {
        return elementBytes == 1 ? 32 : 16;
    }

    /** Index of weight (n, k) in elements (spec 5.2). */
    static long weightIndex(int n, int k, int channels, int kernelGroup) {
        return (long) (n / kernelGroup) * kernelGroup * channels
                + (long) (k / TILE_CHANNELS) * TILE_CHANNELS * kernelGroup
                + (long) (n % kernelGroup) * TILE_CHANNELS
                + k % TILE_CHANNELS;
    }

    /**
     * The write DMA's rule (spec 5.3).
     *
     * @param surfacesPerGroup SIZE_E + 1
     * @param surfaceStride D in bytes
     * @param surfaceAdd G in bytes
     * @param linePitch (W + notch) * 16
     */
    record Output(long base, int surfacesPerGroup, int surfaceStride, int surfaceAdd, long linePitch) {
        static Output of(MatmulTask.Out out) {
            return new Output(
                    out.destination(),
                    out.surfacesPerGroup(),
                    out.surfaceStride(),
                    out.surfaceAdd(),
                    (long) (out.width() + out.notchLow()) * ATOM);
        }

        /** Address of an atom: surface {@code s}, line {@code h}, column {@code w}. */
        long atom(int s, int h, int w) {
            return base
                    + (long) (s / surfacesPerGroup) * surfaceAdd
                    + (long) (s % surfacesPerGroup) * surfaceStride
                    + h * linePitch
                    + (long) w * ATOM;
        }

        /** Whether the surfaces of one position lie one after another, as in a row-major matrix. */
        boolean rowsAreContiguous() {
            return surfaceStride == ATOM && surfaceAdd == ATOM * surfacesPerGroup;
        }
    }
}
