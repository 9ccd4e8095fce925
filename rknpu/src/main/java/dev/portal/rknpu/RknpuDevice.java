package dev.portal.rknpu;

import dev.portal.base.Clock;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.hardware.rk3588.RknpuAction;
import dev.portal.hardware.rk3588.RknpuMemCreate;
import dev.portal.hardware.rk3588.RknpuMemCreate40;
import dev.portal.hardware.rk3588.RknpuMemDestroy;
import dev.portal.hardware.rk3588.RknpuMemMap;
import dev.portal.hardware.rk3588.RknpuMemSync;
import dev.portal.hardware.rk3588.Soc;
import dev.portal.kernel.Answer;
import dev.portal.kernel.DeviceException;
import dev.portal.kernel.DeviceException.Recovery;
import dev.portal.kernel.DeviceLock;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Mapping;
import dev.portal.kernel.Open;
import dev.portal.rknpu.DeviceBuffer.Use;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * An RK3588 NPU under the vendor driver, opened and owned.
 *
 * <p>Opening finds the node by its driver's name, keeps other processes out, tells the driver's version and with it the
 * form of its structs, and measures how to synchronise memory. Closing gives everything back, and refuses while a job
 * may still run.
 *
 * <p>Safe for use by several threads; each core is for one at a time ({@link Submission}).
 */
public final class RknpuDevice implements AutoCloseable {
    /** Domain and core mask in MEM_CREATE since 0.9.6 (spec 2.2). */
    private static final int VERSION_MEM_CREATE_48 = 906;

    /** The flag that keeps the IOVA window whole, since 0.9.7 (Q20). */
    private static final int VERSION_IOVA_ALIGNMENT = 907;

    /** The vendor's own runtime refuses older ones (spec 15.1). */
    private static final int VERSION_TESTED = 908;

    /** One window of 4 GiB a domain; about 3.9 GB of it can be had (spec 2.6). */
    static final long IOVA_BUDGET_BYTES = 3_900L * 1_000_000;

    private static final int MEASURED_BYTES = 1 << 16;

    private final Kernel kernel;
    private final Clock clock;
    private final RknpuOptions options;
    private final String node;
    private final int fd;
    private final Soc soc;
    private final int driverVersion;
    private final CacheSync cacheSync;

    /** Only in tests; a doorbell is looked at too often to search a set each time. */
    private final boolean omitsSyncs;

    private final CoreState[] cores;
    private final Counters counters = new Counters();
    private final Set<DeviceBuffer> buffers = new HashSet<>();
    private final AsyncJobs jobs;

    /** One a thread, so that a sync allocates nothing. */
    private final ThreadLocal<RknpuMemSync> syncArguments =
            ThreadLocal.withInitial(() -> new RknpuMemSync(Arena.ofAuto().allocate(RknpuMemSync.LAYOUT)));

    private long allocatedBytes;
    private boolean closed;

    private RknpuDevice(Kernel kernel, Clock clock, RknpuOptions options, String node, int fd) {
        this.kernel = kernel;
        this.clock = clock;
        this.options = options;
        omitsSyncs = !options.omittedSyncs().isEmpty();
        this.node = node;
        this.fd = fd;
        soc = chip(kernel, node);
        driverVersion = action(RknpuAbi.ACTION_GET_DRV_VERSION);
        cacheSync = new CacheSync(this::driverSync, kernel.cacheMaintenance());
        cores = new CoreState[soc.cores()];
        for (int i = 0; i < cores.length; i++) {
            cores[i] = new CoreState(i);
        }
        jobs = new AsyncJobs(this);
    }

