package dev.portal.emulator;

import dev.portal.hardware.rk3588.DrmVersion;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Mapping;
import dev.portal.kernel.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A node that is there and is not the vendor's NPU driver: a GPU, the mainline NPU driver {@code rocket}, or the other
 * flavour of the vendor's. It says who it is, and no more: who looks for an NPU must pass it by.
 *
 * @param node its path
 * @param driver the name that DRM VERSION gives, and the platform driver's name in sysfs; empty for a node that is no
 *     DRM node and knows no such question
 * @param openErrno why this user may not open it, or 0
 */
public record OtherDrmDriver(String node, String driver, int openErrno) implements EmulatedDevice {
    @Override
    public List<String> nodes() {
        return List.of(node);
    }

    @Override
    public Map<String, String> texts() {
        if (driver.isEmpty()) {
            return Map.of();
        }
        String folder = node.startsWith("/dev/accel/") ? "/sys/class/accel/" : "/sys/class/drm/";
        String name = node.substring(node.lastIndexOf('/') + 1);
        return Map.of(folder + name + "/device/uevent", "DRIVER=" + driver + "\n");
    }

    @Override
    public Opened open(String path) {
        return openErrno == 0 ? Opened.of(new Asked(driver)) : Opened.refused(openErrno);
    }

    @Override
    public Optional<CacheLines> linesAt(long address) {
        return Optional.empty();
    }

    private record Asked(String driver) implements OpenFile {
        @Override
        public long ioctl(int request, MemorySegment argument, Descriptors kernel) {
            if (request != RknpuAbi.DRM_VERSION || driver.isEmpty()) {
                return Answer.error(Errno.ENOTTY);
            }
            DrmVersion version = new DrmVersion(argument);
            byte[] name = driver.getBytes(StandardCharsets.US_ASCII);
            int count = (int) Math.min(name.length, Math.max(0, version.nameLen()));
            if (version.name() != 0 && count > 0) {
                MemorySegment.copy(name, 0, NativeMemory.at(version.name(), count), ValueLayout.JAVA_BYTE, 0, count);
            }
            version.nameLen(name.length);
            version.dateLen(0);
            version.descLen(0);
            version.versionMajor(1);
            version.versionMinor(0);
            version.versionPatchlevel(0);
            return Answer.of(0);
        }

        @Override
        public Mapping mmap(long offset, long lengthBytes, int protection) {
            return Mapping.error(Errno.EINVAL);
        }

        @Override
        public void munmap(MemorySegment mapping) {}

        @Override
        public void close() {}
    }
}
