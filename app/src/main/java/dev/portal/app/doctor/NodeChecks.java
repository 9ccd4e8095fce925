package dev.portal.app.doctor;

import java.util.ArrayList;
import java.util.List;

/**
 * The device nodes of both NPUs: whether they exist, whether this user may open them, and whether the driver behind
 * them is an NPU's.
 *
 * <p>Hexagon: hexagon-and-voice 7.1 and 7.2. RK3588: rk3588-npu 2.1 and hexagon-and-voice 7.14.
 */
final class NodeChecks {
    private static final String DEV = "/dev/";
    private static final String DRI = "/dev/dri/";

    private final Host host;

    NodeChecks(Host host) {
        this.host = host;
    }

    List<Finding> examine() {
        List<Finding> findings = new ArrayList<>();
        fastRpc(findings);
        rknpu(findings);
        return findings;
    }

    private void fastRpc(List<Finding> findings) {
        List<String> nodes = List.of("fastrpc-cdsp-secure", "fastrpc-cdsp", "fastrpc-adsp-secure", "fastrpc-adsp");
        List<String> present = nodes.stream().filter(n -> host.exists(DEV + n)).toList();
        present.forEach(node -> findings.add(node("hexagon", DEV + node)));
        boolean compute = present.stream().anyMatch(n -> n.contains("cdsp"));
        if (!present.isEmpty() && !compute) {
            findings.add(Finding.warning(
                    "hexagon",
                    "an audio DSP only: no fastrpc-cdsp node, so no model can run on it",
                    "enable the compute DSP in the device tree, and load its firmware (dmesg | grep -i cdsp)"));
        }
        if (!present.isEmpty()) {
            findings.add(heap());
        }
    }

    private Finding heap() {
        for (String heap : List.of("/dev/dma_heap/fastrpc_mem", "/dev/dma_heap/system")) {
            if (host.opens(heap)) {
                return Finding.ok("dma heap", heap);
            }
        }
        return Finding.note(
                "dma heap",
                "no DMA heap that this user may open; buffers come from the FastRPC session",
                "for zero-copy buffers: sudo chgrp render /dev/dma_heap/system && sudo chmod g+rw /dev/dma_heap/system");
    }

    private void rknpu(List<Finding> findings) {
        if (host.exists("/dev/rknpu")) {
            findings.add(node("rk3588", "/dev/rknpu"));
        }
        for (String name : host.list("/dev/dri")) {
            if (!name.startsWith("renderD")) {
                continue;
            }
            String driver = host.linkName("/sys/class/drm/" + name + "/device/driver");
            if ("RKNPU".equalsIgnoreCase(driver)) {
                findings.add(node("rk3588", DRI + name));
            } else if (name.equals("renderD128")) {
                findings.add(Finding.note(
                        "rk3588",
                        DRI + name + " belongs to the driver '" + driver
                                + "', which is not an NPU's, though detection counts it",
                        "run with --device cpu, or with PORTAL_NPU_CORE_COUNT=1 on a Hexagon board"));
            }
        }
    }

    private Finding node(String topic, String path) {
        if (host.opens(path)) {
            return Finding.ok(topic, path + " " + host.permissions(path));
        }
        String group = host.group(path);
        String fix = group == null || group.equals("root")
                ? "sudo chgrp render " + path + " && sudo chmod g+rw " + path + " (a udev rule makes it last)"
                : "sudo usermod -aG " + group + " " + host.property("user.name") + ", then log in again";
        return Finding.missing(topic, path + " " + host.permissions(path) + " may not be opened by this user", fix);
    }
}
