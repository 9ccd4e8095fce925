package dev.portal.emulator.transcript;

import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.InvokeArgs;
import dev.portal.hardware.fastrpc.RemotectlWire;
import dev.portal.hardware.fastrpc.Scalars;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Mapping;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Makes the calls of a transcript on a kernel and compares its answers. What the kernel chooses is translated: descriptors,
 * addresses of mappings, addresses on the DSP (also inside the arguments of a call), handles of modules. Calls that wait by
 * design, those of a listener, are left out.
 *
 * <p>One thread.
 */
public final class Replay implements AutoCloseable {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /** Memory of the recording and of this run. */
    private record Range(long length, long now) {}

    private final Kernel kernel;
    private final Map<Integer, Integer> descriptors = new HashMap<>();
    private final Map<Long, MemorySegment> mappings = new HashMap<>();
    private final Map<Integer, MemorySegment> mappedBy = new HashMap<>();
    private final TreeMap<Long, Range> addresses = new TreeMap<>();
    private final TreeMap<Long, Range> dspAddresses = new TreeMap<>();
    private final Map<Integer, Integer> handles = new HashMap<>();
    private final List<String> differences = new ArrayList<>();

    private Replay(Kernel kernel) {
        this.kernel = kernel;
    }

    /**
     * Runs a transcript.
     *
     * @return a sentence for each call that was answered otherwise than in the recording; empty when none was
     */
    public static List<String> run(List<Entry> transcript, Kernel kernel) {
        try (Replay replay = new Replay(kernel)) {
            transcript.forEach(replay::step);
            return replay.differences;
        }
    }

    private void step(Entry entry) {
        switch (entry.call()) {
            case "open" -> {
                long answer = kernel.open(entry.text("path"), (int) entry.number("flags"));
                opened(entry, answer);
            }
            case "dup" -> opened(entry, kernel.fcntl(descriptor((int) entry.number("fd")), Kernel.F_DUPFD_CLOEXEC, 3));
            case "close" -> {
                int fd = (int) entry.number("fd");
                same(entry, kernel.close(descriptor(fd)));
                descriptors.remove(fd);
                mappedBy.remove(fd);
            }
            case "mmap" -> map(entry);
            case "munmap" -> {
                MemorySegment mapping = mappings.remove(entry.number("address"));
                addresses.remove(entry.number("address"));
                if (mapping != null) {
                    same(entry, kernel.munmap(mapping));
                }
            }
            case "ioctl" -> ioctl(entry);
            default -> differences.add("unknown call, left out: " + entry.call());
        }
    }

    private void opened(Entry entry, long answer) {
        if (Answer.errno(answer) != entry.number("errno")) {
            differ(entry, "errno " + entry.number("errno") + " then, " + Answer.describe(answer) + " now");
        }
        if (!Answer.failed(answer)) {
            descriptors.put((int) entry.number("ret"), Answer.value(answer));
        }
    }

    private int descriptor(int recorded) {
        return descriptors.getOrDefault(recorded, recorded);
    }

    private void same(Entry entry, long answer) {
        int value = (int) entry.number("ret");
        long errno = entry.number("errno");
        if (Answer.value(answer) != value || Answer.errno(answer) != errno) {
            String then = Answer.describe(errno == 0 ? Answer.of(value) : Answer.error((int) errno));
            differ(entry, then + " then, " + Answer.describe(answer) + " now");
        }
    }

    private void differ(Entry entry, String what) {
        String request = entry.call().equals("ioctl") ? " " + Fastrpc.requestName((int) entry.number("request")) : "";
        differences.add("call " + entry.number("n") + ", " + entry.call() + request + ": " + what);
    }

    private void map(Entry entry) {
        int fd = (int) entry.number("fd");
        long length = entry.number("length");
        Mapping mapping = kernel.mmap(
                descriptor(fd),
                entry.number("offset"),
                length,
                Kernel.PROT_READ | Kernel.PROT_WRITE,
                Kernel.MAP_SHARED);
        if (mapping.errno() != entry.number("errno")) {
            differ(entry, "errno " + entry.number("errno") + " then, " + mapping.errno() + " now");
        }
        if (mapping.errno() == 0) {
            long recorded = entry.number("address");
            mappings.put(recorded, mapping.memory());
            mappedBy.put(fd, mapping.memory());
            addresses.put(recorded, new Range(length, mapping.memory().address()));
        }
    }

