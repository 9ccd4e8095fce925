package dev.portal.emulator.hexagon;

import dev.portal.emulator.Diagnostic.Severity;
import dev.portal.emulator.EmulatedDevice.Descriptors;
import dev.portal.emulator.EmulatedDevice.OpenFile;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.AllocDmaBuf;
import dev.portal.hardware.fastrpc.Capability;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.InitCreate;
import dev.portal.hardware.fastrpc.InitCreateStatic;
import dev.portal.hardware.fastrpc.Invoke;
import dev.portal.hardware.fastrpc.InvokeArgs;
import dev.portal.hardware.fastrpc.MemMap;
import dev.portal.hardware.fastrpc.MemUnmap;
import dev.portal.hardware.fastrpc.ReqMmap;
import dev.portal.hardware.fastrpc.ReqMunmap;
import dev.portal.hardware.fastrpc.Scalars;
import dev.portal.hardware.fastrpc.SetOption;
import dev.portal.hardware.fastrpc.WireCreate;
import dev.portal.hardware.fastrpc.WireMemMapRequest;
import dev.portal.hardware.fastrpc.WireMemUnmapRequest;
import dev.portal.hardware.fastrpc.WireMmapRequest;
import dev.portal.hardware.fastrpc.WireMunmapRequest;
import dev.portal.hardware.fastrpc.WirePage;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Mapping;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One open of a node, and so one session: a context bank with its maps, its contexts, its heap (spec 1.1, 1.6). The
 * checks of each ioctl stand in the order in which the kernel makes them.
 */
final class FastRpcFile implements OpenFile {
    private static final long BANK_BOTTOM = 0x1000;
    private static final long BANK_TOP = 0xffff_f000L;
    private static final int STREAM_ID_SHIFT = 32;
    private static final int FIRST_STREAM = 0x1961;
    private static final int WIRE_DESCRIPTORS = 16;
    private static final int QUERY_BYTES = 1024;
    private static final int QUERY_WORDS = 255;
    private static final byte[] COMM = "java\0".getBytes(StandardCharsets.US_ASCII);

    /** Memory that MMAP gave to the DSP's heap. */
    private record HeapBlock(long dspAddress, long size, long iova) {}

    final Channel channel;
    private final FastRpcDriver driver;
    private final int index;
    private final int client;
    private final boolean trusted;
    private final long stream;
    private final AddressSpace bank = new AddressSpace(BANK_BOTTOM, BANK_TOP);
    private final List<BufferMap> maps = new ArrayList<>();
    private final List<HeapBlock> heap = new ArrayList<>();
    private final Map<Integer, CallContext> contexts = new HashMap<>();
    private int processKind = Fastrpc.PD_ROOT;
    private long processMemory;
    private boolean closed;

    /** @param trusted opened on the secure node */
    FastRpcFile(FastRpcDriver driver, Channel channel, int index, int client, boolean trusted) {
        this.driver = driver;
        this.channel = channel;
        this.index = index;
        this.client = client;
        this.trusted = trusted;
        this.stream = (long) (FIRST_STREAM + index) << STREAM_ID_SHIFT;
    }

    /** Who it is on the wire. */
    int client() {
        return client;
    }

    int processKind() {
        return processKind;
    }

    boolean closed() {
        return closed;
    }

    int contexts() {
        return contexts.size();
    }

    int maps() {
        return maps.size();
    }

    int heapBlocks() {
        return heap.size();
    }

    CallContext context(int id) {
        CallContext context = contexts.get(id);
        if (context == null) {
            throw new AssertionError("context " + id + " is not of this session");
        }
        return context;
    }

    void put(CallContext context) {
        contexts.put(context.id, context);
    }

    void remove(CallContext context) {
        contexts.remove(context.id, context);
    }

    /** Addresses in the context bank, below the stream's number; 0 when there are none left. */
    long takeAddresses(long bytes) {
        OptionalLong address = bank.allocate(bytes);
        return address.isPresent() ? address.getAsLong() | stream : 0;
    }

    void freeAddresses(long address) {
        bank.free(address & ~stream);
    }

    /** The map that has an address of the context bank; null where nothing is mapped. */
    @Nullable
    BufferMap mapAt(long iova) {
        for (BufferMap map : maps) {
            if (iova >= map.iova && iova < map.iova + Math.max(map.size, map.buffer.size)) {
                return map;
            }
        }
        return null;
    }

