package dev.portal.kernel;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Linux, through the C library and the foreign function interface. The only native code beside the speech libraries.
 *
 * <p>Each call captures errno as the library left it; calls whose arguments are integers and segments allocate nothing.
 * Any thread may call any method; a blocking call pins a virtual thread, so use platform threads.
 */
public final class LinuxKernel implements Kernel {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup LIBRARY = LINKER.defaultLookup();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
    private static final VarHandle CAPTURED_ERRNO =
            CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno")).withInvokeExactBehavior();

    private static final MethodHandle OPEN =
            variadic("open", 2, FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
    private static final MethodHandle OPENAT =
            variadic("openat", 3, FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
    private static final MethodHandle FCNTL =
            variadic("fcntl", 2, FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle IOCTL =
            variadic("ioctl", 2, FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS));
    private static final MethodHandle DUP = plain("dup", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle CLOSE = plain("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle FLOCK = plain("flock", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle READ =
            plain("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle FSTAT = plain("fstat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle MMAP =
            plain("mmap", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle MPROTECT =
            plain("mprotect", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final MethodHandle MUNMAP = plain("munmap", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle SYSCONF = plain("sysconf", FunctionDescriptor.of(JAVA_LONG, JAVA_INT));
    private static final MethodHandle SIGACTION =
            plain("sigaction", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    /** The pthread functions return the error instead of setting errno. */
    private static final MethodHandle PTHREAD_SELF = direct("pthread_self", FunctionDescriptor.of(JAVA_LONG));

    private static final MethodHandle PTHREAD_KILL =
            direct("pthread_kill", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle PTHREAD_SIGMASK =
            direct("pthread_sigmask", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));

    private static final int SC_PAGESIZE = 30;
    private static final long MAX_READ_BYTES = 1L << 30;
    private static final long MAP_FAILED = -1;
    private static final int SIG_SETMASK = 2;
    private static final int SIGNALS = 64;

    /** Raised by the thread's own instructions: SEGV, BUS, FPE, ILL, TRAP. */
    private static final int[] SYNCHRONOUS_SIGNALS = {11, 7, 8, 4, 5};

    /** Real-time, well above the two that glibc reserves; only a thread that blocked its signals takes it. */
    private static final int INTERRUPT_SIGNAL = 42;

    /** {@code struct sigaction} of glibc: handler at 0, mask at 8, flags at 136, restorer at 144. */
    private static final long SIGACTION_BYTES = 152;

    private static final long SIGSET_BYTES = 128;

    private final Abi abi;
    private final int pageSize;
    private final ThreadLocal<MemorySegment> callState =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(CALL_STATE));
    private final Optional<CacheMaintenance> cacheMaintenance;

    /** @throws UnsupportedOperationException on an architecture whose constants are not known here */
    public LinuxKernel() {
        abi = Abi.of(System.getProperty("os.arch"));
        pageSize = (int) sysconf(SC_PAGESIZE);
        installInterruptHandler();
        cacheMaintenance = abi == Abi.AARCH64 ? aarch64CacheMaintenance() : Optional.empty();
    }

    /** What differs between the architectures. */
    enum Abi {
        X86_64(0x10000, 0x20000, 144, 24, 28, 32),
        AARCH64(0x4000, 0x8000, 128, 16, 24, 28);

        private static final int O_NONBLOCK = 0x800;
        private static final int O_CLOEXEC = 0x80000;
        private static final long ST_DEV = 0;
        private static final long ST_INO = 8;
        private static final long ST_SIZE = 48;

        private final int directory;
        private final int noFollow;
        private final long statBytes;
        private final long stMode;
        private final long stUid;
        private final long stGid;

        Abi(int directory, int noFollow, long statBytes, long stMode, long stUid, long stGid) {
            this.directory = directory;
            this.noFollow = noFollow;
            this.statBytes = statBytes;
            this.stMode = stMode;
            this.stUid = stUid;
            this.stGid = stGid;
        }

        static Abi of(String architecture) {
            return switch (architecture) {
                case "amd64", "x86_64" -> X86_64;
                case "aarch64", "arm64" -> AARCH64;
                default ->
                    throw new UnsupportedOperationException(
                            "no system call constants for " + architecture + "; Portal knows x86-64 and aarch64");
            };
        }

        /** Bits of {@link Open} as this architecture numbers them. */
        int openFlags(int flags) {
            return (flags & 3)
                    | ((flags & Open.CLOEXEC) != 0 ? O_CLOEXEC : 0)
                    | ((flags & Open.NONBLOCK) != 0 ? O_NONBLOCK : 0)
                    | ((flags & Open.NOFOLLOW) != 0 ? noFollow : 0)
                    | ((flags & Open.DIRECTORY) != 0 ? directory : 0);
        }

        FileStatus status(MemorySegment stat) {
            return new FileStatus(
                    0,
                    stat.get(JAVA_INT, stMode),
                    stat.get(JAVA_INT, stUid),
                    stat.get(JAVA_INT, stGid),
                    stat.get(JAVA_LONG, ST_SIZE),
                    stat.get(JAVA_LONG, ST_DEV),
                    stat.get(JAVA_LONG, ST_INO));
        }
    }

    @Override
    public long open(String path, int flags) {
        MemorySegment state = callState.get();
        try (Arena arena = Arena.ofConfined()) {
            return answer((int) OPEN.invokeExact(state, arena.allocateFrom(path), abi.openFlags(flags), 0), state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public long openat(int dirFd, String path, int flags) {
        MemorySegment state = callState.get();
        try (Arena arena = Arena.ofConfined()) {
            return answer(
                    (int) OPENAT.invokeExact(state, dirFd, arena.allocateFrom(path), abi.openFlags(flags), 0), state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public long dup(int fd) {
        MemorySegment state = callState.get();
        try {
            return answer((int) DUP.invokeExact(state, fd), state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public long fcntl(int fd, int command, int argument) {
        MemorySegment state = callState.get();
        try {
            return answer((int) FCNTL.invokeExact(state, fd, command, argument), state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public long read(int fd, MemorySegment into) {
        MemorySegment state = callState.get();
        try {
            long bytes = Math.min(into.byteSize(), MAX_READ_BYTES);
            return answer((int) (long) READ.invokeExact(state, fd, into, bytes), state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public FileStatus fstat(int fd) {
        MemorySegment state = callState.get();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment stat = arena.allocate(abi.statBytes, Long.BYTES);
            long answer = answer((int) FSTAT.invokeExact(state, fd, stat), state);
            return Answer.failed(answer) ? FileStatus.error(Answer.errno(answer)) : abi.status(stat);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public List<String> list(String directory) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(Path.of(directory))) {
            for (Path entry : entries) {
                names.add(entry.getFileName().toString());
            }
        } catch (IOException e) {
            return List.of();
        }
        names.sort(null);
        return names;
    }

    @Override
    public long close(int fd) {
        MemorySegment state = callState.get();
        try {
            return answer((int) CLOSE.invokeExact(state, fd), state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public long ioctl(int fd, int request, MemorySegment argument) {
        MemorySegment state = callState.get();
        try {
            return answer((int) IOCTL.invokeExact(state, fd, request & 0xffff_ffffL, argument), state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    @SuppressWarnings("restricted")
    public Mapping mmap(int fd, long offset, long lengthBytes, int protection, int flags) {
        MemorySegment state = callState.get();
        try {
            MemorySegment address = (MemorySegment)
                    MMAP.invokeExact(state, MemorySegment.NULL, lengthBytes, protection, flags, fd, offset);
            return address.address() == MAP_FAILED
                    ? Mapping.error(errno(state))
                    : Mapping.of(address.reinterpret(lengthBytes));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public long mprotect(MemorySegment mapping, int protection) {
        MemorySegment state = callState.get();
        try {
            return answer((int) MPROTECT.invokeExact(state, mapping, mapping.byteSize(), protection), state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public long munmap(MemorySegment mapping) {
        MemorySegment state = callState.get();
        try {
            return answer((int) MUNMAP.invokeExact(state, mapping, mapping.byteSize()), state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public boolean exists(String path) {
        return Files.exists(Path.of(path));
    }

    @Override
    public Optional<String> readText(String path) {
        try {
            return Optional.of(new String(Files.readAllBytes(Path.of(path)), StandardCharsets.UTF_8));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Override
    public long flock(int fd, int operation) {
        MemorySegment state = callState.get();
        try {
            return answer((int) FLOCK.invokeExact(state, fd, operation), state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public int pageSize() {
        return pageSize;
    }

    @Override
    public Optional<CacheMaintenance> cacheMaintenance() {
        return cacheMaintenance;
    }

    @Override
    public long threadHandle() {
        try {
            return (long) PTHREAD_SELF.invokeExact();
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public long blockSignals() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment blocked = arena.allocate(SIGSET_BYTES, Long.BYTES);
            long mask = -1L;
            for (int signal : SYNCHRONOUS_SIGNALS) {
                mask &= ~bit(signal);
            }
            blocked.set(JAVA_LONG, 0, mask & ~bit(INTERRUPT_SIGNAL));
            return threadAnswer((int) PTHREAD_SIGMASK.invokeExact(SIG_SETMASK, blocked, MemorySegment.NULL));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public long interrupt(long threadHandle) {
        try {
            return threadAnswer((int) PTHREAD_KILL.invokeExact(threadHandle, INTERRUPT_SIGNAL));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * A handler that does nothing, without SA_RESTART, so that the signal makes a blocking call return EINTR. Any
     * harmless function of the library that takes an int serves: no upcall into Java is needed.
     */
    private void installInterruptHandler() {
        MemorySegment state = callState.get();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment action = arena.allocate(SIGACTION_BYTES, Long.BYTES);
            action.set(ADDRESS, 0, find("abs"));
            long answer =
                    answer((int) SIGACTION.invokeExact(state, INTERRUPT_SIGNAL, action, MemorySegment.NULL), state);
            if (Answer.failed(answer)) {
                throw new IllegalStateException("sigaction(" + INTERRUPT_SIGNAL + "): " + Answer.describe(answer));
            }
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** The code in a mapping of its own: written once, made executable by one mprotect, never written again. */
    private Optional<CacheMaintenance> aarch64CacheMaintenance() {
        Mapping code = mmap(-1, 0, pageSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
        if (code.errno() != 0) {
            return Optional.empty();
        }
        Aarch64CacheCode.write(code.memory());
        if (Answer.failed(mprotect(code.memory(), PROT_READ | PROT_EXEC))) {
            // A hardened system may deny executable mappings; the driver's sync ioctl serves instead.
            munmap(code.memory());
            return Optional.empty();
        }
        FunctionDescriptor lines = FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_LONG);
        return Optional.of(new Aarch64CacheCode(
                code(code.memory(), Aarch64CacheCode.CLEAN_OFFSET, lines),
                code(code.memory(), Aarch64CacheCode.CLEAN_INVALIDATE_OFFSET, lines),
                code(code.memory(), Aarch64CacheCode.CACHE_TYPE_OFFSET, FunctionDescriptor.of(JAVA_LONG))));
    }

    @SuppressWarnings("restricted")
    private static MethodHandle code(MemorySegment page, long offset, FunctionDescriptor type) {
        return LINKER.downcallHandle(page.asSlice(offset), type, Linker.Option.critical(false));
    }

    private long sysconf(int name) {
        MemorySegment state = callState.get();
        try {
            return (long) SYSCONF.invokeExact(state, name);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static long answer(int returned, MemorySegment state) {
        return returned == -1 ? Answer.error(errno(state)) : Answer.of(returned);
    }

    private static long threadAnswer(int returned) {
        return returned == 0 ? Answer.of(0) : Answer.error(returned);
    }

    private static int errno(MemorySegment state) {
        return (int) CAPTURED_ERRNO.get(state, 0L);
    }

    private static long bit(int signal) {
        if (signal < 1 || signal > SIGNALS) {
            throw new AssertionError("signal " + signal);
        }
        return 1L << (signal - 1);
    }

    private static MemorySegment find(String name) {
        return LIBRARY.find(name)
                .orElseThrow(() -> new UnsupportedOperationException(
                        "the C library has no " + name + "; Portal needs Linux with glibc 2.33 or newer"));
    }

    @SuppressWarnings("restricted")
    private static MethodHandle variadic(String name, int firstVariadic, FunctionDescriptor type) {
        return LINKER.downcallHandle(find(name), type, ERRNO, Linker.Option.firstVariadicArg(firstVariadic));
    }

    @SuppressWarnings("restricted")
    private static MethodHandle plain(String name, FunctionDescriptor type) {
        return LINKER.downcallHandle(find(name), type, ERRNO);
    }

    @SuppressWarnings("restricted")
    private static MethodHandle direct(String name, FunctionDescriptor type) {
        return LINKER.downcallHandle(find(name), type);
    }

    /** A method handle declares Throwable; what it throws is our own mistake, or the caller's. */
    private static RuntimeException unexpected(Throwable thrown) {
        if (thrown instanceof RuntimeException mistake) {
            return mistake;
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        throw new AssertionError("a system call threw", thrown);
    }
}