    private static long translated(NavigableMap<Long, Range> ranges, long address) {
        Map.Entry<Long, Range> range = ranges.floorEntry(address);
        return range == null || address >= range.getKey() + range.getValue().length()
                ? address
                : address - range.getKey() + range.getValue().now();
    }

    private void ioctl(Entry entry) {
        int request = (int) entry.number("request");
        byte[] in = entry.bytes("in");
        if (request == Fastrpc.INVOKE) {
            invoke(entry, in);
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment struct = arena.allocate(Math.max(8, in.length), 8);
            MemorySegment.copy(MemorySegment.ofArray(in), 0, struct, 0, in.length);
            int fd = (int) entry.number("fd");
            inwards(request, struct);
            MemorySegment memory = mappedBy.get(fd);
            byte[] data = entry.bytes("data");
            boolean written = request == Fastrpc.DMA_BUF_SYNC && (struct.get(LONG, 0) & Fastrpc.SYNC_END) != 0;
            if (memory != null && written && data.length > 0) {
                MemorySegment.copy(MemorySegment.ofArray(data), 0, memory, 0, data.length);
            }
            long answer = kernel.ioctl(descriptor(fd), request, struct);
            same(entry, answer);
            outwards(request, struct, entry, answer);
            if (memory != null && request == Fastrpc.DMA_BUF_SYNC && !written && data.length > 0) {
                compare(
                        entry,
                        "the buffer",
                        data,
                        memory.asSlice(0, data.length).toArray(ValueLayout.JAVA_BYTE));
            }
        }
    }

    /** What the recording's kernel chose, in this kernel's terms. */
    private void inwards(int request, MemorySegment struct) {
        if (request == Fastrpc.INIT_CREATE) {
            struct.set(INT, 4, descriptor(struct.get(INT, 4)));
            struct.set(LONG, 16, translated(addresses, struct.get(LONG, 16)));
        } else if (request == Fastrpc.MEM_MAP) {
            struct.set(INT, 4, descriptor(struct.get(INT, 4)));
            struct.set(LONG, 16, translated(addresses, struct.get(LONG, 16)));
        } else if (request == Fastrpc.MEM_UNMAP) {
            struct.set(INT, 4, descriptor(struct.get(INT, 4)));
            struct.set(LONG, 8, translated(dspAddresses, struct.get(LONG, 8)));
        } else if (request == Fastrpc.MUNMAP) {
            struct.set(LONG, 0, translated(dspAddresses, struct.get(LONG, 0)));
        }
    }

