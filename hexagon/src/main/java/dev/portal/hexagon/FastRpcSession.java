package dev.portal.hexagon;

import dev.portal.base.Clock;
import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.Capability;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.InitCreate;
import dev.portal.hardware.fastrpc.MemMap;
import dev.portal.hardware.fastrpc.MemUnmap;
import dev.portal.hardware.fastrpc.ReqMmap;
import dev.portal.hardware.fastrpc.ReqMunmap;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Kernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One session of the compute DSP: its node, its process there, and the buffers and mappings that belong to it.
 *
 * <p>Two descriptors, as in the scheduling seed, and one session: the second is a duplicate of the first, since a second
 * {@code open} would take another of the few sessions (spec 7.3b). Control calls are serialised by the session; invokes
 * are not, and no control call or close waits for an invoke's lock (spec 7.18).
 *
 * <pre>
 *   OPEN ── createProcess ──► (calls) ── DSP restarted, call hung, interrupted ──► OVER ── close ──► closed
 * </pre>
 *
 * <p>{@link #close} keeps the one right order (spec 1.8): no more calls; wait for those that run, or end them; unmap from
 * the DSP; unmap from the process; close the DMA-BUFs; close the session. It never runs under a call. Any thread.
 */
public final class FastRpcSession implements AutoCloseable {
    /** {@code CDSP_DOMAIN_ID} of the scheduling seed. */
    public static final int CDSP_DOMAIN_ID = Fastrpc.DOMAIN_CDSP;

    private static final int ABOVE_STANDARD_STREAMS = 3;
    private static final int ABSENT = 0xffff_ffff;
    private static final long CLOSE_POLL_NANOS = 200_000;
    private static final String RESTART_HINT = "a new session is needed";

    /** Why a session takes no more calls. */
    private enum End {
        CLOSED,
        RESTARTED,
        HUNG
    }

    private final Kernel kernel;
    private final Clock clock;
    private final HexagonOptions options;
    private final InvokeThreads threads;
    private final String node;
    private final int rpcFd;
    private final int metadataFd;
    private final DmaAllocator allocator;
    private final ReentrantLock control = new ReentrantLock();
    private final Set<DmaBuffer> buffers = new LinkedHashSet<>();
    private final AtomicReference<@Nullable End> end = new AtomicReference<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger waitingByDesign = new AtomicInteger();

    /** Set when a close has waited long enough for calls that wait by design. */
    private volatile boolean ending;

    private long mappedBytes;
    private boolean closed;

    private FastRpcSession(
            Kernel kernel,
            Clock clock,
            HexagonOptions options,
            InvokeThreads threads,
            HexagonNodes.Opened opened,
            int metadataFd) {
        this.kernel = kernel;
        this.clock = clock;
        this.options = options;
        this.threads = threads;
        this.node = opened.path();
        this.rpcFd = opened.fd();
        this.metadataFd = metadataFd;
        this.allocator = new DmaAllocator(kernel, options.heaps());
    }

    /** Takes a session. No process is made on the DSP yet. */
    static FastRpcSession open(Kernel kernel, Clock clock, HexagonOptions options, InvokeThreads threads) {
        HexagonNodes.Opened opened = HexagonNodes.open(kernel);
        long copy = kernel.fcntl(opened.fd(), Kernel.F_DUPFD_CLOEXEC, ABOVE_STANDARD_STREAMS);
        if (Answer.failed(copy)) {
            kernel.close(opened.fd());
            throw new HexagonException.Refused(
                    "duplicating the descriptor of " + opened.path(),
                    Answer.errno(copy),
                    "too many open files; raise ulimit -n");
        }
        return new FastRpcSession(kernel, clock, options, threads, opened, Answer.value(copy));
    }

    /** The node that was opened. */
    public String node() {
        return node;
    }

    Kernel kernel() {
        return kernel;
    }

    Clock clock() {
        return clock;
    }

    InvokeThreads threads() {
        return threads;
    }

    HexagonOptions options() {
        return options;
    }

    /** Whether it takes calls. */
    public boolean isOpen() {
        return end.get() == null;
    }

    // ---- the process on the DSP

    /**
     * Makes the process on the DSP from a verified shell.
     *
     * @param shell a buffer that holds the shell at its start and that nobody else writes
     * @param bytes length of the shell, 1 to 2 MiB
     */
    void createProcess(DmaBuffer shell, int bytes) {
        try (Arena arena = Arena.ofConfined()) {
            InitCreate create = new InitCreate(arena.allocate(InitCreate.LAYOUT));
            create.filelen(bytes);
            create.filefd(shell.fd());
            create.attrs(options.processAttributes());
            create.file(shell.mapping().address());
            long answer = control(rpcFd, Fastrpc.INIT_CREATE, create.segment());
            if (Outcome.succeeded(answer)) {
                return;
            }
            if (Answer.errno(answer) == Errno.ETIMEDOUT) {
                throw new HexagonException.Refused(
                        "INIT_CREATE",
                        Errno.ETIMEDOUT,
                        "after 10 s without an answer the usual cause is a shell of another firmware build; install the"
                                + " shell that came with this firmware");
            }
            if (Answer.errno(answer) == Errno.ECONNREFUSED) {
                throw new HexagonException.Refused(
                        "INIT_CREATE",
                        Errno.ECONNREFUSED,
                        "this node takes unsigned processes only, and not on every DSP");
            }
            throw failure("INIT_CREATE of a process with attributes " + options.processAttributes(), answer);
        }
    }

    /**
     * What the DSP can do.
     *
     * @param attribute {@code Fastrpc.ATTRIBUTE_*}, below 256
     * @return its value, or empty where the firmware does not answer such questions. UNSIGNED_PD_SUPPORT is a hint: parts
     *     that accept unsigned processes may answer 0 (spec 1.6)
     */
    public Optional<Integer> capability(int attribute) {
        try (Arena arena = Arena.ofConfined()) {
            Capability query = new Capability(arena.allocate(Capability.LAYOUT));
            query.domain(CDSP_DOMAIN_ID);
            query.attributeId(attribute);
            query.capability(ABSENT);
            long answer = control(metadataFd, Fastrpc.GET_DSP_INFO, query.segment());
            if (Answer.errno(answer) == Errno.EOPNOTSUPP || Answer.value(answer) == AeeError.EUNSUPPORTED.onDsp()) {
                return Optional.empty();
            }
            if (!Outcome.succeeded(answer)) {
                throw failure("GET_DSP_INFO of attribute " + attribute, answer);
            }
            // Drivers up to 6.1 write four bytes at the start; later ones the whole struct (spec 1.6).
            return Optional.of(query.capability() != ABSENT ? query.capability() : query.domain());
        }
    }

    // ---- memory

    /**
     * A buffer for tensors or a model.
     *
     * @param bytes 1 to {@link DmaBuffer#MAX_DMA_ALLOC}; rounded up to pages
     */
    public DmaBuffer allocate(long bytes) {
        return allocate(bytes, false);
    }

    /** A buffer that needs no sync on any board: from the session's own allocator. */
    DmaBuffer allocateCoherent(long bytes) {
        return allocate(bytes, true);
    }

    private DmaBuffer allocate(long bytes, boolean coherent) {
        control.lock();
        try {
            requireOpen("ALLOC_DMA_BUFF");
            DmaBuffer buffer = allocator.allocate(this, rpcFd, bytes, coherent);
            buffers.add(buffer);
            return buffer;
        } finally {
            control.unlock();
        }
    }

    /**
     * Maps a buffer into the DSP process, so that remote code can use its address: {@code MEM_MAP}. The seed says MMAP,
     * which grows the DSP's heap instead (spec 7.5).
     *
     * @return the DSP's address
     * @throws HexagonException.BudgetExceeded when its addresses would exceed {@link HexagonOptions#dspAddressBytes}
     */
    public long mapToDsp(DmaBuffer buffer) {
        control.lock();
        try {
            if (buffer.isMappedToDsp()) {
                return buffer.dspAddress();
            }
            requireOpen("MEM_MAP");
            if (buffer.sizeBytes() > options.dspAddressBytes() - mappedBytes) {
                throw new HexagonException.BudgetExceeded("mapping " + buffer + " to the DSP beside " + mappedBytes
                        + " bytes that are mapped exceeds " + options.dspAddressBytes()
                        + " bytes of addresses; unload a model first");
            }
            try (Arena arena = Arena.ofConfined()) {
                MemMap map = new MemMap(arena.allocate(MemMap.LAYOUT));
                map.fd(buffer.fd());
                map.flags(Fastrpc.MAP_STATIC);
                map.vaddrin(buffer.mapping().address());
                map.length(buffer.sizeBytes());
                long answer = kernel.ioctl(rpcFd, Fastrpc.MEM_MAP, map.segment());
                if (!Outcome.succeeded(answer)) {
                    throw failure("MEM_MAP of " + buffer, answer);
                }
                mappedBytes += buffer.sizeBytes();
                buffer.dspAddress(map.vaddrout());
                return map.vaddrout();
            }
        } finally {
            control.unlock();
        }
    }

    /** {@link #mapToDsp} under the name that the scheduling seed gives it. */
    public long mmap(DmaBuffer buffer) {
        return mapToDsp(buffer);
    }

    /** Takes a buffer out of the DSP process: {@code MEM_UNMAP}. */
    public void unmapFromDsp(DmaBuffer buffer) {
        control.lock();
        try {
            requireOpen("MEM_UNMAP");
            if (buffer.isMappedToDsp()) {
                long answer = unmap(buffer);
                if (!Outcome.succeeded(answer)) {
                    throw failure("MEM_UNMAP of " + buffer, answer);
                }
            }
        } finally {
            control.unlock();
        }
    }

    private long unmap(DmaBuffer buffer) {
        try (Arena arena = Arena.ofConfined()) {
            MemUnmap unmap = new MemUnmap(arena.allocate(MemUnmap.LAYOUT));
            unmap.fd(buffer.fd());
            unmap.vaddr(buffer.dspAddress());
            unmap.length(buffer.sizeBytes());
            long answer = kernel.ioctl(rpcFd, Fastrpc.MEM_UNMAP, unmap.segment());
            mappedBytes -= buffer.sizeBytes();
            buffer.dspAddress(0);
            return answer;
        }
    }

    /** Bytes of DSP addresses in use. */
    public long mappedBytes() {
        control.lock();
        try {
            return mappedBytes;
        } finally {
            control.unlock();
        }
    }

    /** Called once by a buffer that nobody holds. */
    void destroy(DmaBuffer buffer) {
        control.lock();
        try {
            if (end.get() == End.HUNG) {
                // The DSP may still write there: the buffer goes with the session.
                return;
            }
            if (!buffers.remove(buffer)) {
                return;
            }
            free(buffer);
        } finally {
            control.unlock();
        }
    }

    private void free(DmaBuffer buffer) {
        if (buffer.isMappedToDsp()) {
            long answer = unmap(buffer);
            if (Answer.errno(answer) == Errno.EPIPE) {
                over(End.RESTARTED);
            }
        }
        kernel.munmap(buffer.mapping());
        kernel.close(buffer.fd());
    }

    /**
     * Gives the DSP process more heap: {@code MMAP}.
     *
     * @return the DSP's address of it, for {@link #shrinkHeap}
     */
    public long growHeap(long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            ReqMmap grow = new ReqMmap(arena.allocate(ReqMmap.LAYOUT));
            grow.fd(Fastrpc.NO_FD);
            grow.flags(Fastrpc.MMAP_ADD_PAGES);
            grow.size(bytes);
            long answer = control(rpcFd, Fastrpc.MMAP, grow.segment());
            if (!Outcome.succeeded(answer)) {
                throw failure("MMAP of " + bytes + " bytes of heap", answer);
            }
            return grow.vaddrout();
        }
    }

    /** Takes back what {@link #growHeap} gave: exactly the same address and size. */
    public void shrinkHeap(long dspAddress, long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            ReqMunmap shrink = new ReqMunmap(arena.allocate(ReqMunmap.LAYOUT));
            shrink.vaddrout(dspAddress);
            shrink.size(bytes);
            long answer = control(rpcFd, Fastrpc.MUNMAP, shrink.segment());
            if (!Outcome.succeeded(answer)) {
                throw failure("MUNMAP of " + bytes + " bytes of heap", answer);
            }
        }
    }

    private long control(int fd, int request, MemorySegment argument) {
        control.lock();
        try {
            requireOpen(Fastrpc.requestName(request));
            return kernel.ioctl(fd, request, argument);
        } finally {
            control.unlock();
        }
    }

    // ---- calls

    /**
     * Calls a remote handle and waits.
     *
     * @throws HexagonException.Refused by the kernel
     * @throws HexagonException.DspFailed by the DSP, with its own code
     * @throws HexagonException.DspRestarted, {@link HexagonException.DspHung} when the call is lost, and the session with it
     */
    public void invoke(int handle, CallFrame frame) {
        invoke(handle, frame, options.hangNanos(), null);
    }

    void invoke(int handle, CallFrame frame, long limitNanos, @Nullable AbortRequest abort) {
        long answer = threads.run(this, frame, handle, limitNanos, abort);
        if (!Outcome.succeeded(answer)) {
            throw failure(frame.name(), answer);
        }
    }

    /** The call itself, on an invoke thread. */
    long ioctlInvoke(CallFrame frame, int handle) {
        return kernel.ioctl(rpcFd, Fastrpc.INVOKE, frame.prepare(handle));
    }

    void callBegins(CallFrame frame) {
        calls.incrementAndGet();
        try {
            requireOpen(frame.name());
            frame.retainBuffers();
        } catch (RuntimeException e) {
            calls.decrementAndGet();
            throw e;
        }
    }

    void callEnded(CallFrame frame) {
        if (end.get() != End.HUNG) {
            frame.releaseBuffers();
        }
        calls.decrementAndGet();
    }

    /** A call is taken from its caller: because it hangs, or because the session closes under a wait. Says why. */
    HexagonException giveUp(String what) {
        if (ending) {
            return sessionOver(what);
        }
        over(End.HUNG);
        return new HexagonException.DspHung(what, options.hangNanos() / 1_000_000);
    }

    /** Whether calls that wait by design must end now. */
    boolean isEnding() {
        return ending;
    }

    private void over(End why) {
        end.compareAndSet(null, why);
    }

    private void requireOpen(String what) {
        if (end.get() != null) {
            throw sessionOver(what);
        }
    }

    private HexagonException sessionOver(String what) {
        String why = switch (end.get()) {
            case CLOSED -> "it was closed";
            case RESTARTED -> "the DSP restarted";
            case HUNG -> "a call before hung";
            case null -> "it closes";
        };
        return new HexagonException.SessionOver(what + " on a session that is over: " + why + "; " + RESTART_HINT);
    }

    /** What an answer other than success means; a lost call ends the session. */
    HexagonException failure(String what, long answer) {
        return switch (Outcome.of(answer)) {
            case Outcome.KernelError(int errno) ->
                switch (errno) {
                    case Errno.EPIPE -> {
                        over(End.RESTARTED);
                        yield new HexagonException.DspRestarted(what);
                    }
                    case Errno.EINTR -> {
                        over(End.HUNG);
                        yield new HexagonException.Interrupted(what);
                    }
                    case Errno.ENOTTY ->
                        new HexagonException.Refused(
                                what, errno, "this kernel's fastrpc driver does not know the request");
                    case Errno.ENOMEM -> new HexagonException.Refused(what, errno, "close buffers or other programs");
                    default -> new HexagonException.Refused(what, errno, "dmesg | grep fastrpc may say more");
                };
            case Outcome.DspResult(int result) -> new HexagonException.DspFailed(what, result, hint(result));
            case Outcome.Success _ -> throw new IllegalArgumentException(what + " succeeded");
        };
    }

    private static String hint(int result) {
        return AeeError.ofDspResult(result)
                .map(error -> switch (error) {
                    case EUNABLETOLOAD ->
                        "the module or a library that it needs was not found, or no listener serves the DSP";
                    case ERESOURCENOTFOUND -> "the process was not accepted; check the shell";
                    case EUNSUPPORTED -> "the firmware, or the module, does not know the method";
                    case ENOMEMORY -> "the DSP is out of memory, or its table of models is full; unload one";
                    case EBADPARM -> "an argument was packed otherwise than the module expects";
                    case ENOSUCHMAP -> "the address is not mapped to this session";
                    case EBADSTATE -> "a step before it is missing";
                    case ERPC -> "a general failure of the transport; often a missing daemon or path";
                    default -> "see the codes in docs/hexagon.md";
                })
                .orElse("see the codes in docs/hexagon.md");
    }

    // ---- the end

    private List<DmaBuffer> snapshot() {
        control.lock();
        try {
            return List.copyOf(buffers);
        } finally {
            control.unlock();
        }
    }

    /** Calls that run. */
    int runningCalls() {
        return calls.get();
    }

    /**
     * Ends the session in the one right order. Blocks while calls run, each {@link HexagonOptions#hangNanos} at most, and
     * up to 10 s more in the kernel when the DSP hangs.
     */
    @Override
    public void close() {
        over(End.CLOSED);
        long patience = clock.nanos() + options.hangNanos();
        while (calls.get() > 0) {
            if (calls.get() <= waitingByDesign.get() || clock.nanos() >= patience) {
                ending = true;
                // Without a watchdog's thread, this one ends the calls.
                threads.doWork();
            }
            clock.parkUntil(clock.nanos() + CLOSE_POLL_NANOS);
        }
        // Nobody allocates any more. Waiting for readers with the lock held would block one that asks the session.
        for (DmaBuffer buffer : snapshot()) {
            while (!buffer.abandon()) {
                clock.parkUntil(clock.nanos() + CLOSE_POLL_NANOS);
            }
        }
        control.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            boolean hung = end.get() == End.HUNG;
            for (DmaBuffer buffer : buffers) {
                // After a hung call the mappings stay until the session goes: the DSP may still write there, and asking
                // it to unmap would hang too.
                if (buffer.isMappedToDsp() && !hung) {
                    unmap(buffer);
                }
            }
            buffers.forEach(buffer -> kernel.munmap(buffer.mapping()));
            buffers.forEach(buffer -> kernel.close(buffer.fd()));
            buffers.clear();
            allocator.close();
            kernel.close(metadataFd);
            kernel.close(rpcFd);
        } finally {
            control.unlock();
        }
    }

    /** A call that waits for the DSP for as long as the session lives: the listener's. */
    void invokeWaiting(int handle, CallFrame frame) {
        waitingByDesign.incrementAndGet();
        try {
            invoke(handle, frame, Clock.NEVER, null);
        } finally {
            waitingByDesign.decrementAndGet();
        }
    }

    @Override
    public String toString() {
        return "session on " + node;
    }
}
