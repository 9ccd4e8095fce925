package dev.portal.verification.hexagon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.emulator.hexagon.DriverProfile;
import dev.portal.emulator.hexagon.HexagonOptions;
import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.AllocDmaBuf;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.Invoke;
import dev.portal.hardware.fastrpc.InvokeArgs;
import dev.portal.hardware.fastrpc.QnnWire;
import dev.portal.hardware.fastrpc.ReqMmap;
import dev.portal.hardware.fastrpc.ReqMunmap;
import dev.portal.hexagon.DmaBuffer;
import dev.portal.hexagon.HexagonModel;
import dev.portal.hexagon.HexagonRuntime;
import dev.portal.hexagon.QnnGraph;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Mapping;
import dev.portal.kernel.Open;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a port of the scheduling seed's words, letter by letter, meets on a board: each test says why it fails. */
final class NaivePortTest {
    private final HexagonBoard board = HexagonBoard.virtual(HexagonOptions.standard());
    private final Kernel kernel = board.kernel;
    private final Arena arena = Arena.ofShared();
    private final int fd = Answer.value(kernel.open(Fastrpc.NODE_CDSP_SECURE, Open.DEVICE));

    @AfterEach
    void end() {
        kernel.close(fd);
        arena.close();
    }

    private int allocate(long size) {
        AllocDmaBuf allocation = new AllocDmaBuf(arena.allocate(AllocDmaBuf.LAYOUT));
        allocation.size(size);
        assertThat(kernel.ioctl(fd, Fastrpc.ALLOC_DMA_BUFF, allocation.segment()))
                .isZero();
        return allocation.fd();
    }

