package dev.portal.rknpu;

import dev.portal.hardware.rk3588.DrmVersion;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.hardware.rk3588.RknpuAction;
import dev.portal.hardware.rk3588.RknpuMemCreate40;
import dev.portal.hardware.rk3588.RknpuSubmit;
import dev.portal.kernel.Answer;
import dev.portal.kernel.CacheMaintenance;
import dev.portal.kernel.Errno;
import dev.portal.kernel.FileStatus;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Mapping;
import dev.portal.kernel.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Answers what a test tells it to: which nodes there are, which driver version, how SUBMIT ends. What the driver and the
 * chip really do is the emulator's affair, and tested against it in the verification module.
 */
final class ScriptedKernel implements Kernel {
    private static final String DENIED = "";
    private static final int PAGE = 4096;

    private final Map<String, String> drivers = new LinkedHashMap<>();
    private final List<String> files = new ArrayList<>();
    private final List<String> open = new ArrayList<>();
    private final Arena arena = Arena.ofAuto();

    final List<Integer> requests = new ArrayList<>();
    final List<Integer> createFlags = new ArrayList<>();
    int driverVersion = 908;
    boolean locked;
    int mappings;
    LongSupplier submit = () -> Answer.of(0);

    /** Copies of what was submitted, oldest first. */
    final List<RknpuSubmit> submitted = new ArrayList<>();

    ScriptedKernel node(String path, String driver) {
        drivers.put(path, driver);
        return this;
    }

    ScriptedKernel deniedNode(String path) {
        return node(path, DENIED);
    }

    ScriptedKernel file(String path) {
        files.add(path);
        return this;
    }

    static ScriptedKernel board() {
        return new ScriptedKernel().node("/dev/dri/renderD129", "rknpu");
    }

    @Override
    public long open(String path, int flags) {
        String driver = drivers.get(path);
        if (driver == null) {
            return Answer.error(Errno.ENOENT);
        }
        if (driver.equals(DENIED)) {
            return Answer.error(Errno.EACCES);
        }
        open.add(driver);
        return Answer.of(open.size() - 1);
    }

    @Override
    public long ioctl(int fd, int request, MemorySegment argument) {
        requests.add(request);
        if (request == RknpuAbi.DRM_VERSION) {
            DrmVersion version = new DrmVersion(argument);
            byte[] name = open.get(fd).getBytes(StandardCharsets.UTF_8);
            MemorySegment.copy(
                    name, 0, NativeMemory.at(version.name(), name.length), ValueLayout.JAVA_BYTE, 0, name.length);
            version.nameLen(name.length);
            version.dateLen(0);
            version.versionMinor(9);
            version.versionPatchlevel(8);
        } else if (request == RknpuAbi.DRM_ACTION) {
            new RknpuAction(argument).value(driverVersion);
        } else if (request == RknpuAbi.DRM_MEM_CREATE || request == RknpuAbi.DRM_MEM_CREATE_40) {
            RknpuMemCreate40 create = new RknpuMemCreate40(argument);
            createFlags.add(create.flags());
            create.handle(createFlags.size());
            create.objAddr(0xffffff80_00000000L + createFlags.size());
            create.dmaAddr(0xffff_f000L - (long) createFlags.size() * 0x10000);
        } else if (request == RknpuAbi.DRM_SUBMIT) {
            submitted.add(
                    new RknpuSubmit(Arena.ofAuto().allocate(RknpuSubmit.LAYOUT).copyFrom(argument)));
            return submit.getAsLong();
        }
        return Answer.of(0);
    }

    @Override
    public Mapping mmap(int fd, long offset, long lengthBytes, int protection, int flags) {
        mappings++;
        return Mapping.of(arena.allocate(lengthBytes, PAGE));
    }

    @Override
    public long munmap(MemorySegment mapping) {
        mappings--;
        return Answer.of(0);
    }

    @Override
    public List<String> list(String directory) {
        return drivers.keySet().stream()
                .filter(path -> path.startsWith(directory))
                .map(path -> path.substring(directory.length()))
                .sorted()
                .toList();
    }

    @Override
    public boolean exists(String path) {
        return files.contains(path) || drivers.containsKey(path);
    }

    @Override
    public long flock(int fd, int operation) {
        return locked ? Answer.error(Errno.EAGAIN) : Answer.of(0);
    }

    @Override
    public FileStatus fstat(int fd) {
        return new FileStatus(0, 0020660, 0, 0, 0, 6, 345);
    }

    @Override
    public Optional<String> readText(String path) {
        return switch (path) {
            case "/proc/locks" -> Optional.of("""
                    1: POSIX  ADVISORY  READ 9 00:06:345 0 EOF
                    2: FLOCK  ADVISORY  WRITE 708 00:06:345 0 EOF
                    """);
            case "/proc/708/comm" -> Optional.of("llm-server\n");
            default -> Optional.empty();
        };
    }

    @Override
    public int pageSize() {
        return PAGE;
    }

    @Override
    public Optional<CacheMaintenance> cacheMaintenance() {
        return Optional.empty();
    }

    @Override
    public long close(int fd) {
        return Answer.of(0);
    }

    @Override
    public long openat(int dirFd, String path, int flags) {
        throw new AssertionError("not used");
    }

    @Override
    public long dup(int fd) {
        throw new AssertionError("not used");
    }

    @Override
    public long fcntl(int fd, int command, int argument) {
        throw new AssertionError("not used");
    }

    @Override
    public long read(int fd, MemorySegment into) {
        throw new AssertionError("not used");
    }

    @Override
    public long mprotect(MemorySegment mapping, int protection) {
        throw new AssertionError("not used");
    }

    @Override
    public long threadHandle() {
        throw new AssertionError("not used");
    }

    @Override
    public long blockSignals() {
        throw new AssertionError("not used");
    }

    @Override
    public long interrupt(long threadHandle) {
        throw new AssertionError("not used");
    }
}
