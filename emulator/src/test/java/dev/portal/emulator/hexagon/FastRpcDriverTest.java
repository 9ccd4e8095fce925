package dev.portal.emulator.hexagon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.emulator.FaultPlan;
import dev.portal.emulator.FaultPlan.Fault;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.FaultPlan.Trigger.Count;
import dev.portal.emulator.hexagon.DspBoard.Buffer;
import dev.portal.emulator.hexagon.DspBoard.Loaded;
import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.AllocDmaBuf;
import dev.portal.hardware.fastrpc.Capability;
import dev.portal.hardware.fastrpc.DmaHeap;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.InitCreate;
import dev.portal.hardware.fastrpc.Invoke;
import dev.portal.hardware.fastrpc.InvokeArgs;
import dev.portal.hardware.fastrpc.MemMap;
import dev.portal.hardware.fastrpc.QnnWire;
import dev.portal.hardware.fastrpc.ReqMmap;
import dev.portal.hardware.fastrpc.ReqMunmap;
import dev.portal.hardware.fastrpc.Scalars;
import dev.portal.hardware.fastrpc.SetOption;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Open;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The kernel driver's answers, ioctl by ioctl (spec 1.1, 1.6, 1.8, 1.9). */
class FastRpcDriverTest {
    private static final HexagonOptions STANDARD = HexagonOptions.standard();
    private static final long TEN_SECONDS = 10_000_000_000L;

    private static int errno(long answer) {
        return Answer.errno(answer);
    }

    private static HexagonOptions faulty(Kind kind, long amount) {
        return STANDARD.withFaults(FaultPlan.of(new Fault(kind, new Count(1, 1), amount)));
    }

    @Test
    void anOpenTakesASessionAndADuplicateDoesNot() {
        try (DspBoard board = new DspBoard(STANDARD.withSessions(2))) {
            int copy = Answer.value(board.kernel.dup(board.fd));
            int second = Answer.value(board.kernel.open(Fastrpc.NODE_CDSP, Open.DEVICE));
            assertThat(board.driver.usage().sessions()).isEqualTo(2);
            assertThat(errno(board.kernel.open(Fastrpc.NODE_CDSP, Open.DEVICE))).isEqualTo(Errno.EBUSY);
            assertThat(board.log.contains("No session available")).isTrue();
            board.kernel.close(copy);
            assertThat(board.driver.usage().sessions()).isEqualTo(2);
            board.kernel.close(second);
            assertThat(errno(board.kernel.open(Fastrpc.NODE_CDSP, Open.DEVICE))).isZero();
        }
    }

    @Test
    void thePlainNodeMayCreateUnsignedProcessesOnly() {
        try (DspBoard board = new DspBoard()) {
            board.kernel.close(board.fd);
            board.fd = Answer.value(board.kernel.open(Fastrpc.NODE_CDSP, Open.DEVICE));
            byte[] shell = EmulatedShell.of(STANDARD.firmwareBuild());
            assertThat(errno(board.createProcess(shell, 0))).isEqualTo(Errno.ECONNREFUSED);
            assertThat(board.createProcess(shell, DspBoard.UNSIGNED)).isZero();
        }
    }

    @Test
    void aRequestOfAnotherSizeIsUnknownAndFreeDmaBuffIsHandledByNobody() {
        try (DspBoard board = new DspBoard()) {
            MemorySegment argument = board.allocate(64);
            assertThat(errno(board.ioctl(Fastrpc.FREE_DMA_BUFF, argument))).isEqualTo(Errno.ENOTTY);
            assertThat(errno(board.ioctl(Fastrpc.INVOKE + (8 << 16), argument))).isEqualTo(Errno.ENOTTY);
            assertThat(errno(board.ioctl(0xC018_5263, argument))).isEqualTo(Errno.ENOTTY);
            assertThat(errno(board.kernel.ioctl(77, Fastrpc.INVOKE, argument))).isEqualTo(Errno.EBADF);
        }
    }

