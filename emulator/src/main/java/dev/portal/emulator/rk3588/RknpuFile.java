package dev.portal.emulator.rk3588;

import dev.portal.emulator.Diagnostic.Severity;
import dev.portal.emulator.EmulatedDevice.Descriptors;
import dev.portal.emulator.EmulatedDevice.OpenFile;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.hardware.rk3588.DrmVersion;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.hardware.rk3588.RknpuAction;
import dev.portal.hardware.rk3588.RknpuMemCreate;
import dev.portal.hardware.rk3588.RknpuMemCreate40;
import dev.portal.hardware.rk3588.RknpuMemDestroy;
import dev.portal.hardware.rk3588.RknpuMemMap;
import dev.portal.hardware.rk3588.RknpuMemSync;
import dev.portal.hardware.rk3588.RknpuSubcoreTask;
import dev.portal.hardware.rk3588.RknpuSubmit;
import dev.portal.hardware.rk3588.RknpuTask;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Mapping;
import dev.portal.kernel.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One open file of the driver: its handles and its ioctls (spec 2).
 *
 * <p>The DRM core dispatches on the number byte alone. A caller's struct that is shorter than the driver's is extended
 * with zeros, a longer one is cut, and what the driver wrote goes back to the caller also when the call fails.
 */
final class RknpuFile implements OpenFile {
    private static final int NR_GEM_CLOSE = 0x09;
    private static final int NR_GEM_FLINK = 0x0a;
    private static final int NR_PRIME_TO_FD = 0x2d;
    private static final int NR_PRIME_FROM_FD = 0x2e;
    private static final int NR_DRIVER = 0x40;

    /** Since this version MEM_CREATE ends with domain and core mask (spec 2.2). */
    private static final int VERSION_MEM_CREATE_48 = 906;

    /** Room for the longest argument of all. */
    private static final int ARGUMENT_WORDS = 16;

    private final RknpuDriver driver;
    private final boolean render;
    private final TreeMap<Integer, GemObject> handles = new TreeMap<>();
    private final Map<Long, Integer> mappings = new HashMap<>();

    RknpuFile(RknpuDriver driver, boolean render) {
        this.driver = driver;
        this.render = render;
    }

    @Override
    public long ioctl(int request, MemorySegment argument, Descriptors kernel) {
        int number = request & 0xff;
        int size = request >>> 16 & 0x3fff;
        int driverSize = sizeOf(number);
        if (driverSize == 0) {
            return Answer.error(Errno.EINVAL);
        }
        driver.lock.lock();
        try {
            long shared = Math.min(Math.min(size, driverSize), argument.byteSize());
            MemorySegment args = MemorySegment.ofArray(new long[ARGUMENT_WORDS]);
            MemorySegment.copy(argument, 0, args, 0, shared);
            int errno = dispatch(number, args, kernel);
            MemorySegment.copy(args, 0, argument, 0, shared);
            return errno == 0 ? Answer.of(0) : Answer.error(errno);
        } finally {
            driver.lock.unlock();
        }
    }

    private int sizeOf(int number) {
        return switch (number) {
            case 0x00 -> (int) DrmVersion.LAYOUT.byteSize();
            case NR_GEM_CLOSE, NR_GEM_FLINK -> 8;
            case NR_PRIME_TO_FD, NR_PRIME_FROM_FD -> 12;
            case NR_DRIVER -> (int) RknpuAction.LAYOUT.byteSize();
            case NR_DRIVER + 1 -> (int) RknpuSubmit.LAYOUT.byteSize();
            case NR_DRIVER + 2 ->
                (int)
                        (driver.chip.options.driverVersion() < VERSION_MEM_CREATE_48
                                ? RknpuMemCreate40.LAYOUT.byteSize()
                                : RknpuMemCreate.LAYOUT.byteSize());
            case NR_DRIVER + 3 -> (int) RknpuMemMap.LAYOUT.byteSize();
            case NR_DRIVER + 4 -> (int) RknpuMemDestroy.LAYOUT.byteSize();
            case NR_DRIVER + 5 -> (int) RknpuMemSync.LAYOUT.byteSize();
            default -> 0;
        };
    }

    private int dispatch(int number, MemorySegment args, Descriptors kernel) {
        return switch (number) {
            case 0x00 -> version(new DrmVersion(args));
            case NR_GEM_CLOSE -> destroy(word(args, 0));
            case NR_GEM_FLINK -> flink(args);
            case NR_PRIME_TO_FD -> export(args, kernel);
            case NR_PRIME_FROM_FD -> importFrom(args, kernel);
            case NR_DRIVER -> driver.action(new RknpuAction(args));
            case NR_DRIVER + 1 -> submit(new RknpuSubmit(args));
            case NR_DRIVER + 2 -> create(new RknpuMemCreate(args));
            case NR_DRIVER + 3 -> map(new RknpuMemMap(args));
            case NR_DRIVER + 4 -> destroySwitching(new RknpuMemDestroy(args));
            case NR_DRIVER + 5 -> sync(new RknpuMemSync(args));
            default -> Errno.EINVAL;
        };
    }

