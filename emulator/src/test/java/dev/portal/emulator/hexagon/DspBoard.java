package dev.portal.emulator.hexagon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.Clock;
import dev.portal.base.VirtualClock;
import dev.portal.emulator.EmulatedKernel;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.emulator.RealTime;
import dev.portal.hardware.fastrpc.AllocDmaBuf;
import dev.portal.hardware.fastrpc.DmaBufSync;
import dev.portal.hardware.fastrpc.DmaHeap;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.InitCreate;
import dev.portal.hardware.fastrpc.Invoke;
import dev.portal.hardware.fastrpc.InvokeArgs;
import dev.portal.hardware.fastrpc.MemMap;
import dev.portal.hardware.fastrpc.MemUnmap;
import dev.portal.hardware.fastrpc.QnnWire;
import dev.portal.hardware.fastrpc.RemotectlWire;
import dev.portal.hardware.fastrpc.Scalars;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Mapping;
import dev.portal.kernel.Open;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** An emulated board with a compute DSP and an open session, with the calls that tests make, all as raw ioctls. */
final class DspBoard implements AutoCloseable {
    static final int UNSIGNED = Fastrpc.MODE_UNSIGNED_MODULE;

    /** Of a board in virtual time. */
    final VirtualClock clock = new VirtualClock();

    final KernelLog log = new KernelLog();
    final ModelReport report = new ModelReport();
    final FastRpcDriver driver;
    final EmulatedKernel system;
    /** The same, or what watches it. */
    final Kernel kernel;

    final Arena arena = Arena.ofShared();
    int fd;

    DspBoard() {
        this(HexagonOptions.standard());
    }

    DspBoard(HexagonOptions options) {
        this(options, (kernel, clock) -> kernel);
    }

    /** With something between the process and its kernel. */
    DspBoard(HexagonOptions options, BiFunction<Kernel, Clock, Kernel> watcher) {
        driver = new FastRpcDriver(
                clock, options, List.of(new IntegerBackend(), new OnnxBackend(1_000_000)), log, report);
        system = new EmulatedKernel(List.of(driver));
        kernel = watcher.apply(system, clock);
        fd = Answer.value(kernel.open(Fastrpc.NODE_CDSP_SECURE, Open.DEVICE));
    }

    /** In real time: several threads may call. */
    DspBoard(HexagonOptions options, RealTime time) {
        driver = new FastRpcDriver(time, options, List.of(new IntegerBackend()), log, report);
        system = new EmulatedKernel(List.of(driver), time);
        kernel = system;
        fd = Answer.value(kernel.open(Fastrpc.NODE_CDSP_SECURE, Open.DEVICE));
    }

    /** With a process, and the skeleton's handle. */
    static DspBoard ready(HexagonOptions options) {
        DspBoard board = new DspBoard(options);
        assertThat(board.createProcess()).isZero();
        return board;
    }

    /** A buffer, mapped to the process and, where it says so, to the DSP. */
    record Buffer(int fd, long size, MemorySegment memory, long dsp) {
        void ints(int... values) {
            for (int i = 0; i < values.length; i++) {
                memory.set(ValueLayout.JAVA_INT, 4L * i, values[i]);
            }
        }

        int[] ints() {
            return memory.toArray(ValueLayout.JAVA_INT);
        }

        void bytes(byte[] values) {
            MemorySegment.copy(MemorySegment.ofArray(values), 0, memory, 0, values.length);
        }
    }

    MemorySegment allocate(long bytes) {
        return arena.allocate(Math.max(1, bytes), 8);
    }

    long ioctl(int request, MemorySegment argument) {
        return kernel.ioctl(fd, request, argument);
    }

    /** A buffer of the system heap. */
    int heap(long size) {
        long answer = tryHeap(size);
        assertThat(Answer.errno(answer)).isZero();
        return Answer.value(answer);
    }

