package dev.portal.rknpu;

import dev.portal.hardware.rk3588.RknpuAbi;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory that both the processor and the NPU see.
 *
 * <p>Its owner closes it, and cannot while a job may still touch it: the driver gives memory and address back at once,
 * whatever the chip is doing (spec 8.8, Q14). Contents may be used by any thread, one at a time; the rest is safe for
 * several.
 */
public final class DeviceBuffer implements AutoCloseable {
    /** What a buffer is for, which decides its flags (spec 2.4). */
    public enum Use {
        /** Cacheable, wants syncs. */
        DATA(RknpuAbi.MEM_NON_CONTIGUOUS | RknpuAbi.MEM_CACHEABLE),
        /** A task array: the kernel reads it through a mapping of its own. */
        TASKS(RknpuAbi.MEM_NON_CONTIGUOUS | RknpuAbi.MEM_CACHEABLE | RknpuAbi.MEM_KERNEL_MAPPING),
        /** Not cached: slower for the processor, needs no sync, aligned access only (Q24). */
        UNCACHED(RknpuAbi.MEM_NON_CONTIGUOUS);

        private final int flags;

        Use(int flags) {
            this.flags = flags;
        }

        int flags() {
            return flags;
        }

        boolean cacheable() {
            return (flags & RknpuAbi.MEM_CACHEABLE) != 0;
        }
    }

    private static final int CLOSED = -1;

    private final RknpuDevice device;
    private final Use use;
    private final int handle;
    private final long objectAddress;
    private final long iova;
    private final MemorySegment memory;

    /** Jobs that may touch it, or {@link #CLOSED}. */
    private final AtomicInteger inFlight = new AtomicInteger();

    DeviceBuffer(RknpuDevice device, Use use, int handle, long objectAddress, long iova, MemorySegment memory) {
        this.device = device;
        this.use = use;
        this.handle = handle;
        this.objectAddress = objectAddress;
        this.iova = iova;
        this.memory = memory;
    }

    /** The processor's view, page-aligned, as long as was asked for rounded up to pages. */
    public MemorySegment memory() {
        if (inFlight.get() == CLOSED) {
            throw new IllegalStateException(this + " is closed");
        }
        return memory;
    }

    /** Whether its memory was given back. */
    boolean isClosed() {
        return inFlight.get() == CLOSED;
    }

    public long sizeBytes() {
        return memory.byteSize();
    }

    /** The NPU's address of the first byte, below 4 GiB. */
    public long iova() {
        return iova;
    }

    /** The driver's name of the object, for SYNC and SUBMIT. */
    long objectAddress() {
        return objectAddress;
    }

    /** The mapping, for the device that unmaps it. */
    MemorySegment mapping() {
        return memory;
    }

    int handle() {
        return handle;
    }

    Use use() {
        return use;
    }

    /** Makes what the processor wrote visible to the device. */
    public void toDevice(SyncPoint point, long offset, long bytes) {
        device.sync(this, point, RknpuAbi.SYNC_TO_DEVICE, offset, bytes);
    }

    /** Makes what the device wrote visible to the processor; what the processor wrote there is lost. */
    public void fromDevice(SyncPoint point, long offset, long bytes) {
        device.sync(this, point, RknpuAbi.SYNC_FROM_DEVICE, offset, bytes);
    }

    /** A job that touches it begins. */
    void retain() {
        int jobs = inFlight.get();
        while (jobs != CLOSED && !inFlight.compareAndSet(jobs, jobs + 1)) {
            jobs = inFlight.get();
        }
        if (jobs == CLOSED) {
            throw new IllegalStateException(
                    this + " is closed: a program that names it would read what another" + " buffer holds there now");
        }
    }

    /** The job has certainly ended. */
    void release() {
        inFlight.decrementAndGet();
    }

    /**
     * Looks whether it could be closed now.
     *
     * @throws IllegalStateException while a job may still touch it
     */
    void requireIdle() {
        requireIdle(inFlight.get());
    }

    private void requireIdle(int jobs) {
        if (jobs > 0) {
            throw new IllegalStateException(this + " is in flight: " + jobs
                    + " job(s) may still touch it, and freeing it would let the NPU write into another buffer");
        }
    }

    /**
     * Gives memory and address back.
     *
     * @throws IllegalStateException while a job may still touch it
     */
    @Override
    public void close() {
        int jobs = inFlight.getAndUpdate(count -> count == 0 ? CLOSED : count);
        requireIdle(jobs);
        if (jobs == 0) {
            device.destroy(this);
        }
    }

    @Override
    public String toString() {
        return "buffer " + handle + " (" + memory.byteSize() + " bytes at 0x" + Long.toHexString(iova) + ")";
    }
}