    private static int word(MemorySegment args, long offset) {
        return args.get(ValueLayout.JAVA_INT, offset);
    }

    private static void word(MemorySegment args, long offset, int value) {
        args.set(ValueLayout.JAVA_INT, offset, value);
    }

    private int version(DrmVersion args) {
        int packed = driver.chip.options.driverVersion();
        args.versionMajor(packed / 10_000);
        args.versionMinor(packed / 100 % 100);
        args.versionPatchlevel(packed % 100);
        args.nameLen(text("rknpu", args.name(), args.nameLen()));
        args.dateLen(text("20240828", args.date(), args.dateLen()));
        args.descLen(text("RKNPU", args.desc(), args.descLen()));
        return 0;
    }

    /** Copies as much as the caller has room for and returns the true length. */
    private static long text(String value, long pointer, long room) {
        byte[] bytes = value.getBytes(StandardCharsets.US_ASCII);
        int count = (int) Math.min(bytes.length, Math.max(0, room));
        if (pointer != 0 && count > 0) {
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, NativeMemory.at(pointer, count), 0, count);
        }
        return bytes.length;
    }

    private int freeHandle() {
        int handle = 1;
        while (handles.containsKey(handle)) {
            handle++;
        }
        return handle;
    }

    private int create(RknpuMemCreate args) {
        GemObject known = handles.get(args.handle());
        if (args.handle() != 0 && known != null) {
            describe(args, args.handle(), known);
            return 0;
        }
        if (args.size() == 0) {
            return Errno.EINVAL;
        }
        if (args.size() < 0 || args.size() > 1L << 32) {
            return Errno.ENOMEM;
        }
        if (!driver.domains.acquire(args.iommuDomainId())) {
            return Errno.EINVAL;
        }
        try {
            if (driver.chip.faults.at(Kind.MEMORY_ERRNO).isPresent()) {
                return Errno.ENOMEM;
            }
            GemObject object =
                    driver.buffers.create(args.size(), args.flags(), args.iommuDomainId(), driver.jobs.nextBirth());
            if (object == null) {
                return Errno.ENOMEM;
            }
            int handle = freeHandle();
            handles.put(handle, object);
            describe(args, handle, object);
            return 0;
        } finally {
            driver.domains.release();
        }
    }

    private static void describe(RknpuMemCreate args, int handle, GemObject object) {
        args.handle(handle);
        args.size(object.size);
        args.objAddr(object.objAddr);
        args.dmaAddr(object.iova);
        args.sramSize(0);
    }

    private int map(RknpuMemMap args) {
        GemObject object = handles.get(args.handle());
        if (object == null) {
            return Errno.EINVAL;
        }
        args.offset(driver.buffers.mapOffset(object));
        return 0;
    }

    private int destroy(int handle) {
        GemObject object = handles.remove(handle);
        if (object == null) {
            return Errno.EINVAL;
        }
        driver.buffers.release(object);
        return 0;
    }

    private int destroySwitching(RknpuMemDestroy args) {
        GemObject object = handles.get(args.handle());
        if (object == null) {
            return Errno.EINVAL;
        }
        boolean live = false;
        for (int attempt = 0; attempt < 3 && !live; attempt++) {
            live = driver.domains.acquire(object.domain);
        }
        if (!live) {
            return Errno.EINVAL;
        }
        driver.domains.release();
        return destroy(args.handle());
    }

    private int sync(RknpuMemSync args) {
        if (args.objAddr() == 0) {
            return Errno.EINVAL;
        }
        GemObject object = driver.buffers.byPointer(args.objAddr());
        if (object == null) {
            return Errno.EFAULT;
        }
        if (!object.cacheable() || !driver.domains.acquire(object.domain)) {
            return Errno.EINVAL;
        }
        driver.lock.sleep(driver.chip.timing.syncNanos());
        if (object.references > 0) {
            if ((args.flags() & RknpuAbi.SYNC_TO_DEVICE) != 0) {
                object.memory().clean(args.offset(), args.size());
            }
            if ((args.flags() & RknpuAbi.SYNC_FROM_DEVICE) != 0) {
                object.memory().invalidate(args.offset(), args.size());
            }
        }
        driver.domains.release();
        return 0;
    }

    private int submit(RknpuSubmit args) {
        int injected = driver.chip
                .faults
                .at(Kind.SUBMIT_ERRNO)
                .map(fault -> (int) fault.amount())
                .orElse(0);
        if (injected != 0) {
            return injected;
        }
        GemObject tasks = null;
        if (args.taskObjAddr() != 0 && args.taskNumber() != 0) {
            tasks = driver.buffers.byPointer(args.taskObjAddr());
            if (tasks == null) {
                return oops("SUBMIT with a task array that is not an object");
            }
            if (!tasks.has(RknpuAbi.MEM_KERNEL_MAPPING)) {
                return oops("SUBMIT with a task array without KERNEL_MAPPING (0x8)");
            }
        }
        if (tasks != null) {
            checkTasks(args, tasks);
        }
        return driver.jobs.submit(args, tasks);
    }

    /** The kernel reads tasks through a mapping of its own, which arm64 keeps coherent; nobody relies on it (section 9). */
    private void checkTasks(RknpuSubmit args, GemObject tasks) {
        int mask = args.coreMask();
        if (!tasks.touched() || Integer.compareUnsigned(mask, Job.ALL_CORES) > 0) {
            return;
        }
        for (int core = 0; core < Job.CORES; core++) {
            // Mask 0 leaves the choice to the driver.
            if (mask == 0 || (mask >>> core & 1) != 0) {
                RknpuSubcoreTask range = args.subcoreTask(Job.entry(mask, core));
                checkRange(tasks, range.taskStart() & 0xffff_ffffL, range.taskNumber() & 0xffff_ffffL);
            }
        }
    }

    private void checkRange(GemObject tasks, long start, long number) {
        long record = RknpuTask.LAYOUT.byteSize();
        long from = Math.min(tasks.size, start * record);
        long bytes = Math.min(tasks.size - from, number * record);
        if (bytes > 0 && tasks.memory().isDirty(from, bytes)) {
            driver.chip.report.add(
                    Severity.WRONG,
                    "task-sync",
                    "tasks " + start + " to " + (start + number - 1) + " were written and not synced before SUBMIT");
        }
    }

    /** Where a real kernel dereferences nonsense; the caller would be killed. */
    private int oops(String what) {
        driver.chip.report.add(Severity.FATAL, "kernel-oops", what + ": a real kernel oopses");
        driver.log.add("Unable to handle kernel NULL pointer dereference at virtual address 0000000000000000");
        return Errno.EFAULT;
    }

    private int flink(MemorySegment args) {
        if (render) {
            return Errno.EACCES;
        }
        GemObject object = handles.get(word(args, 0));
        if (object == null) {
            return Errno.ENOENT;
        }
        word(args, 4, driver.flinkName(object));
        return 0;
    }

    private int export(MemorySegment args, Descriptors kernel) {
        GemObject object = handles.get(word(args, 0));
        if (object == null) {
            return Errno.ENOENT;
        }
        object.references++;
        int fd = kernel.install(new DmaBufFile(driver, object), true);
        if (fd < 0) {
            driver.buffers.release(object);
            return Errno.EMFILE;
        }
        word(args, 8, fd);
        return 0;
    }

    private int importFrom(MemorySegment args, Descriptors kernel) {
        OpenFile file = kernel.file(word(args, 8)).orElse(null);
        if (file == null) {
            return Errno.EBADF;
        }
        if (!(file instanceof DmaBufFile exported)) {
            return Errno.EINVAL;
        }
        for (Map.Entry<Integer, GemObject> known : handles.entrySet()) {
            if (known.getValue() == exported.object()) {
                word(args, 0, known.getKey());
                return 0;
            }
        }
        int handle = freeHandle();
        exported.object().references++;
        handles.put(handle, exported.object());
        word(args, 0, handle);
        return 0;
    }

    @Override
    public Mapping mmap(long offset, long lengthBytes, int protection) {
        driver.lock.lock();
        try {
            GemObject object = driver.buffers.byOffset(offset);
            if (object == null || lengthBytes <= 0 || lengthBytes > object.size) {
                return Mapping.error(Errno.EINVAL);
            }
            if (!handles.containsValue(object)) {
                return Mapping.error(Errno.EACCES);
            }
            MemorySegment memory = mapped(driver, object, lengthBytes);
            if (memory == null) {
                return Mapping.error(Errno.ENOMEM);
            }
            mappings.merge(memory.address(), 1, Integer::sum);
            return Mapping.of(memory);
        } finally {
            driver.lock.unlock();
        }
    }

    private static @Nullable MemorySegment mapped(RknpuDriver driver, GemObject object, long lengthBytes) {
        if (object.size > Integer.MAX_VALUE - 64) {
            return null;
        }
        driver.buffers.mapped(object);
        return object.memory().cpu().asSlice(0, lengthBytes);
    }

    @Override
    public void munmap(MemorySegment mapping) {
        driver.lock.lock();
        try {
            Integer count = mappings.get(mapping.address());
            if (count != null) {
                mappings.compute(mapping.address(), (address, value) -> count == 1 ? null : count - 1);
                driver.buffers.byAddress(mapping.address()).ifPresent(driver.buffers::release);
            }
        } finally {
            driver.lock.unlock();
        }
    }

    /** All handles go; mappings stay until they are unmapped. */
    @Override
    public void close() {
        driver.lock.lock();
        try {
            handles.values().forEach(driver.buffers::release);
            handles.clear();
        } finally {
            driver.lock.unlock();
        }
    }
}
