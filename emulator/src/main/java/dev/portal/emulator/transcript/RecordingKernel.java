package dev.portal.emulator.transcript;

import dev.portal.base.Clock;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.InvokeArgs;
import dev.portal.hardware.fastrpc.Scalars;
import dev.portal.kernel.Answer;
import dev.portal.kernel.CacheMaintenance;
import dev.portal.kernel.FileStatus;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Mapping;
import dev.portal.kernel.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Passes every call on and keeps the last ones, with all the bytes that a replay needs: structs before and after, the
 * inline buffers of an invoke, a DMA-BUF's content where a sync makes it visible. For the machine's kernel as for the
 * emulator's.
 *
 * <p>Any thread; calls that overlap stand in the order in which they ended.
 */
public final class RecordingKernel implements Kernel {
    private static final int MOST_BYTES = 1 << 24;

    private final Kernel kernel;
    private final Clock clock;
    private final int capacity;
    private final Deque<Entry> entries = new ArrayDeque<>();
    private final Map<Integer, MemorySegment> mappings = new HashMap<>();
    private long count;

    /** @param capacity how many calls are kept */
    public RecordingKernel(Kernel kernel, Clock clock, int capacity) {
        this.kernel = kernel;
        this.clock = clock;
        this.capacity = capacity;
    }

    /** The calls that are kept, oldest first. */
    public synchronized List<Entry> entries() {
        return new ArrayList<>(entries);
    }

    /** A line for each call that is kept. */
    public String dump() {
        StringBuilder text = new StringBuilder();
        entries().forEach(entry -> text.append(entry).append('\n'));
        return text.toString();
    }

    private synchronized void keep(String call, Map<String, String> words) {
        if (entries.size() == capacity) {
            entries.removeFirst();
        }
        Map<String, String> all = new LinkedHashMap<>();
        all.put("n", Long.toHexString(count++));
        all.put("t", Long.toHexString(clock.nanos()));
        all.put("thread", Long.toHexString(Thread.currentThread().threadId()));
        all.putAll(words);
        entries.addLast(new Entry(call, all));
    }

