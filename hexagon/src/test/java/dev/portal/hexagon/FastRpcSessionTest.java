package dev.portal.hexagon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.Scalars;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FastRpcSessionTest {
    private final ScriptedKernel kernel = new ScriptedKernel();
    private final TestClock clock = new TestClock();
    private HexagonOptions options = HexagonOptions.defaults().withOwnThreads(thread -> true);
    private final InvokeThreads threads = InvokeThreads.stepped(kernel, clock, options);
    private final CallFrame frame = new CallFrame("test.call", Scalars.of(2, 1, 1), 8, 4);

    private FastRpcSession open() {
        return FastRpcSession.open(kernel, clock, options, threads);
    }

    @AfterEach
    void end() {
        threads.close();
    }

    @Test
    void theSecureNodeIsTriedFirstAndTheSecondDescriptorIsADuplicate() {
        try (FastRpcSession session = open()) {
            assertThat(session.node()).isEqualTo("/dev/fastrpc-cdsp-secure");
            assertThat(kernel.log)
                    .containsExactly("open /dev/fastrpc-cdsp-secure", "fcntl 1030 of /dev/fastrpc-cdsp-secure");
            assertThat(FastRpcSession.CDSP_DOMAIN_ID).isEqualTo(3);
        }
        assertThat(kernel.open).isEmpty();
    }

    @Test
    void thePlainNodeIsTakenWhereTheSecureOneIsMissingOrClosedToTheUser() {
        for (int errno : new int[] {Errno.ENOENT, Errno.EACCES}) {
            kernel.openErrors.put(Fastrpc.NODE_CDSP_SECURE, errno);
            try (FastRpcSession session = open()) {
                assertThat(session.node()).isEqualTo("/dev/fastrpc-cdsp");
            }
        }
    }

    @Test
    void anyOtherErrorOfOpenIsFinal() {
        kernel.openErrors.put(Fastrpc.NODE_CDSP_SECURE, Errno.EIO);
        assertThatThrownBy(this::open)
                .isInstanceOf(HexagonException.Refused.class)
                .hasMessageContaining("EIO");
        kernel.openErrors.put(Fastrpc.NODE_CDSP_SECURE, Errno.EBUSY);
        assertThatThrownBy(this::open)
                .isInstanceOf(HexagonException.NoSession.class)
                .hasMessageContaining("every session of the DSP is taken");
        assertThat(kernel.log).doesNotContain("open /dev/fastrpc-cdsp");
    }

    @Test
    void noNodeAndNoPermissionAreToldApartAndTheOtherDriversAreNamed() {
        kernel.nodes.clear();
        assertThatThrownBy(this::open)
                .isInstanceOf(HexagonException.Unavailable.class)
                .hasMessageContaining("emulated");
        kernel.nodes.add(Fastrpc.NODE_ADSP_SECURE);
        assertThatThrownBy(this::open).hasMessageContaining("the audio DSP says nothing of the compute DSP");
        kernel.nodes.add(Fastrpc.NODE_DOWNSTREAM);
        assertThatThrownBy(this::open).hasMessageContaining("Detected, and not supported");
        kernel.openErrors.put(Fastrpc.NODE_CDSP, Errno.EACCES);
        assertThatThrownBy(this::open)
                .isInstanceOf(HexagonException.Denied.class)
                .hasMessageContaining("group");
    }

    @Test
    void theThreeOutcomesOfAnIoctlStayApart() {
        try (FastRpcSession session = open()) {
            kernel.dsp = (handle, scalars, arguments) -> Answer.of(0);
            session.invoke(77, frame);
            kernel.dsp = (handle, scalars, arguments) -> Answer.error(Errno.EINVAL);
            assertThatThrownBy(() -> session.invoke(77, frame))
                    .isInstanceOfSatisfying(
                            HexagonException.Refused.class,
                            e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
            // The driver hands DSP errors back with errno untouched: large negative ints, and small positive ones.
            for (int result : new int[] {AeeError.EUNABLETOLOAD.onDsp(), AeeError.ENOSUCH, AeeError.ECONNRESET}) {
                kernel.dsp = (handle, scalars, arguments) -> Answer.of(result);
                assertThatThrownBy(() -> session.invoke(77, frame))
                        .isInstanceOfSatisfying(
                                HexagonException.DspFailed.class,
                                e -> assertThat(e.result()).isEqualTo(result))
                        .hasMessageContaining("AEE_");
            }
            assertThat(session.isOpen()).isTrue();
        }
    }

    @Test
    void aRestartEndsTheSessionAndLaterCallsSayWhy() {
        try (FastRpcSession session = open()) {
            kernel.dsp = (handle, scalars, arguments) -> Answer.error(Errno.EPIPE);
            assertThatThrownBy(() -> session.invoke(77, frame)).isInstanceOf(HexagonException.DspRestarted.class);
            assertThat(session.isOpen()).isFalse();
            int before = kernel.log.size();
            assertThatThrownBy(() -> session.invoke(77, frame))
                    .isInstanceOf(HexagonException.SessionOver.class)
                    .hasMessageContaining("the DSP restarted");
            assertThat(kernel.log).hasSize(before);
        }
    }

    @Test
    void aSignalEndsTheSessionSinceTheDspMayRunTheCallAgain() {
        try (FastRpcSession session = open()) {
            kernel.dsp = (handle, scalars, arguments) -> Answer.error(Errno.EINTR);
            assertThatThrownBy(() -> session.invoke(77, frame)).isInstanceOf(HexagonException.Interrupted.class);
            assertThat(session.isOpen()).isFalse();
        }
    }

    @Test
    void mappingIsMemMapAndUnmappingMemUnmap() {
        try (FastRpcSession session = open()) {
            DmaBuffer buffer = session.allocate(5000);
            long address = session.mmap(buffer);
            assertThat(address).isEqualTo(buffer.dspAddress()).isEqualTo(session.mapToDsp(buffer));
            assertThat(session.mappedBytes()).isEqualTo(8192);
            session.unmapFromDsp(buffer);
            assertThat(session.mappedBytes()).isZero();
            assertThatThrownBy(buffer::dspAddress).hasMessageContaining("not mapped");
            assertThat(kernel.log).contains("MEM_MAP", "MEM_UNMAP").doesNotContain("MMAP");
            session.shrinkHeap(session.growHeap(1 << 20), 1 << 20);
            assertThat(kernel.log).contains("MMAP", "MUNMAP");
        }
    }

    @Test
    void addressesAboveTheBudgetAreRefusedBeforeTheKernelIsAsked() {
        options = options.withDspAddressBytes(8192);
        try (FastRpcSession session = open()) {
            session.mapToDsp(session.allocate(4096));
            DmaBuffer second = session.allocate(8192);
            int asked = java.util.Collections.frequency(kernel.log, "MEM_MAP");
            assertThatThrownBy(() -> session.mapToDsp(second))
                    .isInstanceOf(HexagonException.BudgetExceeded.class)
                    .hasMessageContaining("exceeds 8192 bytes");
            assertThat(java.util.Collections.frequency(kernel.log, "MEM_MAP")).isEqualTo(asked);
        }
    }

    @Test
    void bothFormsOfTheCapabilityAnswerAreRead() {
        try (FastRpcSession session = open()) {
            assertThat(session.capability(Fastrpc.ATTRIBUTE_ARCH_VER)).contains(0x68);
            kernel.oldCapabilities = true;
            assertThat(session.capability(Fastrpc.ATTRIBUTE_ARCH_VER)).contains(0x68);
            kernel.answers.put(Fastrpc.GET_DSP_INFO, Answer.error(Errno.EOPNOTSUPP));
            assertThat(session.capability(Fastrpc.ATTRIBUTE_ARCH_VER)).isEmpty();
        }
    }

    @Test
    void aTimeOutOfTheProcessNamesTheWrongShell() {
        try (FastRpcSession session = open()) {
            kernel.answers.put(Fastrpc.INIT_CREATE, Answer.error(Errno.ETIMEDOUT));
            DmaBuffer shell = session.allocate(4096);
            assertThatThrownBy(() -> session.createProcess(shell, 4096)).hasMessageContaining("another firmware build");
            kernel.answers.put(Fastrpc.INIT_CREATE, Answer.of(AeeError.ERESOURCENOTFOUND.onDsp()));
            assertThatThrownBy(() -> session.createProcess(shell, 4096)).hasMessageContaining("check the shell");
        }
    }

    @Test
    void theEndKeepsTheOneRightOrder() {
        FastRpcSession session = open();
        session.mapToDsp(session.allocate(4096));
        session.mapToDsp(session.allocateCoherent(4096));
        kernel.log.clear();
        session.close();
        assertThat(kernel.log)
                .containsExactly(
                        "MEM_UNMAP",
                        "MEM_UNMAP",
                        "munmap",
                        "munmap",
                        "close heap buffer",
                        "close session buffer",
                        "close /dev/dma_heap/system",
                        "close /dev/fastrpc-cdsp-secure copy",
                        "close /dev/fastrpc-cdsp-secure");
        assertThat(kernel.open).isEmpty();
        assertThat(kernel.mappings).isZero();
        session.close();
        assertThatThrownBy(() -> session.allocate(1)).isInstanceOf(HexagonException.SessionOver.class);
    }

    @Test
    void aHungCallIsGivenUpItsThreadInterruptedAndItsBuffersKeptUntilTheSessionGoes() throws Exception {
        options = options.withOwnThreads(thread -> false).withHang(1_000, 100);
        InvokeThreads pool = InvokeThreads.stepped(kernel, clock, options);
        FastRpcSession session = FastRpcSession.open(kernel, clock, options, pool);
        CountDownLatch inCall = new CountDownLatch(1);
        CountDownLatch signal = new CountDownLatch(2);
        kernel.dsp = (handle, scalars, arguments) -> {
            inCall.countDown();
            await(signal);
            return Answer.error(Errno.EINTR);
        };
        // The first interrupt is lost, as one that comes before the system call has begun.
        kernel.interrupt = thread -> signal.countDown();
        DmaBuffer buffer = session.allocate(4096);
        session.mapToDsp(buffer);
        CallFrame call = new CallFrame("hung.call", Scalars.of(2, 1, 0), 0, 0);
        call.buffer(0, buffer, 0, 4096);
        try (ExecutorService caller = Executors.newSingleThreadExecutor()) {
            CompletableFuture<Void> done = CompletableFuture.runAsync(() -> session.invoke(77, call), caller);
            inCall.await();
            pool.doWork();
            assertThat(done).isNotDone();
            clock.advance(2_000);
            pool.doWork();
            assertThatThrownBy(done::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(HexagonException.DspHung.class)
                    .hasMessageContaining("hung.call did not come back");
            assertThat(session.isOpen()).isFalse();
            assertThatThrownBy(buffer::close).hasMessageContaining("in use");
            pool.doWork();
            kernel.log.clear();
            session.close();
        }
        assertThat(kernel.log)
                .as("a DSP that hangs is not asked to unmap")
                .doesNotContain("MEM_UNMAP")
                .endsWith("close /dev/fastrpc-cdsp-secure");
        assertThat(kernel.open).isEmpty();
        pool.close();
    }

    @Test
    void aSessionIsNotClosedUnderARunningCall() throws Exception {
        InvokeThreads pool = InvokeThreads.stepped(kernel, clock, options.withOwnThreads(thread -> false));
        FastRpcSession session = FastRpcSession.open(kernel, clock, options.withOwnThreads(thread -> false), pool);
        CountDownLatch inCall = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        AtomicBoolean answered = new AtomicBoolean();
        kernel.dsp = (handle, scalars, arguments) -> {
            inCall.countDown();
            await(answer);
            answered.set(true);
            return Answer.of(0);
        };
        kernel.interrupt = thread -> answer.countDown();
        try (ExecutorService caller = Executors.newSingleThreadExecutor()) {
            CompletableFuture<Void> done = CompletableFuture.runAsync(() -> session.invoke(77, frame), caller);
            inCall.await();
            kernel.log.clear();
            session.close();
            assertThat(answered)
                    .as("the call came back before the descriptors went")
                    .isTrue();
            assertThatThrownBy(done::join).hasCauseInstanceOf(HexagonException.SessionOver.class);
        }
        pool.close();
    }

    @Test
    void invokeThreadsBlockTheirSignalsOnce() {
        try (FastRpcSession session = open()) {
            session.invoke(77, frame);
            session.invoke(77, frame);
        }
        List<String> blocked =
                kernel.log.stream().filter(line -> line.startsWith("signals")).toList();
        assertThat(blocked).hasSize(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
