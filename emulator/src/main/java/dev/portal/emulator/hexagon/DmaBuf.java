package dev.portal.emulator.hexagon;

import dev.portal.emulator.TwoViewMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A DMA-BUF. It lives while a descriptor, a mapping of the process or a map of a session refers to it.
 *
 * <p>One from a heap is cached: {@link TwoViewMemory} with two views. One of ALLOC_DMA_BUFF is coherent, and belongs to
 * the session that made it: freed after that, current drivers touch freed memory (spec 1.8).
 */
final class DmaBuf {
    /** What the device finds in bytes that no sync ever made visible (spec 8). */
    static final byte POISON = (byte) 0xA5;

    final long number;
    final long size;
    final @Nullable FastRpcFile maker;
    private final TwoViewMemory memory;
    String name = "";
    int references = 1;

    /**
     * @param size as the descriptor reports it
     * @param maker the session whose driver made it; null for a heap's
     */
    DmaBuf(long number, long size, boolean cached, @Nullable FastRpcFile maker) {
        this.number = number;
        this.size = size;
        this.maker = maker;
        this.memory = new TwoViewMemory(AddressSpace.pages(size), cached, POISON);
    }

    /** The process's view. */
    MemorySegment cpu() {
        return memory.cpu();
    }

    /** The DSP's view. */
    MemorySegment device() {
        return memory.dram();
    }

    /** What the process wrote becomes visible to the DSP. */
    void clean(long offset, long length) {
        memory.clean(offset, length);
    }

    /** What the DSP wrote becomes visible to the process. */
    void invalidate(long offset, long length) {
        memory.invalidate(offset, length);
    }

    void cleanInvalidate(long offset, long length) {
        memory.cleanInvalidate(offset, length);
    }

    void free() {
        memory.poison();
        memory.close();
    }

    @Override
    public String toString() {
        return "dma-buf " + number + (name.isEmpty() ? "" : " '" + name + "'") + " of " + size + " bytes";
    }
}