    @Override
    public long ioctl(int request, MemorySegment argument, Descriptors kernel) {
        driver.lock.lock();
        try {
            return dispatch(request, argument, kernel);
        } finally {
            driver.lock.unlock();
        }
    }

    /** The driver compares the whole number, so a wrong size of the struct is an unknown request. */
    private long dispatch(int request, MemorySegment argument, Descriptors kernel) {
        if (request == Fastrpc.INVOKE) {
            return invoke(new Invoke(copy(argument, Invoke.LAYOUT)), kernel);
        } else if (request == Fastrpc.ALLOC_DMA_BUFF) {
            return allocate(argument, kernel);
        } else if (request == Fastrpc.INIT_ATTACH) {
            return attach(Fastrpc.PD_ROOT);
        } else if (request == Fastrpc.INIT_ATTACH_SNS) {
            return attach(Fastrpc.PD_SENSORS);
        } else if (request == Fastrpc.INIT_CREATE) {
            return create(new InitCreate(copy(argument, InitCreate.LAYOUT)), kernel);
        } else if (request == Fastrpc.INIT_CREATE_STATIC) {
            return createStatic(copy(argument, InitCreateStatic.LAYOUT));
        } else if (request == Fastrpc.MMAP) {
            return growHeap(argument);
        } else if (request == Fastrpc.MUNMAP) {
            return shrinkHeap(new ReqMunmap(copy(argument, ReqMunmap.LAYOUT)));
        } else if (request == Fastrpc.MEM_MAP) {
            return map(argument, kernel);
        } else if (request == Fastrpc.MEM_UNMAP) {
            return unmap(new MemUnmap(copy(argument, MemUnmap.LAYOUT)));
        } else if (request == Fastrpc.SET_OPTION) {
            return setOption(new SetOption(copy(argument, SetOption.LAYOUT)));
        } else if (request == Fastrpc.GET_DSP_INFO) {
            return info(argument);
        }
        return Answer.error(Errno.ENOTTY);
    }

    /** The kernel's copy of the caller's struct. */
    private static MemorySegment copy(MemorySegment argument, MemoryLayout layout) {
        MemorySegment own = MemorySegment.ofArray(new long[(int) (layout.byteSize() + 7) / 8]);
        MemorySegment.copy(argument, 0, own, 0, Math.min(layout.byteSize(), argument.byteSize()));
        return own;
    }

    private static void copyBack(MemorySegment own, MemorySegment argument, MemoryLayout layout) {
        MemorySegment.copy(own, 0, argument, 0, Math.min(layout.byteSize(), argument.byteSize()));
    }

    private long allocate(MemorySegment argument, Descriptors kernel) {
        MemorySegment own = copy(argument, AllocDmaBuf.LAYOUT);
        AllocDmaBuf args = new AllocDmaBuf(own);
        DmaBuf buffer = driver.buffers.make(args.size(), this);
        if (buffer == null) {
            return Answer.error(Errno.ENOMEM);
        }
        int fd = driver.fault(Kind.NO_DESCRIPTOR).isPresent()
                ? -1
                : kernel.install(new DmaBufFile(driver.lock, driver.buffers, buffer), false);
        if (fd < 0) {
            driver.buffers.release(buffer);
            return Answer.error(Errno.EINVAL);
        }
        args.fd(fd);
        copyBack(own, argument, AllocDmaBuf.LAYOUT);
        return Answer.of(0);
    }

    private long attach(int kind) {
        processKind = kind;
        return driver.calls.kernelCall(this, Fastrpc.HANDLE_KERNEL, Scalars.KERNEL_ATTACH, words(client));
    }

    private static MemorySegment words(int... words) {
        return MemorySegment.ofArray(words);
    }

