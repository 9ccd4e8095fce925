package dev.portal.emulator.rk3588;

import org.jspecify.annotations.Nullable;

/** How a core reaches memory: through the IOMMU in a machine, through fixed images on a bench. */
interface Dma {
    /** Which of a core's masters asks. */
    enum Port {
        PROGRAM,
        FEATURE,
        WEIGHT,
        OUTPUT
    }

    /** Part of an array that backs memory. */
    record Window(byte[] array, int offset) {}

    /**
     * Reads memory as the device sees it.
     *
     * @throws DmaFault when part of the range is not mapped; then {@code into} may be partly written
     */
    void read(Port port, long iova, byte[] into, int offset, int length) throws DmaFault;

    /** Writes memory as the device sees it. */
    void write(Port port, long iova, byte[] from, int offset, int length) throws DmaFault;

    /** The array behind a range that one buffer holds; null when there is none. */
    @Nullable
    Window window(Port port, long iova, int length);
}
