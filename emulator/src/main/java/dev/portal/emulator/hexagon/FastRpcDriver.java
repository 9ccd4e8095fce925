package dev.portal.emulator.hexagon;

import dev.portal.base.Clock;
import dev.portal.base.RandomStream;
import dev.portal.base.Timers;
import dev.portal.base.VirtualClock;
import dev.portal.emulator.DeviceLock;
import dev.portal.emulator.EmulatedDevice;
import dev.portal.emulator.FaultInjector;
import dev.portal.emulator.FaultPlan.Fault;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.emulator.RealTime;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.kernel.Errno;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The upstream FastRPC driver with the compute DSP behind it: {@code /dev/fastrpc-cdsp-secure}, {@code /dev/fastrpc-cdsp}
 * and the DMA heaps (spec 1, 8).
 *
 * <p>Two ways to run it. With a {@link VirtualClock}, everything happens inside the calls and waits of one thread, graphs
 * take the time that they declare, and a run with the same seed repeats bit for bit. With {@link RealTime}, any thread may
 * call; a call computes on its caller's thread.
 */
public final class FastRpcDriver implements EmulatedDevice {
    private static final String HEAPS = Fastrpc.DMA_HEAP_DIRECTORY + "/";
    private static final Path MEMORY_MAP = Path.of("/proc/self/maps");
    /** A thread group that no other process of this kernel has. */
    private static final int THREAD_GROUP = 4242;

    final HexagonOptions options;
    final Clock clock;
    final DeviceLock lock;
    final FaultInjector faults;
    final KernelLog log;
    final ModelReport report;
    final DmaBufs buffers;
    final UserMemory memory = new UserMemory(MEMORY_MAP);
    final Calls calls;
    private final Telemetry telemetry = new Telemetry();
    private final Map<Integer, GraphBackend> backends = new HashMap<>();
    private final Set<FastRpcFile> files = new HashSet<>();
    private Channel channel;

    /** On a virtual clock, with the model's times. */
    public FastRpcDriver(
            VirtualClock clock,
            HexagonOptions options,
            List<GraphBackend> backends,
            KernelLog log,
            ModelReport report) {
        this(clock, clock, options, backends, log, report);
    }

    /** In real time: a call takes what it takes, a graph what it declares or, without that, what it takes. */
    public FastRpcDriver(
            RealTime time, HexagonOptions options, List<GraphBackend> backends, KernelLog log, ModelReport report) {
        this(time, time, options.withInvokeNanos(0), backends, log, report);
    }

    private FastRpcDriver(
            Clock clock,
            Timers timers,
            HexagonOptions options,
            List<GraphBackend> backends,
            KernelLog log,
            ModelReport report) {
        this.clock = clock;
        this.options = options;
        this.log = log;
        this.report = report;
        this.lock = new DeviceLock(clock, timers);
        this.faults = new FaultInjector(options.faults(), clock, new RandomStream(options.seed()).derive("faults"));
        this.buffers = new DmaBufs(options.coherent(), faults, log, report);
        backends.forEach(backend -> this.backends.put(backend.kind(), backend));
        this.channel = new Channel(options.sessions());
        this.calls = new Calls(this, new Dsp(options, faults, log, telemetry, this.backends, this::reply));
    }

    private void reply(RemoteCall call, int result) {
        calls.complete(call.context, result);
    }

