package dev.portal.kernel;

import dev.portal.base.NodeProbe;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * What the drivers need of the operating system. {@link LinuxKernel} is the machine; the emulator implements the same
 * interface and receives the same bytes.
 *
 * <p>Calls that return a {@code long} give the kernel's answer as it is, packed by {@link Answer}: the {@code int} that
 * the call returned and, when that is -1, the errno. Nothing here throws because an answer is negative: FastRPC returns
 * large negative DSP codes with errno untouched, and the layer above interprets them. Calls whose arguments are integers
 * and segments do not allocate.
 *
 * <p>Every method may be called by any thread; calls block as the system call blocks. Use platform threads.
 */
public interface Kernel extends NodeProbe {
    /** {@code PROT_*}: the same on every Linux architecture. */
    int PROT_READ = 1;

    int PROT_WRITE = 2;
    int PROT_EXEC = 4;

    /** {@code MAP_*}: the same on every architecture that Portal runs on. */
    int MAP_SHARED = 1;

    int MAP_PRIVATE = 2;
    int MAP_ANONYMOUS = 0x20;

    /** {@link #fcntl} commands. */
    int F_GETFD = 1;

    int F_SETFD = 2;
    int F_DUPFD_CLOEXEC = 1030;
    int FD_CLOEXEC = 1;

    /** {@link #flock} operations. */
    int LOCK_SHARED = 1;

    int LOCK_EXCLUSIVE = 2;
    int LOCK_NONBLOCK = 4;
    int LOCK_UNLOCK = 8;

    /** Directory descriptor that stands for the working directory. */
    int AT_FDCWD = -100;

    /**
     * Opens a file.
     *
     * @param flags bits of {@link Open}, which are Portal's own: the numbers of Linux differ by architecture
     * @return the descriptor, or -1 and the errno
     */
    long open(String path, int flags);

    /** Opens {@code path} relative to the directory {@code dirFd}; see {@link #open}. */
    long openat(int dirFd, String path, int flags);

    long dup(int fd);

    /** {@code fcntl} with an integer argument. */
    long fcntl(int fd, int command, int argument);

    /** Reads up to {@code into.byteSize()} bytes (at most 1 GiB); 0 is the end of the file. */
    long read(int fd, MemorySegment into);

    /** Owner, mode, size and identity of an open file. */
    FileStatus fstat(int fd);

    /** Names in a directory, sorted, without {@code .} and {@code ..}; empty when it cannot be read. */
    List<String> list(String directory);

    long close(int fd);

    /**
     * One ioctl with a pointer argument.
     *
     * @param request the request number; only the low 32 bits count
     * @param argument native memory of at least the size that the request number encodes; read and written in place. It
     *     must stay alive until the call returns
     */
    long ioctl(int fd, int request, MemorySegment argument);

    /**
     * Maps memory.
     *
     * @param fd the descriptor, or -1 with {@link #MAP_ANONYMOUS}
     * @return the mapping, valid until {@link #munmap}; its lifetime is the caller's to keep
     */
    Mapping mmap(int fd, long offset, long lengthBytes, int protection, int flags);

    /** Changes the protection of a whole mapping that {@link #mmap} made. */
    long mprotect(MemorySegment mapping, int protection);

    /** Unmaps a whole mapping that {@link #mmap} made. Access after this is an error of the caller. */
    long munmap(MemorySegment mapping);

    /** The text of a small file of sysfs, procfs or the device tree; empty when it cannot be read. */
    Optional<String> readText(String path);

    /** Locks or unlocks a file: {@link #LOCK_EXCLUSIVE} and so on. */
    long flock(int fd, int operation);

    /** Bytes in a page. */
    int pageSize();

    /**
     * Cache maintenance from user space; empty where the processor or the system does not offer it. Then the driver's
     * own sync ioctl is the only way.
     */
    Optional<CacheMaintenance> cacheMaintenance();

    /** A handle of the calling thread for {@link #interrupt}. */
    long threadHandle();

    /**
     * Blocks every asynchronous signal in the calling thread but the one that {@link #interrupt} sends, for as long as
     * the thread lives. Synchronous ones (SEGV, BUS, FPE, ILL, TRAP) stay as they are.
     */
    long blockSignals();

    /**
     * Makes the blocking call of a thread that called {@link #blockSignals} return -1 with EINTR.
     *
     * @param threadHandle what {@link #threadHandle} returned in that thread, which must still run
     */
    long interrupt(long threadHandle);
}
