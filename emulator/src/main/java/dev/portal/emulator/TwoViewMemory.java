package dev.portal.emulator;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A buffer as the processor and the device see it (spec/rk3588-npu.md section 9).
 *
 * <p>A cacheable buffer has two views. {@link #cpu()} is what the program's loads and stores reach: the caches. {@link
 * #dram()} is what the device reaches. Lines move only when told to: {@link #clean} writes dirty lines back, {@link
 * #invalidate} drops lines, dirty or not, {@link #cleanInvalidate} does the first and then the second. A third copy,
 * what each line held when it was last in step, tells dirty lines from clean ones: cleaning a clean line does not bring
 * old data back over what the device wrote. A store of the value that was there already does not make a line dirty here.
 *
 * <p>A fresh cacheable buffer is zero in the caches and not in memory: the kernel cleared its pages through the cache, so
 * every line is dirty until it is cleaned (quirk Q11: a result buffer that was never cleaned is written over later).
 *
 * <p>A buffer that is not cacheable has one view.
 *
 * <p>Offsets and lengths are clipped to the buffer and rounded outwards to lines of {@value #LINE_BYTES} bytes. The
 * caller orders calls; the views themselves may be read and written by any thread.
 */
public final class TwoViewMemory implements AutoCloseable {
    /** Bytes in a cache line of the A76 and A55 cores. */
    public static final int LINE_BYTES = 64;

    /** What memory holds for the device that nobody has written yet, and what freed memory reads as. */
    private static final byte POISON = (byte) 0xDB;

    /** Mappings begin on a page. */
    private static final int PAGE = 4096;

    private final Arena arena = Arena.ofShared();
    private final long bytes;
    private final boolean cacheable;
    private final MemorySegment cpu;
    private final MemorySegment dram;
    private final byte[] dramBytes;
    private final byte[] inStep;
    private final byte poison;

    /**
     * @param bytes at least 1, less than 2 GiB when cacheable
     * @param cacheable whether there are two views
     */
    public TwoViewMemory(long bytes, boolean cacheable) {
        this(bytes, cacheable, POISON);
    }

    /**
     * With a pattern of the caller's for what nobody has written.
     *
     * @param poison what the device finds where no line was ever written back
     */
    public TwoViewMemory(long bytes, boolean cacheable, byte poison) {
        this.bytes = bytes;
        this.cacheable = cacheable;
        this.poison = poison;
        cpu = arena.allocate(bytes, PAGE);
        if (cacheable) {
            dramBytes = new byte[Math.toIntExact(bytes)];
            dram = MemorySegment.ofArray(dramBytes);
            inStep = new byte[dramBytes.length];
            Arrays.fill(dramBytes, poison);
            Arrays.fill(inStep, poison);
        } else {
            dramBytes = new byte[0];
            dram = cpu;
            inStep = new byte[0];
        }
    }

    public long bytes() {
        return bytes;
    }

    public boolean cacheable() {
        return cacheable;
    }

    /** The processor's view: native memory, valid until {@link #close()}. */
    public MemorySegment cpu() {
        return cpu;
    }

    /** The device's view. */
    public MemorySegment dram() {
        return dram;
    }

    /** The device's view as an array; empty when the buffer is not cacheable. */
    public byte[] dramArray() {
        return dramBytes;
    }

    /** Writes the dirty lines of the range to the device's view; lines stay. */
    public void clean(long offset, long length) {
        writeBack(offset, length);
    }

    /** Drops the lines of the range: what was dirty is lost, the next load sees the device's view. */
    public void invalidate(long offset, long length) {
        if (!cacheable()) {
            return;
        }
        long from = lineStart(offset);
        long to = lineEnd(offset, length);
        if (from < to) {
            MemorySegment.copy(dram, from, cpu, from, to - from);
            System.arraycopy(dramBytes, (int) from, inStep, (int) from, (int) (to - from));
        }
    }

    /** Writes dirty lines back, then drops all lines of the range. */
    public void cleanInvalidate(long offset, long length) {
        writeBack(offset, length);
        invalidate(offset, length);
    }

    /** Writes back the dirty lines of the range and says how many there were. */
    public int writeBack(long offset, long length) {
        if (!cacheable()) {
            return 0;
        }
        long from = lineStart(offset);
        long to = lineEnd(offset, length);
        MemorySegment last = MemorySegment.ofArray(inStep);
        int lines = 0;
        while (from < to) {
            long differs = MemorySegment.mismatch(cpu, from, to, last, from, to);
            if (differs < 0) {
                break;
            }
            long line = lineStart(from + differs);
            long length1 = Math.min(LINE_BYTES, bytes - line);
            MemorySegment.copy(cpu, line, dram, line, length1);
            MemorySegment.copy(cpu, line, last, line, length1);
            lines++;
            from = line + LINE_BYTES;
        }
        return lines;
    }

    /** Whether a line of the range holds stores that the device cannot see yet. */
    public boolean isDirty(long offset, long length) {
        long from = lineStart(offset);
        long to = lineEnd(offset, length);
        return cacheable()
                && from < to
                && MemorySegment.mismatch(cpu, from, to, MemorySegment.ofArray(inStep), from, to) >= 0;
    }

    /** Fills the device's view with a pattern that no correct result has, as memory looks that others use now. */
    public void poison() {
        if (cacheable()) {
            Arrays.fill(dramBytes, poison);
        } else {
            dram.fill(poison);
        }
    }

    private long lineStart(long offset) {
        return Math.clamp(offset, 0, bytes) / LINE_BYTES * LINE_BYTES;
    }

    private long lineEnd(long offset, long length) {
        long from = Math.clamp(offset, 0, bytes);
        if (length <= 0) {
            return 0;
        }
        long end = length > bytes - from ? bytes : from + length;
        return Math.min((end + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES, bytes);
    }

    @Override
    public void close() {
        arena.close();
    }
}
