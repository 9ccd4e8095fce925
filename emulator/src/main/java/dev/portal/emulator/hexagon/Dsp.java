package dev.portal.emulator.hexagon;

import dev.portal.base.RandomStream;
import dev.portal.emulator.FaultInjector;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.KernelLog;
import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.Scalars;
import dev.portal.hardware.fastrpc.WireCreate;
import dev.portal.hardware.fastrpc.WireMemMapRequest;
import dev.portal.hardware.fastrpc.WireMemUnmapRequest;
import dev.portal.hardware.fastrpc.WireMmapRequest;
import dev.portal.hardware.fastrpc.WireMunmapRequest;
import dev.portal.hardware.fastrpc.WirePage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The compute DSP's firmware: the kernel's own calls (spec 1.6, 1.7) and the processes. A call for a process that does not
 * exist is answered 0x8000040D. The device's lock guards it.
 */
final class Dsp {
    private static final int ATTRIBUTES = 256;
    private static final int HVX_UNITS = 4;
    private static final int VTCM_PAGE_BYTES = 8 << 20;
    private static final int ARCHITECTURE = 0x68;
    private static final int METHOD_ATTACH = 0;
    private static final int METHOD_RELEASE = 1;
    private static final int METHOD_MMAP = 4;
    private static final int METHOD_MUNMAP = 5;
    private static final int METHOD_CREATE = 6;
    private static final int METHOD_CREATE_ATTR = 7;
    private static final int METHOD_MEM_MAP = 10;
    private static final int METHOD_MEM_UNMAP = 11;

    final HexagonOptions options;
    final FaultInjector faults;
    final KernelLog log;
    final Telemetry telemetry;
    final Map<Integer, GraphBackend> backends;
    private final Listener.Replies replies;
    private final RandomStream random;
    private final Map<Integer, DspProcess> processes = new HashMap<>();
    private int processesMade;

    Dsp(
            HexagonOptions options,
            FaultInjector faults,
            KernelLog log,
            Telemetry telemetry,
            Map<Integer, GraphBackend> backends,
            Listener.Replies replies) {
        this.options = options;
        this.faults = faults;
        this.log = log;
        this.telemetry = telemetry;
        this.backends = backends;
        this.replies = replies;
        this.random = new RandomStream(options.seed()).derive("dsp");
    }

    void reply(RemoteCall call, int result) {
        replies.reply(call, result);
    }

    Outcome handle(RemoteCall call) {
        if (call.handle() == Fastrpc.HANDLE_KERNEL && call.context.fromKernel) {
            return kernelCall(call);
        }
        if (call.handle() == Fastrpc.HANDLE_DSP_UTILITIES) {
            return attributes(call);
        }
        DspProcess process = processes.get(call.client());
        return process == null ? error(AeeError.EBADSTATE) : process.invoke(call);
    }

    private static Outcome error(AeeError error) {
        return Outcome.reply(error.onDsp());
    }

    private Outcome kernelCall(RemoteCall call) {
        return switch (call.method()) {
            case METHOD_ATTACH -> Outcome.reply(0);
            case METHOD_RELEASE -> release(RemoteCall.word(call.in(0), 0));
            case METHOD_CREATE, METHOD_CREATE_ATTR -> create(call);
            case METHOD_MMAP -> growHeap(call);
            case METHOD_MUNMAP -> shrinkHeap(call);
            case METHOD_MEM_MAP -> map(call);
            case METHOD_MEM_UNMAP -> unmap(call);
            default -> error(AeeError.EUNSUPPORTED);
        };
    }

    private Outcome release(int client) {
        DspProcess process = processes.remove(client);
        if (process == null) {
            return Outcome.reply(0);
        }
        process.exit();
        return process.hung ? Outcome.PARKED : Outcome.reply(0);
    }

    private Outcome create(RemoteCall call) {
        WireCreate request = new WireCreate(aligned(call.in(0), WireCreate.LAYOUT.byteSize()));
        byte[] shell = call.in(2).toArray(ValueLayout.JAVA_BYTE);
        if (processes.containsKey(request.pgid())) {
            return error(AeeError.EALREADY);
        }
        if (faults.at(Kind.PROCESS_REFUSED).isPresent() || !EmulatedShell.isShell(shell)) {
            return error(AeeError.ERESOURCENOTFOUND);
        }
        if (faults.at(Kind.WRONG_SHELL).isPresent() || !EmulatedShell.isOfBuild(shell, options.firmwareBuild())) {
            return Outcome.PARKED;
        }
        processesMade++;
        processes.put(request.pgid(), new DspProcess(this, request.pgid(), random.derive("process " + processesMade)));
        return Outcome.reply(0);
    }

