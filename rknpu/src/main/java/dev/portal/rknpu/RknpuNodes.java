package dev.portal.rknpu;

import dev.portal.hardware.rk3588.DrmVersion;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.kernel.Answer;
import dev.portal.kernel.DeviceException;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Open;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Finds the NPU among the nodes: asks each {@code renderD*}, then each {@code card*}, for its driver by DRM VERSION (spec
 * 2.1). The numbers of the nodes differ from board to board; the driver's name does not.
 */
public final class RknpuNodes {
    private static final String FOLDER = "/dev/dri/";
    private static final String ACCELERATORS = "/dev/accel/";
    private static final String HEAP_FLAVOUR = "/dev/rknpu";
    private static final long TEXT_BYTES = 64;

    private RknpuNodes() {}

    /** Every node with its driver, in the order in which they are tried. */
    public static List<DrmNode> list(Kernel kernel) {
        List<DrmNode> nodes = new ArrayList<>();
        for (String prefix : List.of("renderD", "card")) {
            for (String name : kernel.list(FOLDER)) {
                if (name.startsWith(prefix)) {
                    nodes.add(ask(kernel, FOLDER + name));
                }
            }
        }
        for (String name : kernel.list(ACCELERATORS)) {
            nodes.add(ask(kernel, ACCELERATORS + name));
        }
        return nodes;
    }

    /**
     * The node of the vendor driver.
     *
     * @throws DeviceException when there is none, saying what was found instead and what to do
     */
    public static DrmNode find(Kernel kernel) {
        List<DrmNode> nodes = list(kernel);
        for (DrmNode node : nodes) {
            if (node.driver().equals(RknpuAbi.DRIVER_NAME)) {
                return node;
            }
        }
        throw explain(kernel, nodes);
    }

    private static DeviceException explain(Kernel kernel, List<DrmNode> nodes) {
        for (DrmNode node : nodes) {
            if (node.driver().equals(RknpuAbi.MAINLINE_DRIVER_NAME)) {
                return new DeviceException.Incompatible(
                        node.path(),
                        "the mainline driver rocket " + node.version() + " owns the NPU; Portal speaks to the vendor's"
                                + " rknpu. Boot the vendor kernel (6.1 rk35xx), or use --device emulated");
            }
        }
        if (kernel.exists(HEAP_FLAVOUR)) {
            return new DeviceException.Incompatible(
                    HEAP_FLAVOUR,
                    "this kernel was built with CONFIG_ROCKCHIP_RKNPU_DMA_HEAP; Portal needs the DRM flavour."
                            + " Rebuild it without that option, or use --device emulated");
        }
        List<DrmNode> denied = nodes.stream()
                .filter(node -> node.errno() == Errno.EACCES || node.errno() == Errno.EPERM)
                .filter(node -> mayBeNpu(kernel, node.path()))
                .toList();
        if (!denied.isEmpty()) {
            String paths = denied.stream().map(DrmNode::path).collect(Collectors.joining(", "));
            boolean known = denied.stream()
                    .map(node -> driverInSysfs(kernel, node.path()))
                    .anyMatch(Optional::isPresent);
            return new DeviceException.Denied(
                    paths,
                    "may not be opened by this user, and the NPU " + (known ? "is" : "may be")
                            + " behind it; add the user to the group that owns the node"
                            + " (sudo usermod -aG render $USER) and log in again",
                    denied.getFirst().errno());
        }
        String found = nodes.stream()
                .map(node -> node.path() + " ("
                        + (node.driver().isEmpty() ? Errno.describe(node.errno()) : node.driver()) + ")")
                .collect(Collectors.joining(", "));
        return new DeviceException.Unavailable(
                "rk3588",
                "no node of the driver rknpu" + (found.isEmpty() ? "" : " among " + found)
                        + "; is this an RK3588 with the vendor kernel? --device emulated runs without one");
    }

    /** Whether what sysfs says of a node that may not be opened leaves room for an NPU: its driver, or nothing. */
    private static boolean mayBeNpu(Kernel kernel, String path) {
        return driverInSysfs(kernel, path).map(RknpuNodes::isNpu).orElse(true);
    }

    private static boolean isNpu(String driver) {
        return driver.equalsIgnoreCase(RknpuAbi.DRIVER_NAME) || driver.equals(RknpuAbi.MAINLINE_DRIVER_NAME);
    }

    /** The platform driver's name, which anybody may read; {@code RKNPU} for the vendor's (spec 2.1). */
    private static Optional<String> driverInSysfs(Kernel kernel, String path) {
        String name = path.substring(path.lastIndexOf('/') + 1);
        String folder = path.startsWith(ACCELERATORS) ? "/sys/class/accel/" : "/sys/class/drm/";
        return kernel.readText(folder + name + "/device/uevent").stream()
                .flatMap(String::lines)
                .filter(line -> line.startsWith("DRIVER="))
                .map(line -> line.substring("DRIVER=".length()))
                .findFirst();
    }

    private static DrmNode ask(Kernel kernel, String path) {
        long opened = kernel.open(path, Open.DEVICE);
        if (Answer.failed(opened)) {
            return new DrmNode(path, "", "", "", Answer.errno(opened));
        }
        int fd = Answer.value(opened);
        try (Arena arena = Arena.ofConfined()) {
            DrmVersion version = new DrmVersion(arena.allocate(DrmVersion.LAYOUT));
            MemorySegment name = arena.allocate(TEXT_BYTES);
            MemorySegment date = arena.allocate(TEXT_BYTES);
            version.nameLen(TEXT_BYTES);
            version.name(name.address());
            version.dateLen(TEXT_BYTES);
            version.date(date.address());
            long answer = kernel.ioctl(fd, RknpuAbi.DRM_VERSION, version.segment());
            if (Answer.failed(answer)) {
                return new DrmNode(path, "", "", "", Answer.errno(answer));
            }
            return new DrmNode(
                    path,
                    text(name, version.nameLen()),
                    version.versionMajor() + "." + version.versionMinor() + "." + version.versionPatchlevel(),
                    text(date, version.dateLen()),
                    0);
        } finally {
            kernel.close(fd);
        }
    }

    private static String text(MemorySegment room, long length) {
        long bytes = Math.clamp(length, 0, room.byteSize());
        String text = new String(room.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
        int end = text.indexOf('\0');
        return end < 0 ? text : text.substring(0, end);
    }
}
