package dev.portal.hexagon;

import dev.portal.hardware.fastrpc.AllocDmaBuf;
import dev.portal.hardware.fastrpc.Capability;
import dev.portal.hardware.fastrpc.DmaBufSync;
import dev.portal.hardware.fastrpc.DmaHeap;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.InitCreate;
import dev.portal.hardware.fastrpc.Invoke;
import dev.portal.hardware.fastrpc.InvokeArgs;
import dev.portal.hardware.fastrpc.MemMap;
import dev.portal.hardware.fastrpc.Scalars;
import dev.portal.kernel.Answer;
import dev.portal.kernel.CacheMaintenance;
import dev.portal.kernel.Errno;
import dev.portal.kernel.FileStatus;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Mapping;
import dev.portal.kernel.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/**
 * Answers what a test tells it to, and writes down what it was asked. What the driver and the DSP really do is the
 * emulator's affair, and tested against it in the verification module.
 */
final class ScriptedKernel implements Kernel {
    /** What the DSP answers to a call. */
    @FunctionalInterface
    interface Dsp {
        /** Returns the ioctl's answer; arguments are read and written in place. */
        long invoke(int handle, int scalars, List<MemorySegment> arguments);
    }

    private static final int PAGE = 4096;

    final Map<String, Integer> openErrors = new LinkedHashMap<>();
    final List<String> nodes =
            new ArrayList<>(List.of(Fastrpc.NODE_CDSP_SECURE, Fastrpc.NODE_CDSP, Fastrpc.DMA_HEAP_SYSTEM));
    final Map<Integer, Long> answers = new HashMap<>();
    final List<String> log = Collections.synchronizedList(new ArrayList<>());
    final Map<Integer, String> open = Collections.synchronizedMap(new TreeMap<>());
    final Map<Long, Integer> dspMaps = Collections.synchronizedMap(new TreeMap<>());
    final Map<Integer, MemorySegment> bufferMemory = Collections.synchronizedMap(new HashMap<>());
    final Map<String, byte[]> files = new HashMap<>();
    final Map<Integer, Integer> positions = new HashMap<>();

    int firstFd = 10;
    boolean oldCapabilities;
    int mappings;
    Dsp dsp = (handle, scalars, arguments) -> Answer.of(0);
    LongConsumer interrupt = thread -> {};
    private int nextFd = -1;
    private long nextDspAddress = 0xc000_0000L;

    /** Descriptors count from {@link #firstFd} again. */
    void restart() {
        nextFd = -1;
    }

    private int newFd(String what) {
        nextFd = nextFd < 0 ? firstFd : nextFd + 1;
        open.put(nextFd, what);
        return nextFd;
    }

    @Override
    public synchronized long open(String path, int flags) {
        log.add("open " + path);
        Integer error = openErrors.get(path);
        if (error != null) {
            return Answer.error(error);
        }
        if (!nodes.contains(path) && !files.containsKey(path)) {
            return Answer.error(Errno.ENOENT);
        }
        return Answer.of(newFd(path));
    }

    @Override
    public synchronized long fcntl(int fd, int command, int argument) {
        log.add("fcntl " + command + " of " + open.get(fd));
        return command == F_DUPFD_CLOEXEC
                ? Answer.of(newFd(Objects.requireNonNull(open.get(fd)) + (fd == 0 ? "" : " copy")))
                : Answer.of(0);
    }

    @Override
    public synchronized long close(int fd) {
        String what = open.remove(fd);
        if (what != null && what.startsWith("/dev/fastrpc")) {
            // With its session a map goes too.
            dspMaps.values().removeIf(buffer -> !open.containsKey(buffer));
        }
        log.add("close " + what);
        return what == null ? Answer.error(Errno.EBADF) : Answer.of(0);
    }

    @Override
    public long ioctl(int fd, int request, MemorySegment argument) {
        if (request == Fastrpc.INVOKE) {
            return invoke(argument);
        }
        synchronized (this) {
            if (!open.containsKey(fd)) {
                return Answer.error(Errno.EBADF);
            }
            String detail = request == Fastrpc.DMA_BUF_SYNC ? " " + new DmaBufSync(argument).flags() : "";
            log.add(Fastrpc.requestName(request) + detail);
            Long scripted = answers.get(request);
            return scripted != null ? scripted : control(request, argument);
        }
    }