    /**
     * Opens the NPU of this machine.
     *
     * @throws DeviceException when there is none, when it may not be opened, when another process has it, or when its
     *     driver is of another kind
     */
    public static RknpuDevice open(Kernel kernel, Clock clock, RknpuOptions options) {
        String node = options.node().orElseGet(() -> RknpuNodes.find(kernel).path());
        long opened = kernel.open(node, Open.DEVICE);
        if (Answer.failed(opened)) {
            throw cannotOpen(node, opened);
        }
        int fd = Answer.value(opened);
        RknpuDevice device;
        try {
            if (options.lock()) {
                DeviceLock.acquire(kernel, fd, node);
            }
            device = new RknpuDevice(kernel, clock, options, node, fd);
        } catch (RuntimeException e) {
            kernel.close(fd);
            throw e;
        }
        try {
            device.measureSync();
            if (options.warmUp()) {
                new WarmUp(device).everyCore();
            }
        } catch (RuntimeException e) {
            device.close();
            throw e;
        }
        return device;
    }

    private static DeviceException cannotOpen(String node, long answer) {
        int errno = Answer.errno(answer);
        if (errno == Errno.EACCES || errno == Errno.EPERM) {
            return new DeviceException.Denied(
                    node,
                    "may not be opened by this user (" + Errno.describe(errno)
                            + "); add the user to the group that owns it (sudo usermod -aG render $USER), log in again",
                    errno);
        }
        return new DeviceException.Unavailable(
                node,
                "cannot be opened: " + Answer.describe(answer)
                        + (errno == Errno.ENOENT ? ", there is no such node" : "")
                        + "; ls /dev/dri shows the nodes, doctor their drivers, and --device emulated needs none");
    }

    /**
     * The chip behind the node, by the device tree. Another chip of the family completes an RK3588 program and writes
     * nothing (spec 1.1), so it is refused; where no device tree can be read, it is taken for an RK3588.
     */
    private static Soc chip(Kernel kernel, String node) {
        Optional<String> name = kernel.readText(Soc.COMPATIBLE_FILE).flatMap(Soc::nameIn);
        if (name.isEmpty()) {
            return Soc.RK3588;
        }
        return Soc.named(name.get())
                .filter(Soc::runsRk3588Programs)
                .orElseThrow(() -> new DeviceException.Incompatible(
                        node,
                        "is the NPU of an " + name.get() + " (" + Soc.COMPATIBLE_FILE
                                + "), whose register programs differ from RK3588's: it would complete ours and write"
                                + " nothing. Portal encodes for rk3588 and rk3583; use --device emulated here"));
    }

    /** The chip whose programs this driver runs. */
    public Soc soc() {
        return soc;
    }

    public String node() {
        return node;
    }

    /** As the driver packs it: 908 is 0.9.8. */
    public int driverVersion() {
        return driverVersion;
    }

    /** Bytes of the MEM_CREATE that this driver knows: 40 before 0.9.6, then 48. */
    public int memCreateBytes() {
        return (int) (hasDomains() ? RknpuMemCreate.LAYOUT : RknpuMemCreate40.LAYOUT).byteSize();
    }

    private boolean hasDomains() {
        return driverVersion >= VERSION_MEM_CREATE_48;
    }

    /** Recoveries so far, by name. */
    public Counters counters() {
        return counters;
    }

    /** How memory is synchronised, as measured when the device was opened. */
    public String syncMethod() {
        return cacheSync.toString();
    }

    /** Whether the driver is older than the version that all of this was measured on. */
    public boolean isOlderThanTested() {
        return driverVersion < VERSION_TESTED;
    }

    /**
     * Asks the driver something.
     *
     * @param code {@code RknpuAbi.ACTION_*}
     * @return the value that the driver left
     */
    public int action(int code) {
        try (Arena arena = Arena.ofConfined()) {
            RknpuAction action = new RknpuAction(arena.allocate(RknpuAction.LAYOUT));
            action.flags(code);
            long answer = kernel.ioctl(fd, RknpuAbi.DRM_ACTION, action.segment());
            if (Answer.failed(answer)) {
                throw rejected("action " + code, answer, Recovery.GIVE_UP);
            }
            return action.value();
        }
    }