    private static Map<String, String> words(String... pairs) {
        Map<String, String> words = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            words.put(pairs[i], pairs[i + 1]);
        }
        return words;
    }

    private long answered(String call, Map<String, String> words, long answer) {
        words.put("ret", Integer.toHexString(Answer.value(answer)));
        words.put("errno", Integer.toHexString(Answer.errno(answer)));
        keep(call, words);
        return answer;
    }

    private static String hex(MemorySegment memory, long bytes) {
        long size = Math.min(Math.min(bytes, memory.byteSize()), MOST_BYTES);
        return HexFormat.of().formatHex(memory.asSlice(0, size).toArray(ValueLayout.JAVA_BYTE));
    }

    @Override
    public long open(String path, int flags) {
        return answered("open", words("path", path, "flags", Integer.toHexString(flags)), kernel.open(path, flags));
    }

    @Override
    public long dup(int fd) {
        return answered("dup", words("fd", Integer.toHexString(fd)), kernel.dup(fd));
    }

    @Override
    public long fcntl(int fd, int command, int argument) {
        long answer = kernel.fcntl(fd, command, argument);
        return command == F_DUPFD_CLOEXEC ? answered("dup", words("fd", Integer.toHexString(fd)), answer) : answer;
    }

    @Override
    public long close(int fd) {
        synchronized (this) {
            mappings.remove(fd);
        }
        return answered("close", words("fd", Integer.toHexString(fd)), kernel.close(fd));
    }

    @Override
    public long ioctl(int fd, int request, MemorySegment argument) {
        int size = request >>> 16 & 0x3fff;
        Map<String, String> words = words(
                "fd", Integer.toHexString(fd), "request", Integer.toHexString(request), "in", hex(argument, size));
        boolean invoke = request == Fastrpc.INVOKE;
        if (invoke) {
            buffers(argument, words, true);
        }
        synced(fd, request, argument, words, true);
        long answer = kernel.ioctl(fd, request, argument);
        words.put("out", hex(argument, size));
        if (invoke) {
            buffers(argument, words, false);
        }
        synced(fd, request, argument, words, false);
        return answered("ioctl", words, answer);
    }

    /** The argument array and the inline buffers of an invoke. */
    private static void buffers(MemorySegment header, Map<String, String> words, boolean before) {
        int scalars = header.get(ValueLayout.JAVA_INT_UNALIGNED, 4);
        long address = header.get(ValueLayout.JAVA_LONG_UNALIGNED, 8);
        int count = Scalars.count(scalars);
        if (count == 0 || address == 0) {
            return;
        }
        MemorySegment args = NativeMemory.at(address, count * InvokeArgs.LAYOUT.byteSize());
        if (before) {
            words.put("args", hex(args, args.byteSize()));
        }
        StringBuilder all = new StringBuilder();
        int from = before ? 0 : Scalars.inBuffers(scalars);
        int to = before ? Scalars.inBuffers(scalars) : Scalars.buffers(scalars);
        for (int i = from; i < to; i++) {
            InvokeArgs arg = InvokeArgs.at(args, i);
            boolean inline = arg.fd() == 0 || arg.fd() == Fastrpc.NO_FD;
            if (inline && arg.length() > 0 && arg.length() <= MOST_BYTES && arg.ptr() != 0) {
                all.append(all.isEmpty() ? "" : ",").append(i).append(':');
                all.append(hex(NativeMemory.at(arg.ptr(), arg.length()), arg.length()));
            }
        }
        words.put(before ? "inline" : "outline", all.toString());
    }

    /** A buffer's bytes, where the process says that it has written them, or is about to read them. */
    private void synced(int fd, int request, MemorySegment argument, Map<String, String> words, boolean before) {
        if (request != Fastrpc.DMA_BUF_SYNC) {
            return;
        }
        long flags = argument.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
        boolean written = (flags & Fastrpc.SYNC_END) != 0 && (flags & Fastrpc.SYNC_WRITE) != 0;
        boolean toRead = (flags & Fastrpc.SYNC_END) == 0 && (flags & Fastrpc.SYNC_READ) != 0;
        MemorySegment memory;
        synchronized (this) {
            memory = mappings.get(fd);
        }
        if (memory != null && (before ? written : toRead)) {
            words.put("data", hex(memory, memory.byteSize()));
        }
    }

    @Override
    public Mapping mmap(int fd, long offset, long lengthBytes, int protection, int flags) {
        Mapping mapping = kernel.mmap(fd, offset, lengthBytes, protection, flags);
        if (mapping.errno() == 0 && fd >= 0) {
            synchronized (this) {
                mappings.put(fd, mapping.memory());
            }
        }
        keep(
                "mmap",
                words(
                        "fd",
                        Integer.toHexString(fd),
                        "offset",
                        Long.toHexString(offset),
                        "length",
                        Long.toHexString(lengthBytes),
                        "address",
                        Long.toHexString(mapping.memory().address()),
                        "errno",
                        Integer.toHexString(mapping.errno())));
        return mapping;
    }

    @Override
    public long munmap(MemorySegment mapping) {
        synchronized (this) {
            mappings.values().removeIf(memory -> memory.address() == mapping.address());
        }
        return answered("munmap", words("address", Long.toHexString(mapping.address())), kernel.munmap(mapping));
    }

    @Override
    public boolean exists(String path) {
        return kernel.exists(path);
    }

    @Override
    public long openat(int dirFd, String path, int flags) {
        return kernel.openat(dirFd, path, flags);
    }

    @Override
    public long read(int fd, MemorySegment into) {
        return kernel.read(fd, into);
    }

    @Override
    public FileStatus fstat(int fd) {
        return kernel.fstat(fd);
    }

    @Override
    public List<String> list(String directory) {
        return kernel.list(directory);
    }

    @Override
    public long mprotect(MemorySegment mapping, int protection) {
        return kernel.mprotect(mapping, protection);
    }

    @Override
    public Optional<String> readText(String path) {
        return kernel.readText(path);
    }

    @Override
    public long flock(int fd, int operation) {
        return kernel.flock(fd, operation);
    }

    @Override
    public int pageSize() {
        return kernel.pageSize();
    }

    @Override
    public Optional<CacheMaintenance> cacheMaintenance() {
        return kernel.cacheMaintenance();
    }

    @Override
    public long threadHandle() {
        return kernel.threadHandle();
    }

    @Override
    public long blockSignals() {
        return kernel.blockSignals();
    }

    @Override
    public long interrupt(long threadHandle) {
        return kernel.interrupt(threadHandle);
    }
}
