package dev.portal.hexagon;

import dev.portal.hardware.fastrpc.AllocDmaBuf;
import dev.portal.hardware.fastrpc.DmaHeap;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Mapping;
import dev.portal.kernel.Open;
import java.lang.foreign.Arena;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Where buffers come from: the configured heaps of {@code /dev/dma_heap} in order, then the session's own ALLOC_DMA_BUFF
 * (spec 7.2). A heap that is missing or closed to this user is passed over, and so is one that has no memory left.
 *
 * <p>Guarded by the session's lock.
 */
final class DmaAllocator implements AutoCloseable {
    /** {@link DmaBuffer#heap()} of the session's own allocator. */
    static final String SESSION = "ALLOC_DMA_BUFF";

    private static final int SMALLEST_PAGE = 4096;
    private static final int ABOVE_STANDARD_STREAMS = 3;

    private final Kernel kernel;
    private final List<String> names;
    private final Map<String, Integer> open = new LinkedHashMap<>();

    DmaAllocator(Kernel kernel, List<String> names) {
        this.kernel = kernel;
        this.names = names;
    }

    /**
     * Bytes rounded up to pages. The limit is checked first, so that rounding cannot overflow.
     *
     * @throws IllegalArgumentException for less than one byte, or more than {@link DmaBuffer#MAX_DMA_ALLOC}
     */
    static long rounded(long bytes, int pageSize) {
        if (bytes <= 0 || bytes > DmaBuffer.MAX_DMA_ALLOC) {
            throw new IllegalArgumentException("a DMA buffer of " + bytes + " bytes; 1 to " + DmaBuffer.MAX_DMA_ALLOC
                    + " (256 MB) are possible, so split the tensor or the model");
        }
        long page = Math.max(SMALLEST_PAGE, pageSize);
        return (bytes + page - 1) / page * page;
    }

    DmaBuffer allocate(FastRpcSession session, int sessionFd, long bytes, boolean coherent) {
        long size = rounded(bytes, kernel.pageSize());
        if (!coherent) {
            for (String name : names) {
                OptionalInt fd = fromHeap(name, size);
                if (fd.isPresent()) {
                    return map(session, fd.getAsInt(), name, size);
                }
            }
        }
        return map(session, fromSession(session, sessionFd, size), SESSION, size);
    }

    private OptionalInt fromHeap(String name, long size) {
        Integer heap = open.get(name);
        if (heap == null) {
            String path = Fastrpc.DMA_HEAP_DIRECTORY + "/" + name;
            long answer = kernel.open(path, Open.DEVICE);
            heap = Answer.failed(answer) ? -1 : Answer.value(answer);
            open.put(name, heap);
        }
        if (heap < 0) {
            return OptionalInt.empty();
        }
        try (Arena arena = Arena.ofConfined()) {
            DmaHeap allocation = new DmaHeap(arena.allocate(DmaHeap.LAYOUT));
            allocation.len(size);
            allocation.fdFlags(Fastrpc.DMA_HEAP_FD_FLAGS_RDWR_CLOEXEC);
            long answer = kernel.ioctl(heap, Fastrpc.DMA_HEAP_ALLOC, allocation.segment());
            if (!Answer.failed(answer)) {
                return OptionalInt.of(notZero(allocation.fd()));
            }
            if (Answer.errno(answer) == Errno.ENOMEM) {
                return OptionalInt.empty();
            }
            throw new HexagonException.Refused(
                    "DMA_HEAP_ALLOC of " + size + " bytes from " + name, Answer.errno(answer), "check ulimit -n");
        }
    }

    private int fromSession(FastRpcSession session, int fd, long size) {
        try (Arena arena = Arena.ofConfined()) {
            AllocDmaBuf allocation = new AllocDmaBuf(arena.allocate(AllocDmaBuf.LAYOUT));
            allocation.size(size);
            long answer = kernel.ioctl(fd, Fastrpc.ALLOC_DMA_BUFF, allocation.segment());
            if (!Outcome.succeeded(answer)) {
                throw session.failure("ALLOC_DMA_BUFF of " + size + " bytes", answer);
            }
            int buffer = notZero(allocation.fd());
            // This allocator's descriptors are inherited by children unless told otherwise (spec 1.6).
            kernel.fcntl(buffer, Kernel.F_SETFD, Kernel.FD_CLOEXEC);
            return buffer;
        }
    }

    /** Descriptor 0 reads as "no descriptor" in an invoke, so such a buffer could never be passed (spec 1.6, 9). */
    private int notZero(int fd) {
        if (fd != 0) {
            return fd;
        }
        long copy = kernel.fcntl(fd, Kernel.F_DUPFD_CLOEXEC, ABOVE_STANDARD_STREAMS);
        kernel.close(fd);
        if (Answer.failed(copy)) {
            throw new HexagonException.Refused("duplicating descriptor 0", Answer.errno(copy), "check ulimit -n");
        }
        return Answer.value(copy);
    }

    private DmaBuffer map(FastRpcSession session, int fd, String heap, long size) {
        Mapping mapping = kernel.mmap(fd, 0, size, Kernel.PROT_READ | Kernel.PROT_WRITE, Kernel.MAP_SHARED);
        if (mapping.errno() != 0) {
            kernel.close(fd);
            throw new HexagonException.Refused(
                    "mmap of " + size + " bytes of " + heap, mapping.errno(), "the process may be out of addresses");
        }
        return new DmaBuffer(session, fd, heap, mapping.memory());
    }

    @Override
    public void close() {
        for (int fd : open.values()) {
            if (fd >= 0) {
                kernel.close(fd);
            }
        }
        open.clear();
    }
}