    private long invoke(Invoke header, Descriptors kernel) {
        int count = Scalars.count(header.sc());
        long bytes = count * InvokeArgs.LAYOUT.byteSize();
        if (!driver.memory.readable(header.args(), bytes)) {
            return Answer.error(Errno.EFAULT);
        }
        MemorySegment own = MemorySegment.ofArray(new long[(int) (bytes / 8)]);
        MemorySegment.copy(UserMemory.at(header.args(), bytes), 0, own, 0, bytes);
        if (!channel.up) {
            return Answer.error(Errno.EPIPE);
        }
        if (header.handle() == Fastrpc.HANDLE_KERNEL) {
            driver.log.add("qcom,fastrpc: user app trying to send a kernel RPC message (1)");
            return Answer.error(Errno.EPERM);
        }
        if (channel.freeContext() < 0) {
            return Answer.error(Errno.ENOSPC);
        }
        CallArgument[] arguments = new CallArgument[count];
        for (int i = 0; i < count; i++) {
            InvokeArgs args = InvokeArgs.at(own, i);
            arguments[i] = CallArgument.ofProcess(args.ptr(), args.length(), args.fd());
        }
        this.descriptors = kernel;
        return mapArguments(arguments)
                ? driver.calls.invoke(this, header.handle(), header.sc(), arguments)
                : Answer.error(Errno.EINVAL);
    }

    /** The process's descriptors, as the last call of it brought them. */
    private @Nullable Descriptors descriptors;

    /** Finds or makes the map of each argument that carries a descriptor; false, with none of them made, when one fails. */
    boolean mapArguments(CallArgument[] arguments) {
        Descriptors kernel = descriptors;
        for (CallArgument argument : arguments) {
            if (argument.fd != 0 && argument.fd != Fastrpc.NO_FD && argument.length != 0) {
                Found found =
                        kernel == null ? new Found(null, Errno.EINVAL) : find(argument.fd, argument.length, kernel);
                argument.map = found.map();
                if (argument.map == null) {
                    dropMaps(arguments);
                    return false;
                }
            }
        }
        return true;
    }

    /** A map, or why there is none. */
    private record Found(@Nullable BufferMap map, int errno) {}

    private Found find(int fd, long length, Descriptors kernel) {
        OpenFile file = kernel.file(fd).orElse(null);
        DmaBuf buffer = file instanceof DmaBufFile exported ? exported.buffer() : null;
        boolean byObject = driver.options.profile().mapsByObject;
        if (buffer == null && byObject) {
            return new Found(null, kernel.isOpen(fd) ? Errno.EINVAL : Errno.EBADF);
        }
        for (BufferMap map : maps) {
            if (map.fd == fd && (!byObject || map.buffer == buffer)) {
                if (map.buffer != buffer) {
                    driver.report.add(
                            Severity.WRONG,
                            "stale-map",
                            "descriptor " + fd + " is another buffer than the one that is mapped under its number, and"
                                    + " this kernel uses the old one: MEM_UNMAP before close (spec 1.9)");
                }
                if (driver.options.profile().checksLength && length > map.buffer.size) {
                    return new Found(null, Errno.EINVAL);
                }
                map.references++;
                return new Found(map, 0);
            }
        }
        if (buffer == null) {
            return new Found(null, kernel.isOpen(fd) ? Errno.EINVAL : Errno.EBADF);
        }
        if (driver.options.profile().checksLength && (length < 0 || length > buffer.size)) {
            return new Found(null, Errno.EINVAL);
        }
        long iova = takeAddresses(buffer.size);
        if (iova == 0) {
            return new Found(null, Errno.ENOMEM);
        }
        BufferMap map = new BufferMap(fd, buffer, length, iova);
        buffer.references++;
        maps.add(map);
        return new Found(map, 0);
    }

    void dropMaps(CallArgument[] arguments) {
        for (CallArgument argument : arguments) {
            BufferMap map = argument.map;
            if (map != null) {
                argument.map = null;
                drop(map);
            }
        }
    }

    private void drop(BufferMap map) {
        map.references--;
        if (map.references == 0 && maps.remove(map)) {
            freeAddresses(map.iova);
            driver.buffers.release(map.buffer);
        }
    }

    /** Drops maps that the DSP listed in the payload (spec 1.7). */
    void dropListed(MemorySegment payload, int arguments) {
        for (int i = 0; i < Fastrpc.MAX_FDLIST; i++) {
            int fd = Calls.listed(payload, arguments, i);
            if (fd == 0) {
                return;
            }
            maps.stream().filter(map -> map.fd == fd).findFirst().ifPresent(this::drop);
        }
    }

