package dev.portal.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;

/**
 * Cache maintenance by a few words of aarch64 machine code: Linux lets user space run {@code dc cvac} and {@code dc
 * civac} (spec/rk3588-npu.md section 9), and Java has no instruction for them.
 *
 * <p>Two functions {@code (start, end, step)} walk the lines of a range; the third reads the cache type register, which
 * tells the size of a line.
 *
 * <pre>
 *   loop:  dc cvac, x0          or  dc civac, x0
 *          add x0, x0, x2
 *          cmp x0, x1
 *          b.lo loop
 *          dsb ish
 *          ret
 * </pre>
 */
final class Aarch64CacheCode implements CacheMaintenance {
    static final int DC_CVAC_X0 = 0xD50B7A20;
    static final int DC_CIVAC_X0 = 0xD50B7E20;
    static final int ADD_X0_X0_X2 = 0x8B020000;
    static final int CMP_X0_X1 = 0xEB01001F;
    static final int B_LO_LOOP = 0x54FFFFA3;
    static final int DSB_ISH = 0xD5033B9F;
    static final int RET = 0xD65F03C0;
    static final int MRS_X0_CTR_EL0 = 0xD53B0020;

    static final long CLEAN_OFFSET = 0;
    static final long CLEAN_INVALIDATE_OFFSET = 32;
    static final long CACHE_TYPE_OFFSET = 64;

    private static final ValueLayout.OfInt WORD = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** One call holds up the collector for so many bytes at most. */
    private static final long CHUNK_BYTES = 1 << 16;

    private final MethodHandle clean;
    private final MethodHandle cleanInvalidate;
    private final int lineBytes;

    /**
     * @param clean {@code void (long start, long end, long step)}
     * @param cleanInvalidate the same
     * @param cacheType {@code long ()}: the register CTR_EL0
     */
    Aarch64CacheCode(MethodHandle clean, MethodHandle cleanInvalidate, MethodHandle cacheType) {
        this.clean = clean;
        this.cleanInvalidate = cleanInvalidate;
        try {
            lineBytes = lineBytes((long) cacheType.invokeExact());
        } catch (Throwable e) {
            throw new AssertionError("the cache type register cannot be read", e);
        }
    }

    /** Writes the three functions at their offsets. */
    static void write(MemorySegment page) {
        write(page, CLEAN_OFFSET, lineLoop(DC_CVAC_X0));
        write(page, CLEAN_INVALIDATE_OFFSET, lineLoop(DC_CIVAC_X0));
        write(page, CACHE_TYPE_OFFSET, MRS_X0_CTR_EL0, RET);
    }

    static int[] lineLoop(int operation) {
        return new int[] {operation, ADD_X0_X0_X2, CMP_X0_X1, B_LO_LOOP, DSB_ISH, RET};
    }

    /** DminLine, bits 19:16 of CTR_EL0: log2 of the 4-byte words in the smallest data cache line. */
    static int lineBytes(long cacheType) {
        return 4 << ((int) (cacheType >>> 16) & 0xf);
    }

    private static void write(MemorySegment page, long offset, int... words) {
        for (int i = 0; i < words.length; i++) {
            page.set(WORD, offset + 4L * i, words[i]);
        }
    }

    @Override
    public int lineBytes() {
        return lineBytes;
    }

    @Override
    public void clean(MemorySegment memory, long offset, long bytes) {
        walk(clean, memory, offset, bytes);
    }

    @Override
    public void cleanInvalidate(MemorySegment memory, long offset, long bytes) {
        walk(cleanInvalidate, memory, offset, bytes);
    }

    private void walk(MethodHandle code, MemorySegment memory, long offset, long bytes) {
        if (offset < 0 || bytes < 0 || offset > memory.byteSize() - bytes) {
            throw new IndexOutOfBoundsException(
                    bytes + " bytes from " + offset + " are outside a segment of " + memory.byteSize());
        }
        if (bytes == 0) {
            return;
        }
        long end = memory.address() + offset + bytes;
        long start = (memory.address() + offset) & -lineBytes;
        try {
            while (start < end) {
                long stop = Math.min(end, start + CHUNK_BYTES);
                code.invokeExact(start, stop, (long) lineBytes);
                start = (stop + lineBytes - 1) & -lineBytes;
            }
        } catch (Throwable e) {
            throw new AssertionError("machine code threw", e);
        }
    }
}