    private long control(int request, MemorySegment argument) {
        if (request == Fastrpc.DMA_HEAP_ALLOC) {
            DmaHeap heap = new DmaHeap(argument);
            heap.fd(newFd("heap buffer"));
        } else if (request == Fastrpc.ALLOC_DMA_BUFF) {
            new AllocDmaBuf(argument).fd(newFd("session buffer"));
        } else if (request == Fastrpc.MEM_MAP) {
            MemMap map = new MemMap(argument);
            map.vaddrout(nextDspAddress);
            dspMaps.put(nextDspAddress, map.fd());
            nextDspAddress += map.length() + PAGE;
        } else if (request == Fastrpc.MEM_UNMAP) {
            dspMaps.remove(new dev.portal.hardware.fastrpc.MemUnmap(argument).vaddr());
        } else if (request == Fastrpc.GET_DSP_INFO) {
            Capability capability = new Capability(argument);
            if (oldCapabilities) {
                capability.domain(0x68);
            } else {
                capability.capability(0x68);
            }
        } else if (request == Fastrpc.INIT_CREATE) {
            InitCreate create = new InitCreate(argument);
            log.add("process attrs " + create.attrs() + " of " + create.filelen() + " bytes");
        }
        return Answer.of(0);
    }

    private long invoke(MemorySegment argument) {
        Invoke invoke = new Invoke(argument);
        List<MemorySegment> arguments = new ArrayList<>();
        int count = Scalars.count(invoke.sc());
        if (count > 0) {
            MemorySegment all = NativeMemory.at(invoke.args(), count * InvokeArgs.LAYOUT.byteSize());
            for (int i = 0; i < count; i++) {
                InvokeArgs one = InvokeArgs.at(all, i);
                arguments.add(one.length() == 0 ? MemorySegment.NULL : NativeMemory.at(one.ptr(), one.length()));
            }
        }
        log.add("INVOKE " + Scalars.describeCall(invoke.handle(), invoke.sc(), invoke.handle() == ScriptedDsp.HANDLE));
        return dsp.invoke(invoke.handle(), invoke.sc(), arguments);
    }

    @Override
    public synchronized Mapping mmap(int fd, long offset, long lengthBytes, int protection, int flags) {
        mappings++;
        log.add("mmap " + open.get(fd));
        MemorySegment memory = Arena.ofAuto().allocate(lengthBytes, PAGE);
        bufferMemory.put(fd, memory);
        return Mapping.of(memory);
    }

    @Override
    public synchronized long munmap(MemorySegment mapping) {
        mappings--;
        log.add("munmap");
        return Answer.of(0);
    }

    @Override
    public synchronized long read(int fd, MemorySegment into) {
        byte[] bytes = Objects.requireNonNull(files.get(open.get(fd)));
        int at = positions.merge(fd, 0, Integer::sum);
        int count = (int) Math.min(into.byteSize(), bytes.length - at);
        MemorySegment.copy(bytes, at, into, ValueLayout.JAVA_BYTE, 0, count);
        positions.put(fd, at + count);
        return Answer.of(count);
    }

    @Override
    public synchronized FileStatus fstat(int fd) {
        byte[] bytes = files.get(open.get(fd));
        return bytes == null ? FileStatus.error(Errno.EBADF) : new FileStatus(0, 0100644, 0, 0, bytes.length, 1, 1);
    }

    @Override
    public long openat(int dirFd, String path, int flags) {
        return open("/" + path, flags);
    }

    @Override
    public boolean exists(String path) {
        return nodes.contains(path) || files.containsKey(path);
    }

    void file(String path, String text) {
        files.put(path, text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public List<String> list(String directory) {
        return List.of();
    }

    @Override
    public int pageSize() {
        return PAGE;
    }

    @Override
    public long threadHandle() {
        return Thread.currentThread().threadId();
    }

    @Override
    public long blockSignals() {
        log.add("signals blocked in " + Thread.currentThread().getName());
        return Answer.of(0);
    }

    @Override
    public long interrupt(long threadHandle) {
        interrupt.accept(threadHandle);
        return Answer.of(0);
    }

    @Override
    public Optional<String> readText(String path) {
        return Optional.empty();
    }

    @Override
    public Optional<CacheMaintenance> cacheMaintenance() {
        return Optional.empty();
    }

    @Override
    public long dup(int fd) {
        throw new AssertionError("a duplicate without close-on-exec");
    }

    @Override
    public long mprotect(MemorySegment mapping, int protection) {
        throw new AssertionError("not used");
    }

    @Override
    public long flock(int fd, int operation) {
        throw new AssertionError("not used");
    }
}