    private void outwards(int request, MemorySegment struct, Entry entry, long answer) {
        MemorySegment then = MemorySegment.ofArray(entry.bytes("out"));
        if (answer != 0) {
            return;
        }
        if (request == Fastrpc.ALLOC_DMA_BUFF) {
            descriptors.put(then.get(INT, 0), struct.get(INT, 0));
        } else if (request == Fastrpc.DMA_HEAP_ALLOC) {
            descriptors.put(then.get(INT, 8), struct.get(INT, 8));
        } else if (request == Fastrpc.MEM_MAP) {
            dspAddresses.put(then.get(LONG, 32), new Range(then.get(LONG, 24), struct.get(LONG, 32)));
        } else if (request == Fastrpc.MMAP) {
            dspAddresses.put(then.get(LONG, 24), new Range(then.get(LONG, 16), struct.get(LONG, 24)));
        } else if (request == Fastrpc.GET_DSP_INFO) {
            compare(
                    entry,
                    "the capability",
                    then.toArray(ValueLayout.JAVA_BYTE),
                    struct.asSlice(0, then.byteSize()).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private void invoke(Entry entry, byte[] in) {
        MemorySegment recorded = MemorySegment.ofArray(in);
        int handle = recorded.get(INT, 0);
        int scalars = recorded.get(INT, 4);
        if (handle == Fastrpc.HANDLE_LISTENER || handle == Fastrpc.HANDLE_LISTENER1) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            byte[] array = entry.bytes("args");
            MemorySegment args = arena.allocate(Math.max(8, array.length), 8);
            MemorySegment.copy(MemorySegment.ofArray(array), 0, args, 0, array.length);
            Map<Integer, byte[]> given = entry.byArgument("inline");
            Map<Integer, byte[]> expected = entry.byArgument("outline");
            Map<Integer, MemorySegment> made = new HashMap<>();
            for (int i = 0; i < array.length / InvokeArgs.LAYOUT.byteSize(); i++) {
                InvokeArgs arg = InvokeArgs.at(args, i);
                byte[] bytes = given.getOrDefault(i, expected.getOrDefault(i, new byte[0]));
                if (bytes.length > 0) {
                    MemorySegment memory = arena.allocate(bytes.length, 8);
                    if (given.containsKey(i)) {
                        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, memory, 0, bytes.length);
                        insideInwards(memory);
                    }
                    arg.ptr(memory.address());
                    made.put(i, memory);
                } else {
                    arg.ptr(translated(addresses, arg.ptr()));
                    arg.fd(descriptor(arg.fd()));
                }
            }
            closing(handle, scalars, made);
            MemorySegment header = arena.allocate(16, 8);
            header.set(INT, 0, handles.getOrDefault(handle, handle));
            header.set(INT, 4, scalars);
            header.set(LONG, 8, array.length == 0 ? 0 : args.address());
            long answer = kernel.ioctl(descriptor((int) entry.number("fd")), Fastrpc.INVOKE, header);
            same(entry, answer);
            expected.forEach((index, bytes) -> {
                MemorySegment memory = made.get(index);
                if (memory != null) {
                    opening(handle, scalars, index, bytes, memory);
                    compare(entry, "out-buffer " + index, bytes, memory.toArray(ValueLayout.JAVA_BYTE));
                }
            });
        }
    }

    /** Addresses of the DSP stand at multiples of 8 in packed arguments. */
    private void insideInwards(MemorySegment memory) {
        for (long at = 0; at + 8 <= memory.byteSize(); at += 8) {
            memory.set(LONG, at, translated(dspAddresses, memory.get(LONG, at)));
        }
    }

    private static boolean isRemotectl(int handle, int scalars, int method) {
        return (handle == Fastrpc.HANDLE_REMOTECTL && Scalars.method(scalars) == method)
                || (handle == Fastrpc.HANDLE_REMOTECTL1
                        && Scalars.method(scalars) == method + RemotectlWire.HANDLE_INTERFACE_SHIFT);
    }

    private void closing(int handle, int scalars, Map<Integer, MemorySegment> made) {
        MemorySegment first = made.get(0);
        if (first != null && isRemotectl(handle, scalars, RemotectlWire.CLOSE)) {
            int module = first.get(INT, RemotectlWire.CLOSE_HANDLE);
            first.set(INT, RemotectlWire.CLOSE_HANDLE, handles.getOrDefault(module, module));
        }
    }

    /** A module's handle is what the DSP made of it: it is learned, and then no difference. */
    private void opening(int handle, int scalars, int index, byte[] then, MemorySegment now) {
        if (index == Scalars.inBuffers(scalars) && isRemotectl(handle, scalars, RemotectlWire.OPEN)) {
            int old = MemorySegment.ofArray(then).get(INT, RemotectlWire.OPEN_OUT_HANDLE);
            if (old != 0 && now.get(INT, RemotectlWire.OPEN_OUT_HANDLE) != 0) {
                handles.put(old, now.get(INT, RemotectlWire.OPEN_OUT_HANDLE));
                now.set(INT, RemotectlWire.OPEN_OUT_HANDLE, old);
            }
        }
    }

    private void compare(Entry entry, String what, byte[] then, byte[] now) {
        int at = Arrays.mismatch(then, now);
        if (at >= 0) {
            differ(
                    entry,
                    what + " differs from byte " + at + " on: " + around(then, at) + " then, " + around(now, at)
                            + " now");
        }
    }

    private static String around(byte[] bytes, int at) {
        return HexFormat.of().formatHex(bytes, Math.min(at, bytes.length), Math.min(at + 8, bytes.length));
    }

    /** Gives back what the transcript left open. */
    @Override
    public void close() {
        mappings.values().forEach(kernel::munmap);
        List.copyOf(descriptors.values()).reversed().forEach(kernel::close);
    }
}