    /** What is alive now: all zero when everything was given back. */
    public record Usage(
            int sessions,
            int contexts,
            int maps,
            int heapBlocks,
            int dmaBufs,
            int mappings,
            int processes,
            int modules,
            int models,
            int dspMappings) {
        /** Nothing alive. */
        public static final Usage NONE = new Usage(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    public Usage usage() {
        lock.lock();
        try {
            int contexts = 0;
            int maps = 0;
            int heapBlocks = 0;
            for (FastRpcFile file : files) {
                contexts += file.contexts();
                maps += file.maps();
                heapBlocks += file.heapBlocks();
            }
            return new Usage(
                    files.size(),
                    contexts,
                    maps,
                    heapBlocks,
                    buffers.count(),
                    buffers.mappings(),
                    calls.dsp.processes(),
                    calls.dsp.openModules(),
                    calls.dsp.models(),
                    calls.dsp.mappings());
        } finally {
            lock.unlock();
        }
    }

    /** What the DSP has done. */
    public Telemetry telemetry() {
        return telemetry;
    }

    /** Everything that was said of misuse. */
    public ModelReport report() {
        return report;
    }

    /** The driver's lines. */
    public KernelLog log() {
        return log;
    }

    /** Lifts every fault of the plan. */
    public void heal() {
        lock.lock();
        try {
            faults.heal();
        } finally {
            lock.unlock();
        }
    }

    /** Restarts the DSP now: pending calls end with EPIPE, the nodes are gone for a while. */
    public void restartDsp(long downNanos) {
        lock.lock();
        try {
            restart(downNanos);
        } finally {
            lock.unlock();
        }
    }

    void restart(long downNanos) {
        log.add("remoteproc remoteproc1: crash detected in cdsp: type fatal error");
        Channel lost = channel;
        lost.up = false;
        calls.loseChannel();
        calls.dsp.reset();
        log.add("remoteproc remoteproc1: stopped remote processor cdsp");
        lock.at(clock.nanos() + Math.max(0, downNanos), () -> {
            if (channel == lost) {
                channel = new Channel(options.sessions());
                log.add("remoteproc remoteproc1: remote processor cdsp is now up");
            }
        });
        lock.wakeWaiters();
    }

    @Override
    public List<String> nodes() {
        lock.lock();
        try {
            List<String> nodes = new ArrayList<>();
            if (channel.up) {
                nodes.add(Fastrpc.NODE_CDSP_SECURE);
                nodes.add(Fastrpc.NODE_CDSP);
            }
            options.heaps().forEach(heap -> nodes.add(HEAPS + heap));
            return nodes;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Map<String, String> texts() {
        return Map.of(
                "/sys/class/remoteproc/remoteproc1/name", "cdsp\n",
                "/sys/class/remoteproc/remoteproc1/state", "running\n",
                "/sys/class/remoteproc/remoteproc1/firmware", options.firmwareBuild() + "\n");
    }

    @Override
    public Opened open(String node) {
        lock.lock();
        try {
            if (node.startsWith(HEAPS)) {
                return Opened.of(new HeapFile(lock, buffers, faults));
            }
            if (!channel.up) {
                return Opened.refused(Errno.ENOENT);
            }
            if (faults.at(Kind.PERMISSION_DENIED).isPresent()) {
                return Opened.refused(Errno.EACCES);
            }
            int index = faults.at(Kind.NO_SESSION).isPresent() ? -1 : channel.takeSession();
            if (index < 0) {
                log.add("qcom,fastrpc remoteproc1:glink-edge.fastrpcglink-apps-dsp: No session available");
                return Opened.refused(Errno.EBUSY);
            }
            FastRpcFile file = new FastRpcFile(
                    this,
                    channel,
                    index,
                    options.profile().clientIsThreadGroup ? THREAD_GROUP : index + 1,
                    node.equals(Fastrpc.NODE_CDSP_SECURE));
            files.add(file);
            return Opened.of(file);
        } finally {
            lock.unlock();
        }
    }

    void forget(FastRpcFile file) {
        files.remove(file);
    }

    Optional<Fault> fault(Kind kind) {
        return faults.at(kind);
    }

    @Override
    public Optional<CacheLines> linesAt(long address) {
        lock.lock();
        try {
            DmaBufs.Place place = buffers.at(address);
            if (place == null) {
                return Optional.empty();
            }
            DmaBuf buffer = place.buffer();
            return Optional.of(new CacheLines() {
                @Override
                public void clean(long at, long bytes) {
                    locked(() -> buffer.clean(at - buffer.cpu().address(), bytes));
                }

                @Override
                public void cleanInvalidate(long at, long bytes) {
                    locked(() -> buffer.cleanInvalidate(at - buffer.cpu().address(), bytes));
                }
            });
        } finally {
            lock.unlock();
        }
    }

    private void locked(Runnable work) {
        lock.lock();
        try {
            work.run();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void interrupt(long threadId) {
        lock.lock();
        try {
            calls.interrupt(threadId);
        } finally {
            lock.unlock();
        }
    }
}
