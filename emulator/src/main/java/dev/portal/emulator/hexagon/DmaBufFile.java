package dev.portal.emulator.hexagon;

import dev.portal.emulator.DeviceLock;
import dev.portal.emulator.EmulatedDevice.Descriptors;
import dev.portal.emulator.EmulatedDevice.OpenFile;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Mapping;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** A descriptor of a DMA-BUF: sync, name, mmap (spec 1.11). */
final class DmaBufFile implements OpenFile {
    private final DeviceLock lock;
    private final DmaBufs buffers;
    private final DmaBuf buffer;

    DmaBufFile(DeviceLock lock, DmaBufs buffers, DmaBuf buffer) {
        this.lock = lock;
        this.buffers = buffers;
        this.buffer = buffer;
    }

    DmaBuf buffer() {
        return buffer;
    }

    @Override
    public long ioctl(int request, MemorySegment argument, Descriptors kernel) {
        lock.lock();
        try {
            if (request == Fastrpc.DMA_BUF_SYNC) {
                return sync(argument.get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
            }
            boolean name = request == Fastrpc.DMA_BUF_SET_NAME_A || request == Fastrpc.DMA_BUF_SET_NAME_B;
            return name ? name(argument) : Answer.error(Errno.ENOTTY);
        } finally {
            lock.unlock();
        }
    }

    private long sync(long flags) {
        boolean nowhere = (flags & Fastrpc.SYNC_RW) == 0;
        if ((flags & ~Fastrpc.SYNC_VALID_FLAGS_MASK) != 0 || nowhere) {
            return Answer.error(Errno.EINVAL);
        }
        boolean end = (flags & Fastrpc.SYNC_END) != 0;
        if (!end && (flags & Fastrpc.SYNC_READ) != 0) {
            buffer.invalidate(0, buffer.size);
        }
        if (end && (flags & Fastrpc.SYNC_WRITE) != 0) {
            buffer.clean(0, buffer.size);
        }
        return Answer.of(0);
    }

    private long name(MemorySegment argument) {
        byte[] bytes = argument.asSlice(0, Math.min(argument.byteSize(), Fastrpc.DMA_BUF_NAME_LEN))
                .toArray(ValueLayout.JAVA_BYTE);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == 0) {
                buffer.name = new String(bytes, 0, i, StandardCharsets.UTF_8);
                return Answer.of(0);
            }
        }
        return Answer.error(Errno.EINVAL);
    }

    /** Whole pages of the buffer only: one whose size was not rounded cannot be mapped to its end. */
    @Override
    public Mapping mmap(long offset, long lengthBytes, int protection) {
        lock.lock();
        try {
            long pages = AddressSpace.pages(lengthBytes) / AddressSpace.PAGE;
            long first = offset / AddressSpace.PAGE;
            if (offset < 0
                    || offset % AddressSpace.PAGE != 0
                    || pages <= 0
                    || first + pages > buffer.size / AddressSpace.PAGE) {
                return Mapping.error(Errno.EINVAL);
            }
            MemorySegment memory = buffer.cpu().asSlice(offset, lengthBytes);
            buffers.mapped(buffer, memory.address(), lengthBytes);
            return Mapping.of(memory);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void munmap(MemorySegment mapping) {
        lock.lock();
        try {
            buffers.unmapped(buffer, mapping.address());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            buffers.release(buffer);
        } finally {
            lock.unlock();
        }
    }
}
