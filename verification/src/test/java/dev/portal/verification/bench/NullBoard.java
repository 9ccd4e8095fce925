package dev.portal.verification.bench;

import dev.portal.hardware.rk3588.DrmVersion;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.hardware.rk3588.RknpuAction;
import dev.portal.hardware.rk3588.RknpuMemCreate40;
import dev.portal.kernel.Answer;
import dev.portal.kernel.CacheMaintenance;
import dev.portal.kernel.FileStatus;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Mapping;
import dev.portal.kernel.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * A board that takes no time: memory, and a submit that does what the caller says. What remains is the host's own work,
 * which is what it is for.
 */
final class NullBoard implements Kernel {
    static final String NODE = "/dev/dri/renderD129";

    private static final int PAGE = 4096;
    private static final byte[] NAME = "rknpu".getBytes(StandardCharsets.US_ASCII);

    private final Arena arena = Arena.ofAuto();
    private final boolean cacheInstructions;
    private int objects;

    /** Runs at each SUBMIT: rings the doorbells. */
    Runnable submitted = () -> {};

    /** @param cacheInstructions whether lines are cleaned by instructions, here for nothing, or by MEM_SYNC */
    NullBoard(boolean cacheInstructions) {
        this.cacheInstructions = cacheInstructions;
    }

    @Override
    public long ioctl(int fd, int request, MemorySegment argument) {
        if (request == RknpuAbi.DRM_SUBMIT) {
            submitted.run();
        } else if (request == RknpuAbi.DRM_ACTION) {
            new RknpuAction(argument).value(908);
        } else if (request == RknpuAbi.DRM_VERSION) {
            DrmVersion version = new DrmVersion(argument);
            MemorySegment name = NativeMemory.at(version.name(), NAME.length);
            MemorySegment.copy(NAME, 0, name, ValueLayout.JAVA_BYTE, 0, NAME.length);
            version.nameLen(NAME.length);
            version.dateLen(0);
            version.versionMinor(9);
            version.versionPatchlevel(8);
        } else if (request == RknpuAbi.DRM_MEM_CREATE) {
            objects++;
            RknpuMemCreate40 create = new RknpuMemCreate40(argument);
            create.handle(objects);
            create.objAddr(0xffffff80_00000000L + objects);
            // The window is used again and again: nothing here translates addresses.
            create.dmaAddr(0xffff_f000L - objects % 1000 * 0x10_0000L);
        }
        return Answer.of(0);
    }

    @Override
    public long open(String path, int flags) {
        return Answer.of(3);
    }

    @Override
    public Mapping mmap(int fd, long offset, long lengthBytes, int protection, int flags) {
        return Mapping.of(arena.allocate(lengthBytes, PAGE));
    }

    @Override
    public Optional<CacheMaintenance> cacheMaintenance() {
        return cacheInstructions ? Optional.of(Nothing.INSTANCE) : Optional.empty();
    }

    /** Caches that need no maintenance. */
    private enum Nothing implements CacheMaintenance {
        INSTANCE;

        @Override
        public int lineBytes() {
            return 64;
        }

        @Override
        public void clean(MemorySegment memory, long offset, long bytes) {}

        @Override
        public void cleanInvalidate(MemorySegment memory, long offset, long bytes) {}
    }

    @Override
    public int pageSize() {
        return PAGE;
    }

    @Override
    public long munmap(MemorySegment mapping) {
        return Answer.of(0);
    }

    @Override
    public long close(int fd) {
        return Answer.of(0);
    }

    @Override
    public long flock(int fd, int operation) {
        return Answer.of(0);
    }

    @Override
    public boolean exists(String path) {
        return path.equals(NODE);
    }

    @Override
    public FileStatus fstat(int fd) {
        return new FileStatus(0, 0020660, 0, 0, 0, 6, 345);
    }

    @Override
    public List<String> list(String directory) {
        return List.of();
    }

    @Override
    public Optional<String> readText(String path) {
        return Optional.empty();
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
