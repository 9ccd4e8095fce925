package dev.portal.emulator.rk3588;

import dev.portal.emulator.EmulatedDevice.Descriptors;
import dev.portal.emulator.EmulatedDevice.OpenFile;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Mapping;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A buffer that was exported as a descriptor: DMA_BUF_IOCTL_SYNC and mmap (spec 2.2). */
final class DmaBufFile implements OpenFile {
    private static final long READ = 1;
    private static final long WRITE = 2;
    private static final long END = 4;

    private final RknpuDriver driver;
    private final GemObject object;

    DmaBufFile(RknpuDriver driver, GemObject object) {
        this.driver = driver;
        this.object = object;
    }

    GemObject object() {
        return object;
    }

    @Override
    public long ioctl(int request, MemorySegment argument, Descriptors kernel) {
        if (request != RknpuAbi.DMA_BUF_SYNC) {
            return Answer.error(Errno.ENOTTY);
        }
        long flags = argument.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
        if ((flags & ~(READ | WRITE | END)) != 0 || (flags & (READ | WRITE)) == 0) {
            return Answer.error(Errno.EINVAL);
        }
        driver.lock.lock();
        try {
            if ((flags & END) == 0 && (flags & READ) != 0) {
                object.memory().invalidate(0, object.size);
            }
            if ((flags & END) != 0 && (flags & WRITE) != 0) {
                object.memory().clean(0, object.size);
            }
        } finally {
            driver.lock.unlock();
        }
        return Answer.of(0);
    }

    @Override
    public Mapping mmap(long offset, long lengthBytes, int protection) {
        driver.lock.lock();
        try {
            if (offset != 0 || lengthBytes <= 0 || lengthBytes > object.size) {
                return Mapping.error(Errno.EINVAL);
            }
            driver.buffers.mapped(object);
            return Mapping.of(object.memory().cpu().asSlice(0, lengthBytes));
        } finally {
            driver.lock.unlock();
        }
    }

    @Override
    public void munmap(MemorySegment mapping) {
        driver.lock.lock();
        try {
            driver.buffers.release(object);
        } finally {
            driver.lock.unlock();
        }
    }

    @Override
    public void close() {
        driver.lock.lock();
        try {
            driver.buffers.release(object);
        } finally {
            driver.lock.unlock();
        }
    }
}