    @Test
    void allocGivesADescriptorThatChildrenInheritAndWhoseSizeIsTakenAsGiven() {
        try (DspBoard board = new DspBoard()) {
            int fd = board.alloc(8192);
            assertThat(board.system.inheritedDescriptors()).contains(fd);
            board.kernel.fcntl(fd, Kernel.F_SETFD, Kernel.FD_CLOEXEC);
            assertThat(board.system.inheritedDescriptors()).doesNotContain(fd);
            board.free(board.mapped(fd, 8192));
            int odd = board.alloc(100);
            assertThat(board.kernel.mmap(odd, 0, 100, 3, 1).errno()).isEqualTo(Errno.EINVAL);
            board.kernel.close(odd);
            AllocDmaBuf args = new AllocDmaBuf(board.allocate(16));
            args.size(1L << 40);
            assertThat(errno(board.ioctl(Fastrpc.ALLOC_DMA_BUFF, args.segment())))
                    .isEqualTo(Errno.ENOMEM);
        }
    }

    @Test
    void aFullTableIsEinvalForAllocAndEmfileForAHeap() {
        FaultPlan full = FaultPlan.of(new Fault(Kind.NO_DESCRIPTOR, new Count(1, 2), 0));
        try (DspBoard board = new DspBoard(STANDARD.withFaults(full))) {
            AllocDmaBuf args = new AllocDmaBuf(board.allocate(16));
            args.size(4096);
            assertThat(errno(board.ioctl(Fastrpc.ALLOC_DMA_BUFF, args.segment())))
                    .isEqualTo(Errno.EINVAL);
            int heap = Answer.value(board.kernel.open(Fastrpc.DMA_HEAP_SYSTEM, Open.DEVICE));
            DmaHeap request = new DmaHeap(board.allocate(24));
            request.len(4096);
            assertThat(errno(board.kernel.ioctl(heap, Fastrpc.DMA_HEAP_ALLOC, request.segment())))
                    .isEqualTo(Errno.EMFILE);
            assertThat(board.driver.usage().dmaBufs()).isZero();
        }
    }

    @Test
    void aHeapRefusesWhatItDoesNotKnow() {
        try (DspBoard board = new DspBoard()) {
            int heap = Answer.value(board.kernel.open(Fastrpc.DMA_HEAP_SYSTEM, Open.DEVICE));
            DmaHeap args = new DmaHeap(board.allocate(24));
            assertThat(errno(board.kernel.ioctl(heap, Fastrpc.DMA_HEAP_ALLOC, args.segment())))
                    .as("length 0")
                    .isEqualTo(Errno.EINVAL);
            args.len(100);
            args.fd(3);
            assertThat(errno(board.kernel.ioctl(heap, Fastrpc.DMA_HEAP_ALLOC, args.segment())))
                    .as("fd on entry")
                    .isEqualTo(Errno.EINVAL);
            args.fd(0);
            args.fdFlags(0x800);
            assertThat(errno(board.kernel.ioctl(heap, Fastrpc.DMA_HEAP_ALLOC, args.segment())))
                    .as("O_NONBLOCK")
                    .isEqualTo(Errno.EINVAL);
            args.fdFlags(2);
            assertThat(board.kernel.ioctl(heap, Fastrpc.DMA_HEAP_ALLOC, args.segment()))
                    .isZero();
            assertThat(board.system.inheritedDescriptors()).contains(args.fd());
            assertThat(board.kernel.mmap(args.fd(), 0, 100, 3, 1).errno())
                    .as("rounded to a page")
                    .isZero();
        }
    }

    @Test
    void aSyncWithAnotherBitOrWithoutADirectionIsRefused() {
        try (DspBoard board = new DspBoard()) {
            int fd = board.heap(4096);
            for (long flags : new long[] {0, 4, 8, 1 | 8}) {
                assertThat(errno(board.sync(fd, flags))).isEqualTo(Errno.EINVAL);
            }
            assertThat(board.sync(fd, Fastrpc.SYNC_RW | Fastrpc.SYNC_END)).isZero();
        }
    }

