package dev.portal.emulator.hexagon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.RandomStream;
import dev.portal.emulator.FaultPlan;
import dev.portal.emulator.FaultPlan.Fault;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.FaultPlan.Trigger.Ratio;
import dev.portal.emulator.hexagon.DspBoard.Buffer;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.Invoke;
import dev.portal.hardware.fastrpc.InvokeArgs;
import dev.portal.hardware.fastrpc.QnnWire;
import dev.portal.hardware.fastrpc.RemotectlWire;
import dev.portal.hardware.fastrpc.Scalars;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Open;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random requests, scalars, arguments and containers: errnos and the DSP's results, never an exception or a hang. */
class DspFuzzTest {
    private static final Set<Integer> ERRNOS = Set.of(
            0,
            Errno.EPERM,
            Errno.EINTR,
            Errno.EBADF,
            Errno.ENOMEM,
            Errno.EACCES,
            Errno.EFAULT,
            Errno.EBUSY,
            Errno.EINVAL,
            Errno.EMFILE,
            Errno.ENOTTY,
            Errno.ENOSPC,
            Errno.EPIPE,
            Errno.ECHRNG,
            Errno.EOVERFLOW,
            Errno.ENOENT,
            Errno.ETIMEDOUT,
            Errno.ECONNREFUSED);

    private static final int[] REQUESTS = {
        Fastrpc.ALLOC_DMA_BUFF,
        Fastrpc.FREE_DMA_BUFF,
        Fastrpc.INIT_ATTACH,
        Fastrpc.INIT_CREATE,
        Fastrpc.MMAP,
        Fastrpc.MUNMAP,
        Fastrpc.INIT_CREATE_STATIC,
        Fastrpc.MEM_MAP,
        Fastrpc.MEM_UNMAP,
        Fastrpc.SET_OPTION,
        Fastrpc.GET_DSP_INFO,
        Fastrpc.DMA_HEAP_ALLOC,
        Fastrpc.DMA_BUF_SYNC,
        Fastrpc.DMA_BUF_SET_NAME_A
    };

    private static LongStream seeds(int count) {
        Long given = Long.getLong("portal.seed");
        return given == null ? LongStream.rangeClosed(1, count) : LongStream.of(given);
    }

    static LongStream few() {
        return seeds(30);
    }

    static LongStream many() {
        return seeds(300);
    }

    @ParameterizedTest
    @MethodSource("few")
    void randomCallsAreAnswered(long seed) {
        new Run(seed).calls(150);
    }

    @Tag("slow")
    @ParameterizedTest
    @MethodSource("many")
    void longRuns(long seed) {
        new Run(seed).calls(400);
    }

    @ParameterizedTest
    @MethodSource("few")
    void damagedContainersAreRefusedOrRun(long seed) {
        RandomStream random = new RandomStream(seed).derive("containers");
        GraphImage image = DspBoard.affine().image();
        try (DspBoard board = DspBoard.ready(HexagonOptions.standard().withSeed(seed))) {
            int skeleton = board.skeleton();
            for (int i = 0; i < 20; i++) {
                byte[] bytes = random.nextBoolean()
                        ? ContextBinary.of(List.of(image, image))
                        : ModelLibrary.of(List.of(image));
                for (int k = 1 + random.nextInt(6); k > 0; k--) {
                    int at = random.nextInt(bytes.length);
                    bytes[at] = (byte) (random.nextBoolean() ? random.nextInt() : bytes[at] ^ 1 << random.nextInt(8));
                }
                DspBoard.Model model = board.load(skeleton, bytes);
                assertThat(Answer.errno(model.answer()))
                        .as("rerun with -Dportal.seed=%d", seed)
                        .isZero();
                if (model.answer() == 0) {
                    for (int graph = 0; graph < model.graphs(); graph++) {
                        board.execute(skeleton, model.handle(), graph);
                    }
                    assertThat(board.unload(skeleton, model.handle())).isZero();
                }
            }
            assertThat(board.driver.usage().models()).isZero();
        }
    }

    private static final class Run {
        /** As many as scalars can count: 255 of each kind of buffer, 15 of each kind of handle. */
        private static final int MOST_ARGUMENTS = 2 * 255 + 2 * 15;

        private final long seed;
        private final RandomStream random;
        private final DspBoard board;
        private final List<Buffer> buffers = new ArrayList<>();
        private final MemorySegment noArguments;
        private int skeleton;
        private int model;