    private long create(InitCreate args, Descriptors kernel) {
        boolean unsigned = (args.attrs() & Fastrpc.MODE_UNSIGNED_MODULE) != 0;
        if (!trusted && driver.options.secureChannel() && !unsigned) {
            driver.log.add("qcom,fastrpc: Error: Untrusted application trying to offload to signed PD");
            return Answer.error(Errno.ECONNREFUSED);
        }
        if (args.filelen() < 0 || args.filelen() > Fastrpc.INIT_FILELEN_MAX) {
            return Answer.error(Errno.EINVAL);
        }
        BufferMap map = null;
        MemorySegment file = MemorySegment.ofArray(new byte[args.filelen()]);
        if (args.filelen() != 0 && args.filefd() != 0) {
            Found found = find(args.filefd(), args.filelen(), kernel);
            map = found.map();
            if (map == null) {
                return Answer.error(found.errno());
            }
            readShell(args, map, file);
        } else if (args.filelen() != 0) {
            driver.report.add(
                    Severity.FATAL,
                    "shell-by-pointer",
                    "INIT_CREATE without a descriptor: the kernel copies from the process's pointer with a plain"
                            + " memcpy; pass the shell in a DMA-BUF (spec 1.6)");
            if (!driver.memory.readable(args.file(), args.filelen())) {
                driver.log.add("Unable to handle kernel access to user memory outside uaccess routines");
                return Answer.error(Errno.EFAULT);
            }
            MemorySegment.copy(UserMemory.at(args.file(), args.filelen()), 0, file, 0, args.filelen());
        }
        long memory = Fastrpc.initMemoryBytes(args.filelen());
        long iova = takeAddresses(memory);
        if (iova == 0) {
            if (map != null) {
                drop(map);
            }
            return Answer.error(Errno.ENOMEM);
        }
        processKind = Fastrpc.PD_USER;
        long answer = driver.calls.kernelCall(
                this,
                Fastrpc.HANDLE_KERNEL,
                args.attrs() == 0 ? Scalars.KERNEL_CREATE : Scalars.KERNEL_CREATE_ATTR,
                createMessage(args),
                MemorySegment.ofArray(COMM),
                file,
                page(iova, memory));
        if (map != null) {
            drop(map);
        }
        if (answer == 0 && processMemory == 0) {
            processMemory = iova;
        } else {
            freeAddresses(iova);
        }
        return answer;
    }

    /** The shell goes to the DSP by descriptor: what it sees is the buffer's own memory, after the driver's maintenance. */
    private void readShell(InitCreate args, BufferMap map, MemorySegment into) {
        DmaBufs.Place place = driver.buffers.at(args.file());
        long offset = 0;
        if (place != null && place.buffer() == map.buffer) {
            offset = place.offset();
        } else {
            driver.report.add(
                    Severity.WRONG,
                    "foreign-pointer",
                    "INIT_CREATE's file pointer lies outside the process's mapping of descriptor " + args.filefd());
        }
        map.buffer.clean(offset, args.filelen());
        long count = Math.min(args.filelen(), map.buffer.size - offset);
        MemorySegment.copy(map.buffer.device(), offset, into, 0, Math.max(0, count));
    }

    private MemorySegment createMessage(InitCreate args) {
        WireCreate message = new WireCreate(MemorySegment.ofArray(new long[3]));
        message.pgid(client);
        message.namelen(COMM.length);
        message.filelen(args.filelen());
        message.pageslen(1);
        message.attrs(args.attrs());
        message.siglen(args.siglen());
        return message.segment();
    }

    private static MemorySegment page(long address, long size) {
        WirePage page = new WirePage(MemorySegment.ofArray(new long[2]));
        page.addr(address);
        page.size(size);
        return page.segment();
    }

    /** For the audio process, which this DSP does not have. */
    private long createStatic(MemorySegment own) {
        if (!driver.options.profile().remoteHeap) {
            return Answer.error(Errno.ENOTTY);
        }
        InitCreateStatic args = new InitCreateStatic(own);
        if (args.namelen() <= 0
                || args.namelen() > Fastrpc.INIT_FILE_NAMELEN_MAX
                || !driver.memory.readable(args.name(), args.namelen())) {
            return Answer.error(
                    args.namelen() > 0 && args.namelen() <= Fastrpc.INIT_FILE_NAMELEN_MAX
                            ? Errno.EFAULT
                            : Errno.EINVAL);
        }
        return Answer.of(AeeError.EUNSUPPORTED.onDsp());
    }