    /**
     * Resets all three cores, about 105 ms (spec 8.5). Jobs that run on any core end with an error; every core is cold
     * afterwards.
     */
    public void reset() {
        jobs.reset(() -> {
            boolean queued = false;
            for (CoreState core : cores) {
                queued |= core.isAsync();
            }
            resetCores();
            if (queued) {
                jobs.sweep(this::resetCores);
            }
            for (CoreState core : cores) {
                core.becomeProven();
            }
        });
    }

    private void resetCores() {
        action(RknpuAbi.ACTION_RESET);
        counters.count(Counters.Recovery.RESET);
        for (CoreState core : cores) {
            core.becomeCold();
        }
    }

    /**
     * The driver has reset the device after a timeout. It resets all cores, and goes on owning the asynchronous jobs that
     * ran on them; our own reset makes it drop those, so that their chains can be submitted again.
     */
    void driverHasReset() {
        boolean others = false;
        for (CoreState core : cores) {
            core.becomeCold();
            others |= core.isAsync();
        }
        if (others) {
            reset();
        }
    }

    /** Before a job that is waited for: refuses while a chain has the core, and resets what hangs there. */
    void makeUsable(CoreState core) {
        Object owner = core.owner();
        if (owner != null) {
            throw busy(core);
        }
        if (core.isStuck()) {
            reset();
        }
    }

    DeviceException busy(CoreState core) {
        return new DeviceException.Busy(
                node,
                "core " + core.index() + " is taken by " + core.owner()
                        + ", which has not ended; end it first, or use another core");
    }

    /** What concerns jobs that run while nobody waits for them. */
    AsyncJobs jobs() {
        return jobs;
    }

    /**
     * Starts a chain on core 0 and returns: int8, one row, K a multiple of 512 up to 4096, N up to 8192 (the seed's
     * limits; seed section 3).
     *
     * @param steps 1 to {@link Chain#MAX_STEPS}
     * @throws ProgramRefusedException for steps outside these limits
     * @throws DeviceException.Busy when the core runs another chain
     */
    public Chain begin(List<ChainStep> steps) {
        steps.forEach(Chain::checkSeedLimits);
        return begin(steps, ChainOptions.DEFAULT);
    }

    /**
     * Starts a chain that {@code cores} cores share, each a stretch of it, and returns. Any shape that one program can do.
     *
     * @param cores 1 to the chip's number
     */
    public Chain begin(List<ChainStep> steps, int cores) {
        return begin(steps, ChainOptions.DEFAULT.withCores(cores));
    }

    /** Starts a chain and returns. */
    public Chain begin(List<ChainStep> steps, ChainOptions chain) {
        return Chain.begin(this, steps, chain);
    }

    /** Encodes a chain of core 0 that can be run many times; any shape that one program can do. */
    public CompiledChain compile(List<ChainStep> steps) {
        return compile(steps, ChainOptions.DEFAULT);
    }

    /** Encodes a chain that {@code cores} cores share. */
    public CompiledChain compile(List<ChainStep> steps, int cores) {
        return compile(steps, ChainOptions.DEFAULT.withCores(cores));
    }

    /** Encodes a chain that can be run many times. */
    public CompiledChain compile(List<ChainStep> steps, ChainOptions chain) {
        return CompiledChain.compile(this, steps, chain);
    }

    /** Encodes programs of which each run links some, on {@code cores} cores. */
    public ProgramPool pool(List<ChainStep> programs, int cores) {
        return pool(programs, ChainOptions.DEFAULT.withCores(cores));
    }

    /** Encodes programs of which each run links some. */
    public ProgramPool pool(List<ChainStep> programs, ChainOptions chain) {
        return ProgramPool.compile(this, programs, chain);
    }

    /** What a halted chain leaves behind on this board, as far as {@link HaltProbe} has looked. */
    public HaltBehaviour haltBehaviour() {
        return jobs.haltBehaviour();
    }