    /** "ALLOC_DMA_BUFF returns a DMA-BUF fd + host mmap ptr." It returns a descriptor; the mapping is another call. */
    @Test
    void allocatingGivesNoPointer() {
        MemorySegment raw = arena.allocate(AllocDmaBuf.LAYOUT);
        new AllocDmaBuf(raw).size(4096);
        kernel.ioctl(fd, Fastrpc.ALLOC_DMA_BUFF, raw);
        // fd, flags, size: there is no room for a pointer, and the size is what was asked for.
        assertThat(raw.get(ValueLayout.JAVA_INT, 0)).isPositive();
        assertThat(raw.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(4096);
        kernel.close(raw.get(ValueLayout.JAVA_INT, 0));
    }

    /**
     * "MMAP ioctl maps it into the DSP's address space." With the buffer's own address it is EINVAL, since vaddrin must
     * be 0; with 0 it succeeds and maps nothing of the buffer's: the kernel allocates other memory for the DSP's heap and
     * never reads the descriptor.
     */
    @Test
    void theMmapIoctlDoesNotMapABuffer() {
        HexagonRuntime runtime = board.stepped(HexagonBoard.oneThread());
        HexagonModel model = runtime.load("affine", HexagonBoard.MODEL, HexagonBoard.GRAPHS);
        int session = sessionFd();
        int buffer = allocate(4096);
        Mapping mapping = kernel.mmap(buffer, 0, 4096, Kernel.PROT_READ | Kernel.PROT_WRITE, Kernel.MAP_SHARED);
        ReqMmap map = new ReqMmap(arena.allocate(ReqMmap.LAYOUT));
        map.fd(buffer);
        map.flags(Fastrpc.MMAP_ADD_PAGES);
        map.size(4096);
        map.vaddrin(mapping.memory().address());
        long refused = kernel.ioctl(session, Fastrpc.MMAP, map.segment());
        assertThat(Answer.errno(refused)).isEqualTo(Errno.EINVAL);
        map.vaddrin(0);
        map.flags(Fastrpc.MAP_FD);
        assertThat(Answer.errno(kernel.ioctl(session, Fastrpc.MMAP, map.segment())))
                .as("flags of a mapping are no flags of the heap")
                .isEqualTo(Errno.EINVAL);
        map.flags(Fastrpc.MMAP_ADD_PAGES);
        assertThat(kernel.ioctl(session, Fastrpc.MMAP, map.segment())).isZero();
        // The address is one of the heap's. As an input it makes the graph compute on other bytes than the buffer's.
        mapping.memory().fill((byte) 1);
        long answer = setInput(session, runtime, model, map.vaddrout());
        assertThat(answer == 0
                        && execute(session, runtime, model) == 0
                        && firstOutput(runtime, model) == 3 * 0x01010101 + 5)
                .as("the DSP saw the buffer")
                .isFalse();
        ReqMunmap unmap = new ReqMunmap(arena.allocate(ReqMunmap.LAYOUT));
        unmap.vaddrout(map.vaddrout());
        unmap.size(4096);
        assertThat(kernel.ioctl(session, Fastrpc.MUNMAP, unmap.segment())).isZero();
        kernel.munmap(mapping.memory());
        kernel.close(buffer);
        runtime.close();
    }

    /** The runtime's own descriptor: the first after this test's. */
    private int sessionFd() {
        return fd + 1;
    }

    private long setInput(int session, HexagonRuntime runtime, HexagonModel model, long address) {
        MemorySegment in = arena.allocate(QnnWire.TENSOR_IN_BYTES, 8);
        in.set(ValueLayout.JAVA_INT, QnnWire.TENSOR_MODEL, handle(model));
        in.set(ValueLayout.JAVA_LONG, QnnWire.TENSOR_ADDRESS, address);
        in.set(ValueLayout.JAVA_INT, QnnWire.TENSOR_SIZE, 16);
        return invoke(session, module(runtime), QnnWire.SET_INPUT_SCALARS, in);
    }

    private long execute(int session, HexagonRuntime runtime, HexagonModel model) {
        MemorySegment in = arena.allocate(QnnWire.EXECUTE_IN_BYTES, 8);
        in.set(ValueLayout.JAVA_INT, QnnWire.EXECUTE_MODEL, handle(model));
        return invoke(session, module(runtime), QnnWire.EXECUTE_SCALARS, in);
    }

    private int firstOutput(HexagonRuntime runtime, HexagonModel model) {
        QnnGraph graph = runtime.graphs(model).getFirst();
        graph.getOutput(0);
        return graph.output(0).withData(memory -> memory.get(ValueLayout.JAVA_INT, 0));
    }

    private static int handle(HexagonModel model) {
        return model.handle().orElseThrow();
    }

    private static int module(HexagonRuntime runtime) {
        return runtime.moduleHandle();
    }

    private long invoke(int session, int handle, int scalars, MemorySegment in) {
        MemorySegment arguments = arena.allocate(InvokeArgs.LAYOUT);
        InvokeArgs one = new InvokeArgs(arguments);
        one.ptr(in.address());
        one.length(in.byteSize());
        one.fd(Fastrpc.NO_FD);
        Invoke invoke = new Invoke(arena.allocate(Invoke.LAYOUT));
        invoke.handle(handle);
        invoke.sc(scalars);
        invoke.args(arguments.address());
        return kernel.ioctl(session, Fastrpc.INVOKE, invoke.segment());
    }

    /** "FREE_DMA_BUFF" stands in the header, and no driver handles it: the buffer would leak, on every kernel. */
    @Test
    void freeingByIoctlIsUnknownToEveryKernel() {
        for (DriverProfile profile : DriverProfile.values()) {
            HexagonBoard other = HexagonBoard.virtual(HexagonOptions.standard().withProfile(profile));
            int node = Answer.value(other.kernel.open(Fastrpc.NODE_CDSP_SECURE, Open.DEVICE));
            AllocDmaBuf allocation = new AllocDmaBuf(arena.allocate(AllocDmaBuf.LAYOUT));
            allocation.size(4096);
            other.kernel.ioctl(node, Fastrpc.ALLOC_DMA_BUFF, allocation.segment());
            MemorySegment descriptor = arena.allocate(ValueLayout.JAVA_INT);
            descriptor.set(ValueLayout.JAVA_INT, 0, allocation.fd());
            long answer = other.kernel.ioctl(node, Fastrpc.FREE_DMA_BUFF, descriptor);
            assertThat(Answer.errno(answer)).as(profile.name()).isEqualTo(Errno.ENOTTY);
            assertThat(other.driver.usage().dmaBufs()).as("it is still there").isEqualTo(1);
            other.kernel.close(allocation.fd());
            other.kernel.close(node);
            other.assertNothingLeft(profile.name());
        }
    }

    /**
     * "< 0 is an error, with errno." A DSP error is a large negative int with errno untouched: the errno of some call
     * before would be reported. And a small positive result would be taken for success.
     */
    @Test
    void negativeIsNotAlwaysAnErrnoAndPositiveIsNotSuccess() {
        HexagonRuntime runtime = board.stepped(HexagonBoard.oneThread());
        HexagonModel model = runtime.load("affine", HexagonBoard.MODEL, HexagonBoard.GRAPHS);
        MemorySegment in = arena.allocate(QnnWire.EXECUTE_IN_BYTES, 8);
        in.set(ValueLayout.JAVA_INT, QnnWire.EXECUTE_MODEL, handle(model));
        long answer = invoke(sessionFd(), module(runtime), QnnWire.EXECUTE_SCALARS, in);
        assertThat(Answer.value(answer)).as("no input was set").isEqualTo(AeeError.EBADSTATE.onDsp());
        assertThat(Answer.value(answer)).isLessThan(-4095);
        assertThat(Answer.errno(answer)).as("errno says nothing").isZero();
        assertThat(AeeError.describe(Answer.value(answer))).isEqualTo("AEE_EBADSTATE (0x8000040d)");
        runtime.close();
    }

    /**
     * "SeqCst fence, then read." A fence orders the processor's accesses and moves no cache line: on a cached buffer the
     * DSP computes on what was in memory before.
     */
    @Test
    void aFenceAloneLeavesTheDspWithOldBytes() {
        HexagonRuntime runtime = board.stepped(HexagonBoard.oneThread());
        HexagonModel model = runtime.load("affine", HexagonBoard.MODEL, HexagonBoard.GRAPHS);
        QnnGraph graph = runtime.graphs(model).getFirst();
        DmaBuffer input = graph.input(0);
        assertThat(input.heap()).isEqualTo("system");
        input.withDataMut(memory -> memory.fill((byte) 0));
        // As the seed does it: through a mapping of one's own, with a fence and without a sync.
        Mapping own = kernel.mmap(input.fd(), 0, 4096, Kernel.PROT_READ | Kernel.PROT_WRITE, Kernel.MAP_SHARED);
        own.memory().set(ValueLayout.JAVA_INT, 0, 1000);
        java.lang.invoke.VarHandle.fullFence();
        graph.setInput(0);
        graph.execute();
        assertThat(firstOutput(runtime, model)).isNotEqualTo(3 * 1000 + 5);
        input.withDataMut(memory -> memory.set(ValueLayout.JAVA_INT, 0, 1000));
        graph.setInput(0);
        graph.execute();
        assertThat(firstOutput(runtime, model)).isEqualTo(3 * 1000 + 5);
        kernel.munmap(own.memory());
        runtime.close();
    }

    /** "Two descriptors": by two opens they are two of the few sessions, and another program's are gone. */
    @Test
    void aSecondOpenIsASecondSession() {
        HexagonBoard few = HexagonBoard.virtual(HexagonOptions.standard().withSessions(2));
        int first = Answer.value(few.kernel.open(Fastrpc.NODE_CDSP_SECURE, Open.DEVICE));
        int second = Answer.value(few.kernel.open(Fastrpc.NODE_CDSP_SECURE, Open.DEVICE));
        assertThat(Answer.errno(few.kernel.open(Fastrpc.NODE_CDSP_SECURE, Open.DEVICE)))
                .isEqualTo(Errno.EBUSY);
        few.kernel.close(second);
        int copy = Answer.value(few.kernel.fcntl(first, Kernel.F_DUPFD_CLOEXEC, 3));
        assertThat(few.driver.usage().sessions())
                .as("a duplicate shares the session")
                .isEqualTo(1);
        few.kernel.close(copy);
        few.kernel.close(first);
        few.assertNothingLeft("");
    }
}