        Run(long seed) {
            this.seed = seed;
            this.random = new RandomStream(seed).derive("calls");
            FaultPlan plan = seed % 3 == 0
                    ? FaultPlan.NONE
                    : FaultPlan.of(
                            new Fault(Kind.DSP_RESTART, new Ratio(0.005), 1_000_000),
                            new Fault(Kind.INVOKE_INTERRUPTED, new Ratio(0.02), 0),
                            new Fault(Kind.INVOKE_RESENT, new Ratio(0.02), 0),
                            new Fault(Kind.LATE_REPLY, new Ratio(0.05), 3_000_000),
                            new Fault(Kind.MEMORY_ERRNO, new Ratio(0.02), 0),
                            new Fault(Kind.NO_DESCRIPTOR, new Ratio(0.02), 0),
                            new Fault(Kind.UNMAP_REFUSED, new Ratio(0.05), 0),
                            new Fault(Kind.WRONG_SHELL, new Ratio(0.05), 0));
            board = new DspBoard(HexagonOptions.standard()
                    .withSeed(seed)
                    .withProfile(DriverProfile.values()[(int) (seed % 3)])
                    .withFaults(plan));
            noArguments = board.allocate(MOST_ARGUMENTS * InvokeArgs.LAYOUT.byteSize());
        }

        void calls(int count) {
            for (int i = 0; i < count; i++) {
                long answer = call();
                assertThat(Answer.errno(answer))
                        .as("rerun with -Dportal.seed=%d, call %d", seed, i)
                        .isIn(ERRNOS);
            }
            end();
        }

        private long call() {
            return switch (random.nextInt(12)) {
                case 0 -> restartSession();
                case 1, 2 -> {
                    int request = request();
                    yield board.ioctl(request, struct(request));
                }
                case 3 -> {
                    int request = request();
                    yield board.kernel.ioctl(anyDescriptor(), request, struct(request));
                }
                case 4, 5 -> invokeAnything();
                case 6 -> newBuffer();
                case 7 -> board.unmap(address());
                case 8 -> {
                    DspBoard.Loaded loaded = board.open(QnnWire.SKELETON_URI);
                    skeleton = loaded.handle() == 0 ? skeleton : loaded.handle();
                    yield loaded.answer();
                }
                case 9 -> loadModel();
                case 10 -> board.setInput(skeleton, model, random.nextInt(2), random.nextInt(2), address(), 16);
                default -> board.execute(skeleton, model, random.nextInt(2));
            };
        }

        private long restartSession() {
            if (random.nextInt(3) > 0) {
                return board.createProcess(
                        EmulatedShell.of(HexagonOptions.STANDARD_BUILD), random.nextBoolean() ? 8 : 0);
            }
            board.kernel.close(board.fd);
            board.clock.advance(2_000_000);
            long opened =
                    board.kernel.open(random.nextBoolean() ? Fastrpc.NODE_CDSP : Fastrpc.NODE_CDSP_SECURE, Open.DEVICE);
            board.fd = Answer.errno(opened) == 0 ? Answer.value(opened) : 1000;
            return opened;
        }

        private int request() {
            int request = REQUESTS[random.nextInt(REQUESTS.length)];
            return random.nextInt(8) == 0 ? request ^ 1 << random.nextInt(32) : request;
        }

        private int anyDescriptor() {
            return buffers.isEmpty() || random.nextInt(4) == 0
                    ? random.nextInt(20)
                    : buffers.get(random.nextInt(buffers.size())).fd();
        }

        private long address() {
            if (buffers.isEmpty() || random.nextInt(3) == 0) {
                return random.nextBoolean() ? random.nextLong() : random.nextInt() & 0xffff_ffffL;
            }
            Buffer buffer = buffers.get(random.nextInt(buffers.size()));
            return buffer.dsp() + (random.nextInt(3) == 0 ? random.nextInt(8192) : 0);
        }

        /** A struct's bytes: small numbers, descriptors, addresses that exist and that do not. */
        private MemorySegment struct(int request) {
            MemorySegment args = board.allocate(64);
            for (int at = 0; at < 64; at += 8) {
                args.set(
                        ValueLayout.JAVA_LONG,
                        at,
                        switch (random.nextInt(9)) {
                            case 0 -> random.nextLong();
                            case 1 -> 4096L * random.nextInt(5);
                            case 2 -> pointer();
                            case 3 -> address();
                            case 4 -> anyDescriptor();
                            case 5 -> (long) anyDescriptor() << 32;
                            case 6 -> Fastrpc.MMAP_ADD_PAGES;
                            default -> random.nextInt(20);
                        });
            }
            if (request == Fastrpc.INVOKE) {
                // Arguments are read from there, and written to where they point: nowhere, or to nothing of this
                // process.
                new Invoke(args).args(random.nextBoolean() ? noArguments.address() : nowhere());
            }
            return args;
        }

