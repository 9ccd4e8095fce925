package dev.portal.scheduler;

import dev.portal.base.NodeProbe;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Whether there is an accelerator, and how it is known: the scheduling seed's flow chart as a pure function.
 *
 * <pre>
 *   PORTAL_NPU_TRANSPORT=emulated ──► available, whatever the machine (spec 7.13)
 *   not aarch64 ────────────────────► not available
 *   PORTAL_NPU_CORE_COUNT=1 ────────► /dev/fastrpc-adsp or /dev/dma_heap/fastrpc_mem (seed),
 *                                     then cdsp-secure, cdsp, adsp-secure (spec 7.1)
 *   otherwise ──────────────────────► /dev/dri/renderD128 or PORTAL_NPU_CLASS_PATH (/sys/class/npu)
 * </pre>
 *
 * @param available whether to use it
 * @param transport how its jobs reach it
 * @param cores 1 or 3
 * @param lanesPerDevice how many of the cores compute at once: 1 where there is one DSP, else 3
 * @param node the first node found; empty when none was, and for the emulator
 * @param sessionCapable whether a compute-DSP node exists, which a FastRPC session needs; the ADSP's alone is not enough
 * @param why one sentence for a person: what was looked at, what was found, what to do
 */
public record NpuDetection(
        boolean available,
        Transport transport,
        int cores,
        int lanesPerDevice,
        Optional<String> node,
        boolean sessionCapable,
        String why) {
    public static final String CORE_COUNT_VARIABLE = "PORTAL_NPU_CORE_COUNT";
    public static final String CLASS_PATH_VARIABLE = "PORTAL_NPU_CLASS_PATH";
    public static final String TRANSPORT_VARIABLE = "PORTAL_NPU_TRANSPORT";
    public static final String DEFAULT_CLASS_PATH = "/sys/class/npu";
    public static final String RENDER_NODE = "/dev/dri/renderD128";

    private static final String EMULATED = "emulated";
    private static final int MULTI_CORES = 3;
    private static final List<String> SEED_DSP_NODES = List.of("/dev/fastrpc-adsp", "/dev/dma_heap/fastrpc_mem");
    private static final List<String> COMPUTE_DSP_NODES = List.of("/dev/fastrpc-cdsp-secure", "/dev/fastrpc-cdsp");
    private static final String ADSP_SECURE = "/dev/fastrpc-adsp-secure";

    /** How jobs reach the device. */
    public enum Transport {
        /** They do not: there is none. */
        NONE,
        /** Hexagon, through FastRPC. */
        FASTRPC,
        /** A render node or an NPU class device, such as RK3588's. */
        NPU_NODE,
        /** The emulator, which was asked for by name. */
        EMULATED
    }

    /**
     * Looks.
     *
     * @param architecture as {@code os.arch} says it
     * @param environment the process's variables
     * @param nodes what exists on this machine
     */
    public static NpuDetection detect(String architecture, Map<String, String> environment, NodeProbe nodes) {
        boolean single = "1".equals(environment.get(CORE_COUNT_VARIABLE));
        int cores = single ? 1 : MULTI_CORES;
        if (EMULATED.equals(environment.get(TRANSPORT_VARIABLE))) {
            String why = TRANSPORT_VARIABLE + "=" + EMULATED + " asks for the emulator; no hardware was looked for";
            return new NpuDetection(true, Transport.EMULATED, cores, cores, Optional.empty(), false, why);
        }
        if (!architecture.equals("aarch64")) {
            return none(
                    cores,
                    "the architecture is " + architecture + " and accelerators are looked for on aarch64 only;"
                            + " set " + TRANSPORT_VARIABLE + "=" + EMULATED + " for the emulator");
        }
        boolean sessionCapable = COMPUTE_DSP_NODES.stream().anyMatch(nodes::exists);
        return single ? singleDsp(nodes, sessionCapable) : multiCore(environment, nodes, sessionCapable);
    }

    private static NpuDetection singleDsp(NodeProbe nodes, boolean sessionCapable) {
        for (List<String> candidates : List.of(SEED_DSP_NODES, COMPUTE_DSP_NODES, List.of(ADSP_SECURE))) {
            for (String node : candidates) {
                if (nodes.exists(node)) {
                    String why = node + " exists"
                            + (sessionCapable
                                    ? ""
                                    : ", but no compute-DSP node (" + String.join(", ", COMPUTE_DSP_NODES)
                                            + "), which a session needs");
                    return new NpuDetection(true, Transport.FASTRPC, 1, 1, Optional.of(node), sessionCapable, why);
                }
            }
        }
        return none(
                1,
                CORE_COUNT_VARIABLE + "=1 and none of " + String.join(", ", SEED_DSP_NODES) + ", "
                        + String.join(", ", COMPUTE_DSP_NODES) + ", " + ADSP_SECURE
                        + " exists; load the fastrpc driver, or check the device tree");
    }

    private static NpuDetection multiCore(Map<String, String> environment, NodeProbe nodes, boolean sessionCapable) {
        String classPath = environment.getOrDefault(CLASS_PATH_VARIABLE, DEFAULT_CLASS_PATH);
        for (String node : List.of(RENDER_NODE, classPath)) {
            if (nodes.exists(node)) {
                String why =
                        node + " exists" + (node.equals(RENDER_NODE) ? "; any GPU makes one, so check its driver" : "");
                return new NpuDetection(
                        true, Transport.NPU_NODE, MULTI_CORES, MULTI_CORES, Optional.of(node), sessionCapable, why);
            }
        }
        return none(
                MULTI_CORES,
                "neither " + RENDER_NODE + " nor " + classPath + " exists"
                        + (sessionCapable
                                ? "; a compute DSP does, so set " + CORE_COUNT_VARIABLE + "=1"
                                : "; load the NPU's driver, or set " + CLASS_PATH_VARIABLE));
    }

    private static NpuDetection none(int cores, String why) {
        return new NpuDetection(false, Transport.NONE, cores, cores, Optional.empty(), false, why);
    }
}