    private long growHeap(MemorySegment argument) {
        MemorySegment own = copy(argument, ReqMmap.LAYOUT);
        ReqMmap args = new ReqMmap(own);
        boolean remote = args.flags() == Fastrpc.MMAP_REMOTE_HEAP && driver.options.profile().remoteHeap;
        if (args.flags() != Fastrpc.MMAP_ADD_PAGES && !remote) {
            driver.log.add("qcom,fastrpc: flag not supported 0x" + Integer.toHexString(args.flags()));
            return Answer.error(Errno.EINVAL);
        }
        if (args.vaddrin() != 0) {
            driver.log.add("qcom,fastrpc: adding user allocated pages is not supported");
            return Answer.error(Errno.EINVAL);
        }
        long iova = args.size() <= 0 ? 0 : takeAddresses(args.size());
        if (iova == 0) {
            return Answer.error(Errno.ENOMEM);
        }
        WireMmapRequest request = new WireMmapRequest(MemorySegment.ofArray(new long[3]));
        request.pgid(client);
        request.flags(args.flags());
        request.vaddr(0);
        request.num(WIRE_DESCRIPTORS);
        MemorySegment response = MemorySegment.ofArray(new long[1]);
        long answer = driver.calls.kernelCall(
                this, Fastrpc.HANDLE_KERNEL, Scalars.KERNEL_MMAP, request.segment(), page(iova, args.size()), response);
        if (answer != 0) {
            driver.log.add("qcom,fastrpc: mmap error (len 0x" + Long.toHexString(args.size()) + ")");
            freeAddresses(iova);
            return answer;
        }
        args.vaddrout(response.get(ValueLayout.JAVA_LONG, 0));
        heap.add(new HeapBlock(args.vaddrout(), args.size(), iova));
        copyBack(own, argument, ReqMmap.LAYOUT);
        return answer;
    }

    private long shrinkHeap(ReqMunmap args) {
        for (HeapBlock block : heap) {
            if (block.dspAddress() == args.vaddrout() && block.size() == args.size()) {
                return shrinkHeap(block);
            }
        }
        driver.log.add("qcom,fastrpc: mmap\t\tpt 0x" + Long.toHexString(args.vaddrout()) + " [len 0x"
                + Long.toHexString(args.size()) + "] not in list");
        return Answer.error(Errno.EINVAL);
    }

    private long shrinkHeap(HeapBlock block) {
        WireMunmapRequest request = new WireMunmapRequest(MemorySegment.ofArray(new long[3]));
        request.pgid(client);
        request.vaddr(block.dspAddress());
        request.size(block.size());
        long answer = driver.calls.kernelCall(this, Fastrpc.HANDLE_KERNEL, Scalars.KERNEL_MUNMAP, request.segment());
        if (answer == 0) {
            heap.remove(block);
            freeAddresses(block.iova());
        }
        return answer;
    }

    private long map(MemorySegment argument, Descriptors kernel) {
        MemorySegment own = copy(argument, MemMap.LAYOUT);
        MemMap args = new MemMap(own);
        Found found = find(args.fd(), args.length(), kernel);
        BufferMap map = found.map();
        if (map == null) {
            return Answer.error(found.errno());
        }
        WireMemMapRequest request = new WireMemMapRequest(MemorySegment.ofArray(new long[4]));
        request.pgid(client);
        request.fd(args.fd());
        request.offset(args.offset());
        request.flags(args.flags());
        request.vaddrin(args.vaddrin());
        request.num(WIRE_DESCRIPTORS);
        request.dataLen(0);
        MemorySegment response = MemorySegment.ofArray(new long[1]);
        long answer = driver.calls.kernelCall(
                this,
                Fastrpc.HANDLE_KERNEL,
                Scalars.KERNEL_MEM_MAP,
                request.segment(),
                page(map.iova, map.size),
                MemorySegment.ofArray(new byte[0]),
                response);
        if (answer != 0) {
            driver.log.add("qcom,fastrpc: mem mmap error, fd " + args.fd() + ", vaddr 0x"
                    + Long.toHexString(args.vaddrin()) + ", size " + map.size);
            drop(map);
            return answer;
        }
        map.dspAddress = response.get(ValueLayout.JAVA_LONG, 0);
        args.vaddrout(map.dspAddress);
        copyBack(own, argument, MemMap.LAYOUT);
        return answer;
    }

