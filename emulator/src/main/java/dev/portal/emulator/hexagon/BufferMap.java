package dev.portal.emulator.hexagon;

/**
 * A DMA-BUF in a session's context bank. Calls that carry its descriptor and MEM_MAP share it; it goes with the last of
 * them, or with the session.
 */
final class BufferMap {
    final int fd;
    final DmaBuf buffer;
    final long size;
    /** Where the context bank has it. */
    final long iova;

    /** Where the process on the DSP has it; 0 before MEM_MAP. */
    long dspAddress;

    int references = 1;

    BufferMap(int fd, DmaBuf buffer, long size, long iova) {
        this.fd = fd;
        this.buffer = buffer;
        this.size = size;
        this.iova = iova;
    }
}