        /** Memory of the process, or a place where there is none. */
        private long pointer() {
            if (random.nextInt(5) < 3) {
                return nowhere();
            }
            return buffers.isEmpty()
                    ? board.allocate(64).address()
                    : buffers.get(random.nextInt(buffers.size())).memory().address();
        }

        private long nowhere() {
            return switch (random.nextInt(3)) {
                case 0 -> random.nextInt(0x10000);
                case 1 -> random.nextLong() | Long.MIN_VALUE;
                default -> (1L << 47) + (random.nextInt() & 0xffff_ffffL);
            };
        }

        private long invokeAnything() {
            int[] handles = {0, 1, 2, 3, 4, 7, 8, 9, 10, skeleton, skeleton, skeleton, random.nextInt()};
            int handle = handles[random.nextInt(handles.length)];
            int in = random.nextInt(4);
            int out = random.nextInt(4);
            int method = random.nextInt(random.nextInt(3) == 0 ? 32 : 9);
            boolean listens = handle == Fastrpc.HANDLE_LISTENER || handle == Fastrpc.HANDLE_LISTENER1;
            int scalars = random.nextInt(5) == 0
                    ? RemotectlWire.OPEN_SCALARS
                    : Scalars.of(listens ? 0 : method, in, out, random.nextInt(3) / 2, random.nextInt(3) / 2);
            InvokeArgs[] arguments = new InvokeArgs[Scalars.count(scalars)];
            for (int i = 0; i < arguments.length; i++) {
                MemorySegment memory = board.allocate(64).asSlice(0, 4L * random.nextInt(17));
                memory.fill((byte) random.nextInt(4));
                arguments[i] = board.inline(memory);
                if (random.nextInt(6) == 0) {
                    arguments[i].ptr(pointer());
                }
                if (random.nextInt(6) == 0) {
                    arguments[i].fd(anyDescriptor());
                }
                if (random.nextInt(20) == 0) {
                    arguments[i].length(random.nextLong());
                }
                // No write may land where this test did not mean it to.
                if (arguments[i].ptr() == memory.address()) {
                    arguments[i].length(Math.min(memory.byteSize(), arguments[i].length() & 63));
                } else {
                    arguments[i].length(
                            random.nextInt(5) == 0 && arguments[i].fd() == -1 && outside(arguments[i].ptr())
                                    ? random.nextLong()
                                    : random.nextInt(64));
                }
            }
            return board.invoke(handle, scalars, arguments);
        }

        private static boolean outside(long pointer) {
            return pointer < 0x10000 || pointer >= 1L << 47;
        }

        private long newBuffer() {
            if (buffers.size() > 6) {
                board.free(buffers.removeLast(), seed);
                return 0;
            }
            long before = board.kernel.open(Fastrpc.DMA_HEAP_SYSTEM, Open.DEVICE);
            board.kernel.close(Answer.value(before));
            Buffer buffer = board.tryShared(4096L * (1 + random.nextInt(3)));
            if (buffer != null) {
                buffers.add(buffer);
            }
            return 0;
        }

        private long loadModel() {
            byte[] container = ContextBinary.of(List.of(DspBoard.affine().image()));
            if (buffers.isEmpty() || buffers.getFirst().dsp() == 0) {
                return 0;
            }
            buffers.getFirst().bytes(container);
            board.sync(buffers.getFirst().fd(), Fastrpc.SYNC_END | Fastrpc.SYNC_WRITE);
            DspBoard.Model loaded = board.load(skeleton, buffers.getFirst().dsp(), container.length);
            model = loaded.handle() == 0 ? model : loaded.handle();
            return loaded.answer();
        }

        /** Whatever was left comes to an end, and nothing is alive. */
        private void end() {
            board.driver.heal();
            buffers.forEach(buffer -> board.free(buffer, seed));
            for (int fd = 0; fd < 1100; fd++) {
                board.kernel.close(fd);
            }
            board.clock.advance(20_000_000_000L);
            assertThat(board.driver.usage())
                    .as("rerun with -Dportal.seed=%d", seed)
                    .isEqualTo(FastRpcDriver.Usage.NONE);
            board.arena.close();
        }
    }
}