    /** A copy that a view can be laid over, whatever its place in the payload. */
    private static MemorySegment aligned(MemorySegment buffer, long bytes) {
        MemorySegment copy = MemorySegment.ofArray(new long[(int) (bytes + 7) / 8]);
        MemorySegment.copy(buffer, 0, copy, 0, Math.min(bytes, buffer.byteSize()));
        return copy;
    }

    private Outcome growHeap(RemoteCall call) {
        WireMmapRequest request = new WireMmapRequest(aligned(call.in(0), WireMmapRequest.LAYOUT.byteSize()));
        DspProcess process = processes.get(request.pgid());
        if (process == null) {
            return error(AeeError.EBADSTATE);
        }
        WirePage page = new WirePage(aligned(call.in(1), WirePage.LAYOUT.byteSize()));
        return mapped(process.memory.growHeap(page.size()), call);
    }

    private static Outcome mapped(DspMemory.Mapped mapped, RemoteCall call) {
        if (mapped.result() == 0) {
            call.out(0).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, mapped.address());
        }
        return Outcome.reply(mapped.result());
    }

    private Outcome shrinkHeap(RemoteCall call) {
        WireMunmapRequest request = new WireMunmapRequest(aligned(call.in(0), WireMunmapRequest.LAYOUT.byteSize()));
        DspProcess process = processes.get(request.pgid());
        return process == null
                ? error(AeeError.EBADSTATE)
                : Outcome.reply(process.memory.shrinkHeap(request.vaddr(), request.size()));
    }

    private Outcome map(RemoteCall call) {
        WireMemMapRequest request = new WireMemMapRequest(aligned(call.in(0), WireMemMapRequest.LAYOUT.byteSize()));
        DspProcess process = processes.get(request.pgid());
        if (process == null) {
            return error(AeeError.EBADSTATE);
        }
        WirePage page = new WirePage(aligned(call.in(1), WirePage.LAYOUT.byteSize()));
        BufferMap map = call.context.file.mapAt(page.addr());
        if (map == null) {
            return error(AeeError.EMMAP);
        }
        return mapped(process.memory.map(map, request.offset(), page.size(), request.flags()), call);
    }

    private Outcome unmap(RemoteCall call) {
        WireMemUnmapRequest request =
                new WireMemUnmapRequest(aligned(call.in(0), WireMemUnmapRequest.LAYOUT.byteSize()));
        DspProcess process = processes.get(request.pgid());
        if (process == null) {
            return error(AeeError.EBADSTATE);
        }
        return faults.at(Kind.UNMAP_REFUSED).isPresent()
                ? error(AeeError.EFAILED)
                : Outcome.reply(process.memory.unmap(request.vaddrin()));
    }

    private Outcome attributes(RemoteCall call) {
        if (Scalars.inHandles(call.scalars()) + Scalars.outHandles(call.scalars()) > 0
                || Scalars.outBuffers(call.scalars()) < 1) {
            return error(AeeError.EBADPARM);
        }
        MemorySegment out = call.out(0);
        for (int i = 0; i < ATTRIBUTES - 1 && 4L * i + 4 <= out.byteSize(); i++) {
            RemoteCall.word(out, 4L * i, attribute(i + 1));
        }
        return Outcome.reply(0);
    }

    /** The query's first word is attribute 1: attribute 0 is not the DSP's to answer. */
    private int attribute(int id) {
        return switch (id) {
            case Fastrpc.ATTRIBUTE_UNSIGNED_PD_SUPPORT -> options.unsignedSupport() ? 1 : 0;
            case Fastrpc.ATTRIBUTE_HVX_SUPPORT_128B -> HVX_UNITS;
            case Fastrpc.ATTRIBUTE_VTCM_PAGE -> VTCM_PAGE_BYTES;
            case Fastrpc.ATTRIBUTE_VTCM_COUNT -> 1;
            case Fastrpc.ATTRIBUTE_ARCH_VER -> ARCHITECTURE;
            default -> 0;
        };
    }

    @Nullable
    DspProcess process(int client) {
        return processes.get(client);
    }

    /** The DSP restarts: nothing is left. */
    void reset() {
        processes.values().forEach(DspProcess::exit);
        processes.clear();
    }

    int processes() {
        return processes.size();
    }

    int openModules() {
        return processes.values().stream().mapToInt(DspProcess::openModules).sum();
    }

    int models() {
        return processes.values().stream().mapToInt(DspProcess::models).sum();
    }

    int mappings() {
        return processes.values().stream()
                .mapToInt(process -> process.memory.mappings())
                .sum();
    }
}