    @Test
    void theNaivePortsMmapIoctlMapsNoBuffer() {
        try (DspBoard board = DspBoard.ready(STANDARD)) {
            Buffer buffer = board.mapped(board.alloc(4096), 4096);
            ReqMmap args = new ReqMmap(board.allocate(32));
            args.fd(buffer.fd());
            args.vaddrin(buffer.memory().address());
            args.size(4096);
            assertThat(errno(board.ioctl(Fastrpc.MMAP, args.segment())))
                    .as("flags 0")
                    .isEqualTo(Errno.EINVAL);
            args.flags(Fastrpc.MMAP_ADD_PAGES);
            assertThat(errno(board.ioctl(Fastrpc.MMAP, args.segment())))
                    .as("a process's address")
                    .isEqualTo(Errno.EINVAL);
            args.vaddrin(0);
            args.fd(-99);
            assertThat(board.ioctl(Fastrpc.MMAP, args.segment()))
                    .as("the descriptor is never read")
                    .isZero();
            int skeleton = board.skeleton();
            assertThat(Answer.value(board.load(skeleton, args.vaddrout(), 64).answer()))
                    .as("what it gave is the DSP's heap, not the buffer")
                    .isEqualTo(AeeError.ENOSUCHMAP.onDsp());
        }
    }

    @Test
    void theDspsHeapShrinksByTheExactPairOnly() {
        try (DspBoard board = DspBoard.ready(STANDARD)) {
            ReqMmap grown = new ReqMmap(board.allocate(32));
            grown.flags(Fastrpc.MMAP_ADD_PAGES);
            grown.size(8192);
            assertThat(board.ioctl(Fastrpc.MMAP, grown.segment())).isZero();
            ReqMunmap args = new ReqMunmap(board.allocate(16));
            args.vaddrout(grown.vaddrout());
            args.size(4096);
            assertThat(errno(board.ioctl(Fastrpc.MUNMAP, args.segment()))).isEqualTo(Errno.EINVAL);
            args.size(8192);
            assertThat(board.ioctl(Fastrpc.MUNMAP, args.segment())).isZero();
            assertThat(board.driver.usage().heapBlocks()).isZero();
        }
    }

    @Test
    void memMapNeedsADmaBufAndUnmapItsExactAddress() {
        try (DspBoard board = DspBoard.ready(STANDARD)) {
            assertThat(errno(board.ioctl(
                            Fastrpc.MEM_MAP, board.memMap(99, 4096, 2).segment())))
                    .isEqualTo(Errno.EBADF);
            assertThat(errno(board.ioctl(
                            Fastrpc.MEM_MAP, board.memMap(board.fd, 4096, 2).segment())))
                    .isEqualTo(Errno.EINVAL);
            Buffer buffer = board.shared(8192);
            assertThat(errno(board.unmap(buffer.dsp() + 4096))).isEqualTo(Errno.EINVAL);
            assertThat(board.unmap(buffer.dsp())).isZero();
            assertThat(errno(board.unmap(buffer.dsp()))).isEqualTo(Errno.EINVAL);
            assertThat(board.driver.usage().maps()).isZero();
        }
    }

