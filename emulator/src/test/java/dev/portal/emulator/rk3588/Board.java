package dev.portal.emulator.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.VirtualClock;
import dev.portal.emulator.EmulatedKernel;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.hardware.rk3588.RknpuAction;
import dev.portal.hardware.rk3588.RknpuMemCreate;
import dev.portal.hardware.rk3588.RknpuMemDestroy;
import dev.portal.hardware.rk3588.RknpuMemMap;
import dev.portal.hardware.rk3588.RknpuMemSync;
import dev.portal.hardware.rk3588.RknpuSubmit;
import dev.portal.hardware.rk3588.RknpuTask;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Mapping;
import dev.portal.kernel.Open;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** An emulated board and an open descriptor, with the calls that tests make, all of them through the kernel's seam. */
final class Board implements AutoCloseable {
    static final int DATA = 0x403;
    static final int TASKS = 0x40b;
    static final int BLOCKING = 0x5;
    static final int ASYNC = 0x7;

    final VirtualClock clock;
    final KernelLog log = new KernelLog();
    final ModelReport report = new ModelReport();
    final RknpuDriver driver;
    final EmulatedKernel kernel;
    final int fd;
    private final Arena arena = Arena.ofConfined();

    Board() {
        this(Rk3588Options.standard());
    }

    Board(Rk3588Options options) {
        this(options, RknpuDriver.RENDER_NODE);
    }

    Board(Rk3588Options options, String node) {
        clock = new VirtualClock();
        driver = new RknpuDriver(clock, options, log, report);
        kernel = new EmulatedKernel(List.of(driver));
        fd = Answer.value(kernel.open(node, Open.DEVICE));
    }

    /** Another file of the same board: handles of its own, everything else shared. */
    Board(Board same) {
        clock = same.clock;
        driver = same.driver;
        kernel = same.kernel;
        fd = Answer.value(kernel.open(RknpuDriver.RENDER_NODE, Open.DEVICE));
    }

    /** A buffer, mapped. */
    record Buffer(int handle, long object, long iova, long size, MemorySegment memory) {
        void ints(long offset, int... values) {
            for (int i = 0; i < values.length; i++) {
                memory.set(ValueLayout.JAVA_INT, offset + 4L * i, values[i]);
            }
        }

        int int32(int index) {
            return memory.get(ValueLayout.JAVA_INT, 4L * index);
        }

        void bytes(long offset, byte[] values) {
            MemorySegment.copy(MemorySegment.ofArray(values), 0, memory, offset, values.length);
        }

        byte[] bytes(int count) {
            return memory.asSlice(0, count).toArray(ValueLayout.JAVA_BYTE);
        }

        void words(long offset, long[] values) {
            MemorySegment.copy(MemorySegment.ofArray(values), 0, memory, offset, 8L * values.length);
        }
    }

    MemorySegment allocate(long bytes) {
        return arena.allocate(bytes, 8);
    }

    long ioctl(int request, MemorySegment argument) {
        return kernel.ioctl(fd, request, argument);
    }

    RknpuMemCreate create(long size, int flags, int domain) {
        RknpuMemCreate args = new RknpuMemCreate(allocate(48));
        args.size(size);
        args.flags(flags);
        args.iommuDomainId(domain);
        assertThat(ioctl(RknpuAbi.DRM_MEM_CREATE, args.segment())).isZero();
        return args;
    }

    Buffer buffer(long size, int flags) {
        return buffer(size, flags, 0);
    }

    Buffer buffer(long size, int flags, int domain) {
        RknpuMemCreate made = create(size, flags, domain);
        RknpuMemMap map = new RknpuMemMap(allocate(16));
        map.handle(made.handle());
        assertThat(ioctl(RknpuAbi.DRM_MEM_MAP, map.segment())).isZero();
        Mapping mapping =
                kernel.mmap(fd, map.offset(), made.size(), Kernel.PROT_READ | Kernel.PROT_WRITE, Kernel.MAP_SHARED);
        assertThat(mapping.errno()).isZero();
        return new Buffer(made.handle(), made.objAddr(), made.dmaAddr(), made.size(), mapping.memory());
    }

    long destroy(int handle) {
        RknpuMemDestroy args = new RknpuMemDestroy(allocate(16));
        args.handle(handle);
        return ioctl(RknpuAbi.DRM_MEM_DESTROY, args.segment());
    }

    void free(Buffer buffer) {
        assertThat(kernel.munmap(buffer.memory())).isZero();
        assertThat(destroy(buffer.handle())).isZero();
    }

    long sync(Buffer buffer, int flags) {
        return sync(buffer, flags, 0, buffer.size());
    }

    long sync(Buffer buffer, int flags, long offset, long size) {
        RknpuMemSync args = new RknpuMemSync(allocate(32));
        args.flags(flags);
        args.objAddr(buffer.object());
        args.offset(offset);
        args.size(size);
        return ioctl(RknpuAbi.DRM_MEM_SYNC, args.segment());
    }

    void toDevice(Buffer... buffers) {
        for (Buffer buffer : buffers) {
            assertThat(sync(buffer, RknpuAbi.SYNC_TO_DEVICE)).isZero();
        }
    }

    void fromDevice(Buffer buffer) {
        assertThat(sync(buffer, RknpuAbi.SYNC_FROM_DEVICE)).isZero();
    }

    int action(int code, int value) {
        RknpuAction args = new RknpuAction(allocate(8));
        args.flags(code);
        args.value(value);
        assertThat(ioctl(RknpuAbi.DRM_ACTION, args.segment())).isZero();
        return args.value();
    }

    long actionAnswer(int code) {
        RknpuAction args = new RknpuAction(allocate(8));
        args.flags(code);
        return ioctl(RknpuAbi.DRM_ACTION, args.segment());
    }

    /** Fills a task array: one task a program address, 108 words each. */
    void tasks(Buffer tasks, long... programs) {
        for (int i = 0; i < programs.length; i++) {
            task(tasks, i, programs[i], 108, 0x300);
        }
        sync(tasks, RknpuAbi.SYNC_TO_DEVICE | RknpuAbi.SYNC_FROM_DEVICE);
    }

    RknpuTask task(Buffer tasks, int index, long program, int amount, int mask) {
        RknpuTask task = new RknpuTask(tasks.memory().asSlice(40L * index, 40));
        task.enableMask(0xd);
        task.intMask(mask);
        task.intClear(0x1ffff);
        task.regcfgAmount(amount);
        task.regcmdAddr(program);
        return task;
    }

    /** A submission of {@code number} tasks on core 0, every range filled. */
    RknpuSubmit submission(int flags, Buffer tasks, int number) {
        RknpuSubmit args = new RknpuSubmit(allocate(104));
        args.flags(flags);
        args.timeout(6000);
        args.taskNumber(number);
        args.taskObjAddr(tasks.object());
        args.coreMask(1);
        args.fenceFd(-1);
        for (int i = 0; i < 3; i++) {
            args.subcoreTask(i).taskNumber(number);
        }
        return args;
    }

    long submit(RknpuSubmit args) {
        return ioctl(RknpuAbi.DRM_SUBMIT, args.segment());
    }

    @Override
    public void close() {
        kernel.close(fd);
        arena.close();
    }
}