    /** The descriptor, or the errno. */
    long tryHeap(long size) {
        int heap = Answer.value(kernel.open(Fastrpc.DMA_HEAP_SYSTEM, Open.DEVICE));
        DmaHeap args = new DmaHeap(allocate(24));
        args.len(size);
        args.fdFlags(Fastrpc.DMA_HEAP_FD_FLAGS_RDWR_CLOEXEC);
        long answer = kernel.ioctl(heap, Fastrpc.DMA_HEAP_ALLOC, args.segment());
        kernel.close(heap);
        return answer == 0 ? Answer.of(args.fd()) : answer;
    }

    /** A coherent buffer of the session. */
    int alloc(long size) {
        AllocDmaBuf args = new AllocDmaBuf(allocate(16));
        args.size(size);
        assertThat(ioctl(Fastrpc.ALLOC_DMA_BUFF, args.segment())).isZero();
        return args.fd();
    }

    Buffer mapped(int buffer, long size) {
        Mapping mapping = kernel.mmap(buffer, 0, size, Kernel.PROT_READ | Kernel.PROT_WRITE, Kernel.MAP_SHARED);
        assertThat(mapping.errno()).isZero();
        return new Buffer(buffer, size, mapping.memory(), 0);
    }

    /** A buffer of the heap, in the process and on the DSP. */
    Buffer shared(long size) {
        return onDsp(mapped(heap(size), size));
    }

    Buffer onDsp(Buffer buffer) {
        MemMap args = memMap(buffer.fd(), buffer.size(), Fastrpc.MAP_FD);
        assertThat(ioctl(Fastrpc.MEM_MAP, args.segment())).isZero();
        return new Buffer(buffer.fd(), buffer.size(), buffer.memory(), args.vaddrout());
    }

    MemMap memMap(int buffer, long length, int flags) {
        MemMap args = new MemMap(allocate(64));
        args.fd(buffer);
        args.flags(flags);
        args.length(length);
        return args;
    }

    long unmap(long dspAddress) {
        MemUnmap args = new MemUnmap(allocate(48));
        args.fd(-1);
        args.vaddr(dspAddress);
        return ioctl(Fastrpc.MEM_UNMAP, args.segment());
    }

    void free(Buffer buffer) {
        if (buffer.dsp() != 0) {
            assertThat(unmap(buffer.dsp())).isZero();
        }
        assertThat(kernel.munmap(buffer.memory())).isZero();
        assertThat(kernel.close(buffer.fd())).isZero();
    }

    /** Frees what may be freed already: for tests that do not keep order. */
    void free(Buffer buffer, long seed) {
        if (buffer.dsp() != 0) {
            unmap(buffer.dsp());
        }
        assertThat(kernel.munmap(buffer.memory()))
                .as("rerun with -Dportal.seed=%d", seed)
                .isZero();
        kernel.close(buffer.fd());
    }

    /** A shared buffer, one that only the process has where the DSP refused, or null where there is no memory. */
    @Nullable
    Buffer tryShared(long size) {
        long made = tryHeap(size);
        if (Answer.failed(made)) {
            return null;
        }
        Buffer buffer = mapped(Answer.value(made), size);
        MemMap map = memMap(buffer.fd(), size, Fastrpc.MAP_FD);
        return ioctl(Fastrpc.MEM_MAP, map.segment()) == 0
                ? new Buffer(buffer.fd(), size, buffer.memory(), map.vaddrout())
                : buffer;
    }

    long sync(int buffer, long flags) {
        DmaBufSync args = new DmaBufSync(allocate(8));
        args.flags(flags);
        return kernel.ioctl(buffer, Fastrpc.DMA_BUF_SYNC, args.segment());
    }

    void written(Buffer buffer) {
        assertThat(sync(buffer.fd(), Fastrpc.SYNC_END | Fastrpc.SYNC_WRITE)).isZero();
    }

    void toRead(Buffer buffer) {
        assertThat(sync(buffer.fd(), Fastrpc.SYNC_START | Fastrpc.SYNC_READ)).isZero();
    }

    long createProcess() {
        return createProcess(EmulatedShell.of(driver.options.firmwareBuild()), UNSIGNED);
    }

