package dev.portal.kernel;

import java.lang.foreign.MemorySegment;

/**
 * Moves cache lines between the processor's view of a cacheable mapping and the memory that the device sees. Ranges are
 * rounded outwards to whole lines. Each call ends with a barrier: when it returns, the device sees what was cleaned.
 *
 * <p>No call allocates; any thread may call. On the emulator these move lines between its two views, so that a call that
 * is missing shows (spec/rk3588-npu.md section 9).
 */
public interface CacheMaintenance {
    /** Bytes in a line: the granule of every operation, a power of two. */
    int lineBytes();

    /** Writes the lines of the range back to memory; they stay valid ({@code dc cvac}, then {@code dsb ish}). */
    void clean(MemorySegment memory, long offset, long bytes);

    /**
     * Writes the lines of the range back to memory and drops them, so that the next load sees memory ({@code dc civac},
     * then {@code dsb ish}).
     */
    void cleanInvalidate(MemorySegment memory, long offset, long bytes);
}