    @Test
    void aStaticMapTwiceIsRefusedByTheDspAndOneByDescriptorSharesItsAddress() {
        try (DspBoard board = DspBoard.ready(STANDARD)) {
            int fd = board.heap(4096);
            MemMap first = board.memMap(fd, 4096, Fastrpc.MAP_FD);
            assertThat(board.ioctl(Fastrpc.MEM_MAP, first.segment())).isZero();
            MemMap second = board.memMap(fd, 4096, Fastrpc.MAP_FD);
            assertThat(board.ioctl(Fastrpc.MEM_MAP, second.segment())).isZero();
            assertThat(second.vaddrout()).isEqualTo(first.vaddrout());
            MemMap third = board.memMap(fd, 4096, Fastrpc.MAP_STATIC);
            assertThat(Answer.value(board.ioctl(Fastrpc.MEM_MAP, third.segment())))
                    .isEqualTo(AeeError.EMAPALREADYPRESENT.onDsp());
            assertThat(board.unmap(first.vaddrout())).isZero();
            assertThat(board.unmap(first.vaddrout())).isZero();
            assertThat(board.driver.usage().maps()).isZero();
            assertThat(board.driver.usage().dspMappings()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DriverProfile.class,
            names = {"V6_1", "V7"})
    void aLengthBeyondTheBufferIsSeenByNewKernelsOnly(DriverProfile profile) {
        try (DspBoard board = DspBoard.ready(STANDARD.withProfile(profile))) {
            int fd = board.heap(4096);
            long answer = board.ioctl(Fastrpc.MEM_MAP, board.memMap(fd, 8192, 2).segment());
            assertThat(errno(answer)).isEqualTo(profile == DriverProfile.V6_1 ? 0 : Errno.EINVAL);
        }
    }

    @Test
    void onTheOldKernelAClosedDescriptorThatComesBackIsTheOldBuffer() {
        try (DspBoard board = DspBoard.ready(STANDARD.withProfile(DriverProfile.V6_1))) {
            int fd = board.heap(4096);
            MemMap first = board.memMap(fd, 4096, Fastrpc.MAP_FD);
            assertThat(board.ioctl(Fastrpc.MEM_MAP, first.segment())).isZero();
            board.kernel.close(fd);
            assertThat(board.heap(4096)).isEqualTo(fd);
            MemMap second = board.memMap(fd, 4096, Fastrpc.MAP_FD);
            assertThat(board.ioctl(Fastrpc.MEM_MAP, second.segment())).isZero();
            assertThat(second.vaddrout()).as("not the new buffer").isEqualTo(first.vaddrout());
            assertThat(board.report.has("stale-map")).isTrue();
        }
    }

    @Test
    void onNewKernelsAMapIsFoundByTheBufferToo() {
        try (DspBoard board = DspBoard.ready(STANDARD)) {
            int fd = board.heap(4096);
            MemMap first = board.memMap(fd, 4096, Fastrpc.MAP_FD);
            assertThat(board.ioctl(Fastrpc.MEM_MAP, first.segment())).isZero();
            board.kernel.close(fd);
            assertThat(board.heap(4096)).isEqualTo(fd);
            MemMap second = board.memMap(fd, 4096, Fastrpc.MAP_FD);
            assertThat(board.ioctl(Fastrpc.MEM_MAP, second.segment())).isZero();
            assertThat(second.vaddrout()).isNotEqualTo(first.vaddrout());
            assertThat(board.report.faults()).isEmpty();
        }
    }

    @Test
    void invokeChecksPointersThenTheHandle() {
        try (DspBoard board = new DspBoard()) {
            Invoke header = new Invoke(board.allocate(16));
            header.sc(Scalars.of(2, 1, 0));
            for (long pointer : new long[] {0, 24, 0x1000, -4096, 1L << 47, Long.MIN_VALUE}) {
                header.args(pointer);
                assertThat(errno(board.ioctl(Fastrpc.INVOKE, header.segment())))
                        .as("arguments at 0x%x", pointer)
                        .isEqualTo(Errno.EFAULT);
            }
            assertThat(errno(board.invoke(Fastrpc.HANDLE_KERNEL, 0))).isEqualTo(Errno.EPERM);
            assertThat(board.log.contains("kernel RPC message")).isTrue();
            assertThat(Answer.value(board.invoke(0x20000, 0)))
                    .as("no process yet")
                    .isEqualTo(AeeError.EBADSTATE.onDsp());
        }
    }

    @Test
    void anArgumentWithABadPointerOrDescriptorIsRefusedBeforeTheDspSeesIt() {
        try (DspBoard board = DspBoard.ready(STANDARD)) {
            long before = board.driver.telemetry().calls();
            InvokeArgs argument = board.inline(board.words(1, 2));
            argument.ptr(0x2000);
            assertThat(errno(board.invoke(0, Scalars.of(2, 1, 0), argument))).isEqualTo(Errno.EFAULT);
            argument.ptr(board.words(1, 2).address());
            argument.fd(99);
            assertThat(errno(board.invoke(0, Scalars.of(2, 1, 0), argument)))
                    .as("EINVAL whatever the cause")
                    .isEqualTo(Errno.EINVAL);
            argument.fd(-1);
            argument.length(1L << 40);
            assertThat(errno(board.invoke(0, Scalars.of(2, 1, 0), argument))).isEqualTo(Errno.ENOMEM);
            argument.length(-8);
            assertThat(errno(board.invoke(0, Scalars.of(2, 1, 0), argument))).isEqualTo(Errno.ENOMEM);
            assertThat(board.driver.telemetry().calls()).isEqualTo(before);
            assertThat(board.driver.usage().contexts()).isZero();
        }
    }

    @Test
    void anErrorOfTheDspIsALargeNegativeAnswerWithoutErrno() {
        try (DspBoard board = DspBoard.ready(STANDARD)) {
            long answer = board.invoke(0x1234_5678, Scalars.of(2, 0, 0));
            assertThat(errno(answer)).isZero();
            assertThat(Answer.value(answer)).isEqualTo(0x8000_042C).isLessThan(-4095);
        }
    }

    @Test
    void outBuffersAreCopiedBackAlthoughTheDspRefusedTheCall() {
        try (DspBoard board = DspBoard.ready(STANDARD)) {
            MemorySegment out = board.words(7, 7);
            assertThat(Answer.value(board.invoke(0x1234_5678, Scalars.of(2, 0, 1), board.inline(out))))
                    .isEqualTo(AeeError.EINVHANDLE.onDsp());
            assertThat(out.get(ValueLayout.JAVA_INT, 0))
                    .as("the payload's zeros")
                    .isZero();
        }
    }

    @Test
    void aProcessIsCreatedOncePerSession() {
        try (DspBoard board = new DspBoard()) {
            assertThat(board.createProcess()).isZero();
            assertThat(Answer.value(board.createProcess())).isEqualTo(AeeError.EALREADY.onDsp());
        }
    }

    @Test
    void onTheOldKernelTwoSessionsOfOneProgramAreOneClient() {
        try (DspBoard board = DspBoard.ready(STANDARD.withProfile(DriverProfile.V6_1))) {
            int first = board.fd;
            board.fd = Answer.value(board.kernel.open(Fastrpc.NODE_CDSP_SECURE, Open.DEVICE));
            assertThat(Answer.value(board.createProcess())).isEqualTo(AeeError.EALREADY.onDsp());
            board.kernel.close(first);
        }
    }

    @Test
    void theShellsLengthPointerAndDescriptorAreChecked() {
        try (DspBoard board = new DspBoard()) {
            InitCreate args = new InitCreate(board.allocate(24));
            args.attrs(DspBoard.UNSIGNED);
            args.filelen(Fastrpc.INIT_FILELEN_MAX + 1);
            assertThat(errno(board.ioctl(Fastrpc.INIT_CREATE, args.segment()))).isEqualTo(Errno.EINVAL);
            args.filelen(4096);
            args.filefd(-1);
            assertThat(errno(board.ioctl(Fastrpc.INIT_CREATE, args.segment()))).isEqualTo(Errno.EBADF);
            args.filefd(0);
            args.file(0x10);
            assertThat(errno(board.ioctl(Fastrpc.INIT_CREATE, args.segment()))).isEqualTo(Errno.EFAULT);
            assertThat(board.report.has("shell-by-pointer")).isTrue();
        }
    }

    @Test
    void bytesThatAreNoShellAreRefusedAndAShellOfAnotherBuildTimesOut() {
        try (DspBoard board = new DspBoard()) {
            assertThat(Answer.value(board.createProcess(new byte[4096], DspBoard.UNSIGNED)))
                    .isEqualTo(AeeError.ERESOURCENOTFOUND.onDsp());
            long before = board.clock.nanos();
            assertThat(errno(board.createProcess(EmulatedShell.of("CDSP.HT.1.0-00001-OLD-1"), DspBoard.UNSIGNED)))
                    .isEqualTo(Errno.ETIMEDOUT);
            assertThat(board.clock.nanos() - before).isEqualTo(TEN_SECONDS);
            assertThat(board.driver.usage().contexts()).as("kept until close").isOne();
        }
    }

    @Test
    void aShellThatIsNotSyncedStillArrivesSinceTheDriverMaintainsWhatACallCarries() {
        try (DspBoard board = new DspBoard()) {
            byte[] shell = EmulatedShell.of(STANDARD.firmwareBuild());
            Buffer buffer = board.mapped(board.heap(shell.length), shell.length);
            buffer.bytes(shell);
            InitCreate args = new InitCreate(board.allocate(24));
            args.filelen(shell.length);
            args.filefd(buffer.fd());
            args.file(buffer.memory().address());
            args.attrs(DspBoard.UNSIGNED);
            assertThat(board.ioctl(Fastrpc.INIT_CREATE, args.segment())).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(DriverProfile.class)
    void capabilitiesComeAtOffset0OrAt8(DriverProfile profile) {
        try (DspBoard board = new DspBoard(STANDARD.withProfile(profile))) {
            Capability args = new Capability(board.allocate(28));
            args.domain(Fastrpc.DOMAIN_CDSP);
            args.attributeId(Fastrpc.ATTRIBUTE_ARCH_VER);
            args.capability(-1);
            assertThat(board.ioctl(Fastrpc.GET_DSP_INFO, args.segment())).isZero();
            boolean old = profile == DriverProfile.V6_1;
            assertThat(args.domain()).isEqualTo(old ? 0x68 : Fastrpc.DOMAIN_CDSP);
            assertThat(args.capability()).isEqualTo(old ? -1 : 0x68);
            args.domain(9);
            assertThat(errno(board.ioctl(Fastrpc.GET_DSP_INFO, args.segment()))).isEqualTo(old ? Errno.ECHRNG : 0);
            args.domain(Fastrpc.DOMAIN_CDSP);
            args.attributeId(256);
            assertThat(errno(board.ioctl(Fastrpc.GET_DSP_INFO, args.segment()))).isEqualTo(Errno.EOVERFLOW);
            args.attributeId(Fastrpc.ATTRIBUTE_DOMAIN_SUPPORT);
            args.capability(0);
            assertThat(board.ioctl(Fastrpc.GET_DSP_INFO, args.segment())).isZero();
            assertThat(old ? args.domain() : args.capability()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(DriverProfile.class)
    void onlyTheVendorsTreeHasOptions(DriverProfile profile) {
        try (DspBoard board = new DspBoard(STANDARD.withProfile(profile))) {
            SetOption args = new SetOption(board.allocate(32));
            args.requestId(Fastrpc.OPTION_POLL_MODE);
            args.value(1);
            assertThat(errno(board.ioctl(Fastrpc.SET_OPTION, args.segment())))
                    .isEqualTo(profile == DriverProfile.V7_TOPIC ? 0 : Errno.ENOTTY);
        }
    }

    @Test
    void argumentsThatAreTheSameMemoryAreTheSameOnTheDsp() {
        try (DspBoard board = DspBoard.ready(STANDARD)) {
            int skeleton = board.skeleton();
            byte[] container = ContextBinary.of(List.of(DspBoard.affine().image()));
            Buffer model = board.shared(AddressSpace.pages(container.length));
            model.bytes(container);
            board.written(model);
            // model_load writes its handle over the address in its own request, if both are one memory.
            MemorySegment both = board.allocate(12).asSlice(0, 12);
            both.set(ValueLayout.JAVA_LONG, 0, model.dsp());
            both.set(ValueLayout.JAVA_INT, 8, container.length);
            assertThat(board.invoke(
                            skeleton, QnnWire.MODEL_LOAD_SCALARS, board.inline(both), board.inline(both.asSlice(0, 8))))
                    .isZero();
            assertThat(both.get(ValueLayout.JAVA_INT, 4)).isOne();
        }
    }

    @Test
    void aSignalEndsTheWaitAndTheDspGoesOn() {
        try (DspBoard board = DspBoard.ready(faulty(Kind.INVOKE_INTERRUPTED, 0))) {
            int skeleton = board.skeleton();
            assertThat(errno(board.load(
                                    skeleton,
                                    ContextBinary.of(List.of(DspBoard.affine().image())))
                            .answer()))
                    .isEqualTo(Errno.EINTR);
            assertThat(board.driver.usage().models())
                    .as("it was loaded all the same")
                    .isOne();
            assertThat(board.driver.usage().contexts()).as("kept until close").isOne();
        }
    }

    @Test
    void aRestartedCallRunsTwice() {
        try (DspBoard board = DspBoard.ready(faulty(Kind.INVOKE_RESENT, 0))) {
            int skeleton = board.skeleton();
            assertThat(board.load(
                                    skeleton,
                                    ContextBinary.of(List.of(DspBoard.affine().image())))
                            .answer())
                    .isZero();
            assertThat(board.driver.usage().models()).isEqualTo(2);
            assertThat(board.driver.usage().contexts()).isOne();
        }
    }

    @Test
    void aHungCallEndsByASignalAndTheCloseTakesTenSeconds() {
        DspBoard board = DspBoard.ready(faulty(Kind.HUNG_INVOKE, 0));
        int skeleton = board.skeleton();
        long thread = board.kernel.threadHandle();
        board.clock.at(board.clock.nanos() + 2_000_000_000L, () -> board.kernel.interrupt(thread));
        assertThat(errno(board.unload(skeleton, 1))).isEqualTo(Errno.EINTR);
        long before = board.clock.nanos();
        board.close();
        assertThat(board.clock.nanos() - before).isEqualTo(TEN_SECONDS);
        assertThat(board.driver.usage()).isEqualTo(FastRpcDriver.Usage.NONE);
    }

    @Test
    void aReplyThatComesAfterTheCloseIsLoggedAndDropped() {
        HexagonOptions options = STANDARD.withFaults(FaultPlan.of(
                new Fault(Kind.LATE_REPLY, new Count(1, 1), 500_000_000),
                new Fault(Kind.INVOKE_INTERRUPTED, new Count(1, 1), 0)));
        DspBoard board = DspBoard.ready(options);
        assertThat(errno(board.unload(board.skeleton(), 1))).isEqualTo(Errno.EINTR);
        board.close();
        assertThat(board.log.contains("No context ID matches response")).isFalse();
        board.clock.advance(1_000_000_000);
        assertThat(board.log.contains("No context ID matches response")).isTrue();
        assertThat(board.driver.usage()).isEqualTo(FastRpcDriver.Usage.NONE);
    }

    @Test
    void aRestartEndsCallsWithEpipeAndTakesTheNodesAwayForAWhile() {
        try (DspBoard board = DspBoard.ready(STANDARD)) {
            board.driver.restartDsp(300_000_000);
            assertThat(errno(board.invoke(0, 0))).isEqualTo(Errno.EPIPE);
            assertThat(board.kernel.exists(Fastrpc.NODE_CDSP_SECURE)).isFalse();
            assertThat(errno(board.kernel.open(Fastrpc.NODE_CDSP_SECURE, Open.DEVICE)))
                    .isEqualTo(Errno.ENOENT);
            board.clock.advance(300_000_000);
            assertThat(errno(board.invoke(0, 0)))
                    .as("the old session stays dead")
                    .isEqualTo(Errno.EPIPE);
            board.kernel.close(board.fd);
            board.fd = Answer.value(board.kernel.open(Fastrpc.NODE_CDSP_SECURE, Open.DEVICE));
            assertThat(board.createProcess()).isZero();
        }
    }

    @Test
    void aCallThatIsUnderWayWhenTheDspRestartsEndsWithEpipe() {
        try (DspBoard board = DspBoard.ready(faulty(Kind.DSP_RESTART, 1_000_000))) {
            Loaded loaded = board.open(QnnWire.SKELETON_URI);
            assertThat(errno(loaded.answer())).isEqualTo(Errno.EPIPE);
        }
    }

    @Test
    void liveContextsAreLimitedTo255ByChannel() {
        HexagonOptions options = STANDARD.withFaults(FaultPlan.of(
                new Fault(Kind.INVOKE_INTERRUPTED, new Count(1, 300), 0),
                new Fault(Kind.LATE_REPLY, new Count(1, 300), 60_000_000_000L)));
        try (DspBoard board = DspBoard.ready(options)) {
            int skeleton = board.skeleton();
            List<Integer> errnos = new ArrayList<>();
            for (int i = 0; i < 256; i++) {
                errnos.add(errno(board.unload(skeleton, 1)));
            }
            assertThat(errnos.subList(0, 255)).containsOnly(Errno.EINTR);
            assertThat(errnos.getLast()).isEqualTo(Errno.ENOSPC);
        }
    }

    @Test
    void aBufferOfTheSessionThatOutlivesItIsReported() {
        DspBoard board = new DspBoard();
        int buffer = board.alloc(4096);
        board.kernel.close(board.fd);
        assertThat(board.report.faults()).isEmpty();
        board.kernel.close(buffer);
        assertThat(board.report.has("buffer-outlives-session")).isTrue();
        assertThat(board.log.contains("use-after-free")).isTrue();
    }

    @Test
    void aBufferThatOnlyTheSessionsMapStillHoldsGoesWithTheSession() {
        DspBoard board = DspBoard.ready(STANDARD);
        Buffer buffer = board.onDsp(board.mapped(board.alloc(4096), 4096));
        board.driver.restartDsp(0);
        assertThat(errno(board.unmap(buffer.dsp()))).isEqualTo(Errno.EPIPE);
        board.kernel.munmap(buffer.memory());
        board.kernel.close(buffer.fd());
        board.close();
        assertThat(board.report.faults()).isEmpty();
        assertThat(board.driver.usage()).isEqualTo(FastRpcDriver.Usage.NONE);
    }

    @Test
    void closeUnderARunningCallWaitsForIt() {
        try (DspBoard board = DspBoard.ready(STANDARD)) {
            int skeleton = board.skeleton();
            board.clock.at(board.clock.nanos() + 1, () -> board.kernel.close(board.fd));
            assertThat(Answer.value(board.unload(skeleton, 1)))
                    .as("the call still ends as it would")
                    .isEqualTo(AeeError.EINVHANDLE.onDsp());
            assertThat(board.driver.usage()).isEqualTo(FastRpcDriver.Usage.NONE);
        }
    }

    @Test
    void aPointerOutsideTheMappingOfItsDescriptorGivesTheDspOtherPages() {
        try (DspBoard board = DspBoard.ready(STANDARD)) {
            Buffer buffer = board.mapped(board.heap(4096), 4096);
            InvokeArgs argument = board.byDescriptor(buffer, 8);
            argument.ptr(board.words(1, 2, 3, 4).address());
            board.invoke(board.skeleton(), QnnWire.EXECUTE_SCALARS, argument);
            assertThat(board.report.has("foreign-pointer")).isTrue();
        }
    }
}