    long createProcess(byte[] shell, int attrs) {
        long size = AddressSpace.pages(shell.length);
        long made = tryHeap(size);
        if (Answer.failed(made)) {
            return made;
        }
        Buffer buffer = mapped(Answer.value(made), size);
        buffer.bytes(shell);
        written(buffer);
        InitCreate args = new InitCreate(allocate(24));
        args.filelen(shell.length);
        args.filefd(buffer.fd());
        args.file(buffer.memory().address());
        args.attrs(attrs);
        long answer = ioctl(Fastrpc.INIT_CREATE, args.segment());
        kernel.munmap(buffer.memory());
        kernel.close(buffer.fd());
        return answer;
    }

    /** A call with these arguments. */
    long invoke(int handle, int scalars, InvokeArgs... arguments) {
        MemorySegment args = allocate(24L * arguments.length);
        for (int i = 0; i < arguments.length; i++) {
            MemorySegment.copy(arguments[i].segment(), 0, args, 24L * i, 24);
        }
        Invoke header = new Invoke(allocate(16));
        header.handle(handle);
        header.sc(scalars);
        header.args(args.address());
        return ioctl(Fastrpc.INVOKE, header.segment());
    }

    /** Plain memory as an argument. */
    InvokeArgs inline(MemorySegment memory) {
        InvokeArgs argument = new InvokeArgs(allocate(24));
        argument.ptr(memory.address());
        argument.length(memory.byteSize());
        argument.fd(Fastrpc.NO_FD);
        return argument;
    }

    /** A buffer as an argument. */
    InvokeArgs byDescriptor(Buffer buffer, long length) {
        InvokeArgs argument = inline(buffer.memory().asSlice(0, length));
        argument.fd(buffer.fd());
        return argument;
    }

    MemorySegment words(int... words) {
        MemorySegment memory = allocate(4L * words.length).asSlice(0, 4L * words.length);
        MemorySegment.copy(words, 0, memory, ValueLayout.JAVA_INT, 0, words.length);
        return memory;
    }

    /** What a module's loading gave. */
    record Loaded(long answer, int handle, int error, String text) {}

    Loaded open(String uri) {
        byte[] name = (uri + "\0").getBytes(StandardCharsets.UTF_8);
        MemorySegment bytes = allocate(name.length).asSlice(0, name.length);
        MemorySegment.copy(MemorySegment.ofArray(name), 0, bytes, 0, name.length);
        MemorySegment out = words(0, 0);
        MemorySegment text = allocate(RemotectlWire.DLERROR_BYTES).asSlice(0, RemotectlWire.DLERROR_BYTES);
        long answer = invoke(
                Fastrpc.HANDLE_REMOTECTL,
                RemotectlWire.OPEN_SCALARS,
                inline(words(name.length, RemotectlWire.DLERROR_BYTES)),
                inline(bytes),
                inline(out),
                inline(text));
        return new Loaded(
                answer, out.get(ValueLayout.JAVA_INT, 0), out.get(ValueLayout.JAVA_INT, 4), text.getString(0));
    }

    /** The skeleton's handle. */
    int skeleton() {
        Loaded loaded = open(QnnWire.SKELETON_URI);
        assertThat(loaded.answer()).isZero();
        assertThat(loaded.error()).isZero();
        return loaded.handle();
    }

    long closeModule(int handle) {
        return invoke(
                Fastrpc.HANDLE_REMOTECTL,
                RemotectlWire.CLOSE_SCALARS,
                inline(words(handle, 8)),
                inline(words(0)),
                inline(allocate(8)));
    }

    /** What model_load gave. */
    record Model(long answer, int handle, int graphs) {}

