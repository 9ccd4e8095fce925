package dev.portal.rknpu;

import dev.portal.base.Clock;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.kernel.CacheMaintenance;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Chooses between the driver's MEM_SYNC and the processor's own cache instructions, by measurement: an ioctl costs about
 * a microsecond whatever the size, the instructions cost by the line. Both stay available; what is chosen is told by
 * {@link #toString()}.
 */
final class CacheSync {
    /** MEM_SYNC of a range of a buffer. */
    @FunctionalInterface
    interface Driver {
        void sync(DeviceBuffer buffer, int flags, long offset, long bytes);
    }

    private static final int ROUNDS = 5;
    private static final long SMALL_BYTES = 64;
    private static final long LARGE_BYTES = 1 << 16;

    private final Driver driver;
    private final @Nullable CacheMaintenance instructions;
    private long instructionsUpToBytes;

    CacheSync(Driver driver, Optional<CacheMaintenance> instructions) {
        this.driver = driver;
        this.instructions = instructions.orElse(null);
        this.instructionsUpToBytes = 0;
    }

    /** Times both ways on a buffer that nobody uses yet. */
    void measure(Clock clock, DeviceBuffer buffer) {
        CacheMaintenance cache = instructions;
        if (cache == null || buffer.sizeBytes() < LARGE_BYTES) {
            return;
        }
        MemorySegment memory = buffer.memory();
        for (long bytes : new long[] {SMALL_BYTES, LARGE_BYTES}) {
            long byInstruction = best(clock, () -> cache.clean(memory, 0, bytes));
            long byDriver = best(clock, () -> driver.sync(buffer, RknpuAbi.SYNC_TO_DEVICE, 0, bytes));
            if (byInstruction > byDriver) {
                return;
            }
            instructionsUpToBytes = bytes == LARGE_BYTES ? Long.MAX_VALUE : bytes;
        }
    }

    void sync(DeviceBuffer buffer, int flags, long offset, long bytes) {
        CacheMaintenance cache = instructions;
        if (cache == null || bytes > instructionsUpToBytes) {
            driver.sync(buffer, flags, offset, bytes);
        } else if ((flags & RknpuAbi.SYNC_FROM_DEVICE) != 0) {
            cache.cleanInvalidate(buffer.memory(), offset, bytes);
        } else {
            cache.clean(buffer.memory(), offset, bytes);
        }
    }

    private static long best(Clock clock, Runnable action) {
        long best = Long.MAX_VALUE;
        for (int i = 0; i < ROUNDS; i++) {
            long start = clock.nanos();
            action.run();
            best = Math.min(best, clock.nanos() - start);
        }
        return best;
    }

    @Override
    public String toString() {
        if (instructionsUpToBytes == 0) {
            return "MEM_SYNC";
        }
        return instructionsUpToBytes == Long.MAX_VALUE
                ? "cache instructions"
                : "cache instructions up to " + instructionsUpToBytes + " bytes, MEM_SYNC above";
    }
}