    private long unmap(MemUnmap args) {
        BufferMap map = null;
        for (BufferMap candidate : maps) {
            if (candidate.dspAddress == args.vaddr()
                    && candidate.dspAddress != 0
                    && (args.fd() < 0 || args.fd() == candidate.fd)) {
                map = candidate;
                break;
            }
        }
        if (map == null) {
            driver.log.add("qcom,fastrpc: map not in list");
            return Answer.error(Errno.EINVAL);
        }
        WireMemUnmapRequest request = new WireMemUnmapRequest(MemorySegment.ofArray(new long[3]));
        request.pgid(client);
        request.fd(map.fd);
        request.vaddrin(map.dspAddress);
        request.len(map.size);
        long answer = driver.calls.kernelCall(this, Fastrpc.HANDLE_KERNEL, Scalars.KERNEL_MEM_UNMAP, request.segment());
        if (answer == 0) {
            drop(map);
        } else {
            driver.log.add(
                    "qcom,fastrpc: unmmap\tpt fd = " + map.fd + ", 0x" + Long.toHexString(map.dspAddress) + " error");
        }
        return answer;
    }

    private long setOption(SetOption args) {
        if (!driver.options.profile().setOption) {
            return Answer.error(Errno.ENOTTY);
        }
        boolean poll = args.requestId() == Fastrpc.OPTION_POLL_MODE && (args.value() == 0 || args.value() == 1);
        return poll ? Answer.of(0) : Answer.error(Errno.EINVAL);
    }

    private long info(MemorySegment argument) {
        MemorySegment own = copy(argument, Capability.LAYOUT);
        Capability args = new Capability(own);
        boolean old = driver.options.profile().oldInfo;
        boolean noDomain =
                args.domain() < 0 || args.domain() >= Fastrpc.DEV_MAX_6_1 || args.domain() == Fastrpc.DOMAIN_MDSP;
        if (old && noDomain) {
            driver.log.add("qcom,fastrpc: Error: Invalid domain id:" + args.domain());
            return Answer.error(Errno.ECHRNG);
        }
        if (args.attributeId() < 0 || args.attributeId() >= Fastrpc.MAX_DSP_ATTRIBUTES) {
            driver.log.add("qcom,fastrpc: Error: invalid attribute: " + args.attributeId());
            return Answer.error(Errno.EOVERFLOW);
        }
        int[] words = channel.capabilities;
        if (words == null) {
            words = new int[Fastrpc.MAX_DSP_ATTRIBUTES];
            MemorySegment out = MemorySegment.ofArray(new int[QUERY_WORDS]);
            long answer = driver.calls.kernelCall(
                    this,
                    Fastrpc.HANDLE_DSP_UTILITIES,
                    Scalars.KERNEL_GET_ATTRIBUTES,
                    words(old ? QUERY_BYTES : QUERY_WORDS),
                    out);
            if (Answer.value(answer) == AeeError.EUNSUPPORTED.onDsp()) {
                return Answer.error(Errno.EOPNOTSUPP);
            }
            if (answer != 0) {
                return answer;
            }
            MemorySegment.copy(out, ValueLayout.JAVA_INT, 0, words, 1, QUERY_WORDS);
            channel.capabilities = words;
        }
        if (old) {
            argument.set(ValueLayout.JAVA_INT_UNALIGNED, 0, words[args.attributeId()]);
        } else {
            args.capability(words[args.attributeId()]);
            copyBack(own, argument, Capability.LAYOUT);
        }
        return Answer.of(0);
    }

    @Override
    public Mapping mmap(long offset, long lengthBytes, int protection) {
        return Mapping.error(Errno.ENODEV);
    }

    @Override
    public void munmap(MemorySegment mapping) {}

    /** The last reference is gone: RELEASE, at most ten seconds, then everything of the session. */
    @Override
    public void close() {
        driver.lock.lock();
        try {
            if (channel.up) {
                driver.calls.kernelCall(this, Fastrpc.HANDLE_KERNEL, Scalars.KERNEL_RELEASE, words(client));
            }
            List.copyOf(contexts.values()).forEach(driver.calls::end);
            for (BufferMap map : List.copyOf(maps)) {
                map.references = 1;
                drop(map);
            }
            heap.clear();
            closed = true;
            channel.freeSession(index);
            driver.forget(this);
        } finally {
            driver.lock.unlock();
        }
    }
}