    /**
     * Allocates a buffer.
     *
     * @param bytes at least 1; rounded up to pages
     * @throws DeviceException.Rejected when the window is spent, by our own budget or by the driver's answer
     */
    public DeviceBuffer allocate(long bytes, Use use) {
        if (bytes < 1) {
            throw new IllegalArgumentException("a buffer of " + bytes + " bytes");
        }
        long rounded = Math.ceilDiv(bytes, (long) kernel.pageSize()) * kernel.pageSize();
        reserve(rounded);
        try {
            DeviceBuffer buffer = create(rounded, use);
            synchronized (buffers) {
                buffers.add(buffer);
            }
            return buffer;
        } catch (RuntimeException e) {
            unreserve(rounded);
            throw e;
        }
    }

    /** Bytes that our buffers take of the window. */
    public long allocatedBytes() {
        synchronized (buffers) {
            return allocatedBytes;
        }
    }

    /** Buffers that are not closed. */
    public int openBuffers() {
        synchronized (buffers) {
            return buffers.size();
        }
    }

    private void reserve(long bytes) {
        synchronized (buffers) {
            if (closed) {
                throw new IllegalStateException(node + " is closed");
            }
            if (allocatedBytes + bytes > IOVA_BUDGET_BYTES) {
                throw new DeviceException.Rejected(
                        node,
                        bytes + " bytes on top of " + allocatedBytes + " exceed the budget of " + IOVA_BUDGET_BYTES
                                + ": all buffers of a domain share one window of 4 GiB; close some, or use another"
                                + " domain",
                        Errno.ENOMEM,
                        Recovery.GIVE_UP);
            }
            allocatedBytes += bytes;
        }
    }

    private void unreserve(long bytes) {
        synchronized (buffers) {
            allocatedBytes -= bytes;
        }
    }

    private DeviceBuffer create(long bytes, Use use) {
        int flags = use.flags();
        if (driverVersion >= VERSION_IOVA_ALIGNMENT) {
            flags |= RknpuAbi.MEM_IOMMU_LIMIT_IOVA_ALIGNMENT;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(RknpuMemCreate.LAYOUT);
            // The older struct is the beginning of the newer one.
            RknpuMemCreate40 create = new RknpuMemCreate40(segment);
            create.flags(flags);
            create.size(bytes);
            boolean newer = hasDomains();
            if (newer) {
                new RknpuMemCreate(segment).iommuDomainId(options.domain());
            }
            int request = newer ? RknpuAbi.DRM_MEM_CREATE : RknpuAbi.DRM_MEM_CREATE_40;
            long answer = kernel.ioctl(fd, request, segment);
            if (Answer.failed(answer)) {
                throw rejected(
                        "MEM_CREATE of " + bytes + " bytes (another process may hold the rest of the IOVA window)",
                        answer,
                        Recovery.GIVE_UP);
            }
            return map(create, bytes, use);
        }
    }

    private DeviceBuffer map(RknpuMemCreate40 create, long bytes, Use use) {
        try (Arena arena = Arena.ofConfined()) {
            RknpuMemMap map = new RknpuMemMap(arena.allocate(RknpuMemMap.LAYOUT));
            map.handle(create.handle());
            long answer = kernel.ioctl(fd, RknpuAbi.DRM_MEM_MAP, map.segment());
            Mapping mapping = Answer.failed(answer)
                    ? Mapping.error(Answer.errno(answer))
                    : kernel.mmap(fd, map.offset(), bytes, Kernel.PROT_READ | Kernel.PROT_WRITE, Kernel.MAP_SHARED);
            if (mapping.errno() != 0) {
                destroyHandle(create.handle(), create.objAddr());
                throw rejected("mapping " + bytes + " bytes", Answer.error(mapping.errno()), Recovery.GIVE_UP);
            }
            return new DeviceBuffer(this, use, create.handle(), create.objAddr(), create.dmaAddr(), mapping.memory());
        }
    }

