package dev.portal.emulator.rk3588;

import dev.portal.emulator.TwoViewMemory;
import dev.portal.hardware.rk3588.RknpuAbi;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of the driver. It lives while handles, mappings, exported descriptors or jobs (their task arrays only, spec
 * 8.8) refer to it; its memory is made at first touch.
 */
final class GemObject {
    final long objAddr;
    final int flags;
    final long size;
    final int domain;
    final long iova;
    final long born;

    /** Fake offset for mmap, 0 before it was asked for. */
    long mapOffset;

    int references = 1;
    private @Nullable TwoViewMemory memory;

    GemObject(long objAddr, int flags, long size, int domain, long iova, long born) {
        this.objAddr = objAddr;
        this.flags = flags;
        this.size = size;
        this.domain = domain;
        this.iova = iova;
        this.born = born;
    }

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    boolean cacheable() {
        return has(RknpuAbi.MEM_CACHEABLE);
    }

    /** The two views. */
    TwoViewMemory memory() {
        TwoViewMemory made = memory;
        if (made == null) {
            made = new TwoViewMemory(size, cacheable());
            if (has(RknpuAbi.MEM_ZEROING)) {
                made.clean(0, size);
            }
            memory = made;
        }
        return made;
    }

    /** Whether anything touched it. */
    boolean touched() {
        return memory != null;
    }

    void release() {
        if (memory != null) {
            memory.poison();
            memory.close();
            memory = null;
        }
    }

    @Override
    public String toString() {
        return "buffer 0x" + Long.toHexString(iova) + " of " + size + " bytes";
    }
}