    Model load(int skeleton, long address, int size) {
        MemorySegment in = allocate(QnnWire.LOAD_IN_BYTES).asSlice(0, QnnWire.LOAD_IN_BYTES);
        in.set(ValueLayout.JAVA_LONG, QnnWire.LOAD_ADDRESS, address);
        in.set(ValueLayout.JAVA_INT, QnnWire.LOAD_SIZE, size);
        MemorySegment out = words(0, 0);
        long answer = invoke(skeleton, QnnWire.MODEL_LOAD_SCALARS, inline(in), inline(out));
        return new Model(answer, out.get(ValueLayout.JAVA_INT, 0), out.get(ValueLayout.JAVA_INT, 4));
    }

    /** Puts a container into a buffer and loads it from there. */
    Model load(int skeleton, byte[] container) {
        Buffer buffer = shared(AddressSpace.pages(container.length));
        buffer.bytes(container);
        written(buffer);
        Model model = load(skeleton, buffer.dsp(), container.length);
        free(buffer);
        return model;
    }

    long setInput(int skeleton, int model, int graph, int tensor, long address, int size) {
        return tensor(QnnWire.SET_INPUT_SCALARS, skeleton, model, graph, tensor, address, size);
    }

    long getOutput(int skeleton, int model, int graph, int tensor, long address, int size) {
        return tensor(QnnWire.GET_OUTPUT_SCALARS, skeleton, model, graph, tensor, address, size);
    }

    private long tensor(int scalars, int skeleton, int model, int graph, int tensor, long address, int size) {
        long bytes = size < 0 ? QnnWire.TENSOR_IN_BYTES_SIZELESS : QnnWire.TENSOR_IN_BYTES;
        MemorySegment in = allocate(32).asSlice(0, bytes);
        in.set(ValueLayout.JAVA_INT, QnnWire.TENSOR_MODEL, model);
        in.set(ValueLayout.JAVA_INT, QnnWire.TENSOR_GRAPH, graph);
        in.set(ValueLayout.JAVA_INT, QnnWire.TENSOR_INDEX, tensor);
        in.set(ValueLayout.JAVA_LONG, QnnWire.TENSOR_ADDRESS, address);
        if (size >= 0) {
            in.set(ValueLayout.JAVA_INT, QnnWire.TENSOR_SIZE, size);
        }
        return invoke(skeleton, scalars, inline(in));
    }

    long execute(int skeleton, int model, int graph) {
        return invoke(skeleton, QnnWire.EXECUTE_SCALARS, inline(words(model, graph)));
    }

    long execute(int skeleton, int model, int graph, int epoch) {
        return invoke(skeleton, QnnWire.EXECUTE_SCALARS, inline(words(model, graph, epoch)));
    }

    long unload(int skeleton, int model) {
        return invoke(skeleton, QnnWire.MODEL_UNLOAD_SCALARS, inline(words(model)));
    }

    int lastQnnCode(int skeleton) {
        MemorySegment out = words(0);
        assertThat(invoke(skeleton, QnnWire.LAST_ERROR_SCALARS, inline(out))).isZero();
        return out.get(ValueLayout.JAVA_INT, 0);
    }

    long listen(int previous, int result, MemorySegment out, MemorySegment request, MemorySegment room) {
        return invoke(
                Fastrpc.HANDLE_LISTENER,
                Scalars.of(4, 2, 2),
                inline(words(previous, result, 0, (int) room.byteSize())),
                inline(out),
                inline(request),
                inline(room));
    }

    /** y = relu(x * 3 + 5) over four numbers, each node a millisecond. */
    static IntegerGraph affine() {
        IntegerGraph graph = new IntegerGraph("affine");
        int x = graph.input("x", ElementType.INT32, 4);
        int three = graph.constant(new int[0], 3);
        int five = graph.constant(new int[0], 5);
        int scaled = graph.node(IntegerGraph.Operator.MULTIPLY, x, three, 1_000_000);
        int moved = graph.node(IntegerGraph.Operator.ADD, scaled, five, 1_000_000);
        int y = graph.node(IntegerGraph.Operator.RELU, moved, moved, 1_000_000);
        return graph.output("y", y, ElementType.INT32, 4);
    }

    @Override
    public void close() {
        kernel.close(fd);
        arena.close();
    }
}