    /** Called once by the buffer, when no job holds it. */
    void destroy(DeviceBuffer buffer) {
        synchronized (buffers) {
            buffers.remove(buffer);
        }
        long unmapped = kernel.munmap(buffer.mapping());
        destroyHandle(buffer.handle(), buffer.objectAddress());
        unreserve(buffer.sizeBytes());
        if (Answer.failed(unmapped)) {
            throw rejected("munmap of " + buffer, unmapped, Recovery.REOPEN);
        }
    }

    private void destroyHandle(int handle, long objectAddress) {
        try (Arena arena = Arena.ofConfined()) {
            RknpuMemDestroy destroy = new RknpuMemDestroy(arena.allocate(RknpuMemDestroy.LAYOUT));
            destroy.handle(handle);
            destroy.objAddr(objectAddress);
            long answer = kernel.ioctl(fd, RknpuAbi.DRM_MEM_DESTROY, destroy.segment());
            if (Answer.failed(answer)) {
                throw rejected("MEM_DESTROY of handle " + handle, answer, Recovery.REOPEN);
            }
        }
    }

    /** Synchronises a range where the buffer is cacheable; the driver refuses the others (Q23), and they need none. */
    void sync(DeviceBuffer buffer, SyncPoint point, int flags, long offset, long bytes) {
        boolean omitted = omitsSyncs && options.omittedSyncs().contains(point);
        if (buffer.use().cacheable() && bytes > 0 && !omitted) {
            cacheSync.sync(buffer, flags, offset, bytes);
        }
    }

    private void driverSync(DeviceBuffer buffer, int flags, long offset, long bytes) {
        RknpuMemSync sync = syncArguments.get();
        sync.flags(flags);
        sync.objAddr(buffer.objectAddress());
        sync.offset(offset);
        sync.size(bytes);
        long answer = kernel.ioctl(fd, RknpuAbi.DRM_MEM_SYNC, sync.segment());
        if (Answer.failed(answer)) {
            throw rejected("MEM_SYNC of " + buffer, answer, Recovery.REOPEN);
        }
    }

    private void measureSync() {
        if (kernel.cacheMaintenance().isPresent()) {
            try (DeviceBuffer buffer = allocate(MEASURED_BYTES, Use.DATA)) {
                cacheSync.measure(clock, buffer);
            }
        }
    }

    Kernel kernel() {
        return kernel;
    }

    Clock clock() {
        return clock;
    }

    int fd() {
        return fd;
    }

    RknpuOptions options() {
        return options;
    }

    /** What is known of a core; held by one submission at a time. */
    CoreState core(int index) {
        if (index < 0 || index >= cores.length) {
            throw new IllegalArgumentException("core " + index + "; " + soc().name() + " has " + cores.length);
        }
        return cores[index];
    }

    DeviceException rejected(String what, long answer, Recovery recovery) {
        return new DeviceException.Rejected(
                node,
                what + ": " + Answer.describe(answer) + " from driver " + RknpuAbi.driverVersionText(driverVersion)
                        + "; dmesg | grep RKNPU may say more",
                Answer.errno(answer),
                recovery);
    }

    /**
     * Closes all buffers and the node.
     *
     * @throws IllegalStateException while a buffer is in flight; the device then stays open
     */
    @Override
    public void close() {
        synchronized (buffers) {
            if (closed) {
                return;
            }
        }
        jobs.close();
        DeviceBuffer[] left;
        synchronized (buffers) {
            left = buffers.toArray(DeviceBuffer[]::new);
        }
        for (DeviceBuffer buffer : left) {
            buffer.requireIdle();
        }
        for (DeviceBuffer buffer : left) {
            buffer.close();
        }
        synchronized (buffers) {
            closed = true;
        }
        kernel.close(fd);
    }

    @Override
    public String toString() {
        return node + ", driver rknpu " + RknpuAbi.driverVersionText(driverVersion);
    }
}
