package dev.portal.emulator.hexagon;

import dev.portal.emulator.DeviceLock;
import dev.portal.emulator.EmulatedDevice.Descriptors;
import dev.portal.emulator.EmulatedDevice.OpenFile;
import dev.portal.emulator.FaultInjector;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.hardware.fastrpc.DmaHeap;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Mapping;
import java.lang.foreign.MemorySegment;

/** A DMA heap (spec 1.11). */
final class HeapFile implements OpenFile {
    private static final int O_CLOEXEC = 0x80000;

    private final DeviceLock lock;
    private final DmaBufs buffers;
    private final FaultInjector faults;

    HeapFile(DeviceLock lock, DmaBufs buffers, FaultInjector faults) {
        this.lock = lock;
        this.buffers = buffers;
        this.faults = faults;
    }

    @Override
    public long ioctl(int request, MemorySegment argument, Descriptors kernel) {
        if (request != Fastrpc.DMA_HEAP_ALLOC) {
            return Answer.error((request & 0xff) == 0 ? Errno.ENOTTY : Errno.EINVAL);
        }
        lock.lock();
        try {
            MemorySegment own = MemorySegment.ofArray(new long[3]);
            MemorySegment.copy(argument, 0, own, 0, own.byteSize());
            long answer = allocate(new DmaHeap(own), kernel);
            MemorySegment.copy(own, 0, argument, 0, own.byteSize());
            return answer;
        } finally {
            lock.unlock();
        }
    }

    private long allocate(DmaHeap args, Descriptors kernel) {
        if (args.fd() != 0
                || (args.fdFlags() & ~Fastrpc.DMA_HEAP_VALID_FD_FLAGS) != 0
                || args.heapFlags() != Fastrpc.DMA_HEAP_VALID_HEAP_FLAGS
                || args.len() == 0) {
            return Answer.error(Errno.EINVAL);
        }
        boolean absurd = args.len() < 0 || args.len() > Long.MAX_VALUE - AddressSpace.PAGE;
        DmaBuf buffer = absurd ? null : buffers.make(AddressSpace.pages(args.len()), null);
        if (buffer == null) {
            return Answer.error(Errno.ENOMEM);
        }
        boolean closeOnExec = (args.fdFlags() & O_CLOEXEC) != 0;
        int fd = faults.at(Kind.NO_DESCRIPTOR).isPresent()
                ? -1
                : kernel.install(new DmaBufFile(lock, buffers, buffer), closeOnExec);
        if (fd < 0) {
            buffers.release(buffer);
            return Answer.error(Errno.EMFILE);
        }
        args.fd(fd);
        return Answer.of(0);
    }

    @Override
    public Mapping mmap(long offset, long lengthBytes, int protection) {
        return Mapping.error(Errno.ENODEV);
    }

    @Override
    public void munmap(MemorySegment mapping) {}

    @Override
    public void close() {}
}
