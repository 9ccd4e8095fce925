package dev.portal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.scheduler.NpuDetection.Transport;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NpuDetectionTest {
    private static final Map<String, String> SINGLE = Map.of("PORTAL_NPU_CORE_COUNT", "1");

    private static NpuDetection detect(Map<String, String> environment, String... nodes) {
        return NpuDetection.detect("aarch64", environment, List.of(nodes)::contains);
    }

    @Test
    void otherArchitecturesHaveNoneWhateverExists() {
        NpuDetection found = NpuDetection.detect("amd64", SINGLE, path -> true);
        assertThat(found.available()).isFalse();
        assertThat(found.transport()).isEqualTo(Transport.NONE);
        assertThat(found.cores()).isEqualTo(1);
        assertThat(found.why()).contains("amd64", "PORTAL_NPU_TRANSPORT=emulated");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/dev/fastrpc-adsp", "/dev/dma_heap/fastrpc_mem"})
    void oneCoreLooksForTheSeedsNodes(String node) {
        NpuDetection found = detect(SINGLE, node);
        assertThat(found.available()).isTrue();
        assertThat(found.transport()).isEqualTo(Transport.FASTRPC);
        assertThat(found.node()).contains(node);
        assertThat(found.cores()).isEqualTo(1);
        assertThat(found.lanesPerDevice()).isEqualTo(1);
        assertThat(found.sessionCapable()).isFalse();
        assertThat(found.why()).contains("no compute-DSP node");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/dev/fastrpc-cdsp-secure", "/dev/fastrpc-cdsp"})
    void oneCoreFindsAComputeDspAndKnowsThatASessionIsPossible(String node) {
        assertThat(detect(SINGLE, node).available()).isTrue();
        assertThat(detect(SINGLE, node).sessionCapable()).isTrue();
        assertThat(detect(SINGLE, "/dev/fastrpc-adsp", node).sessionCapable()).isTrue();
    }

    @Test
    void oneCoreFindsASecureAdspAndIgnoresRenderNodes() {
        assertThat(detect(SINGLE, "/dev/fastrpc-adsp-secure").available()).isTrue();
        NpuDetection none = detect(SINGLE, "/dev/dri/renderD128", "/sys/class/npu");
        assertThat(none.available()).isFalse();
        assertThat(none.why()).contains("/dev/fastrpc-adsp", "/dev/dma_heap/fastrpc_mem");
    }

    @Test
    void severalCoresLookForARenderNodeOrTheNpuClass() {
        for (String node : List.of("/dev/dri/renderD128", "/sys/class/npu")) {
            NpuDetection found = detect(Map.of(), node);
            assertThat(found.available()).isTrue();
            assertThat(found.transport()).isEqualTo(Transport.NPU_NODE);
            assertThat(found.node()).contains(node);
            assertThat(found.cores()).isEqualTo(3);
            assertThat(found.lanesPerDevice()).isEqualTo(3);
        }
        assertThat(detect(Map.of("PORTAL_NPU_CORE_COUNT", "3"), "/sys/class/npu")
                        .cores())
                .isEqualTo(3);
    }

    @Test
    void theClassPathCanBeSet() {
        Map<String, String> environment = Map.of("PORTAL_NPU_CLASS_PATH", "/sys/class/other");
        assertThat(detect(environment, "/sys/class/other").available()).isTrue();
        assertThat(detect(environment, "/sys/class/npu").available()).isFalse();
    }

    @Test
    void severalCoresDoNotCountADspButSayWhatToSet() {
        NpuDetection none = detect(Map.of(), "/dev/fastrpc-adsp", "/dev/fastrpc-cdsp");
        assertThat(none.available()).isFalse();
        assertThat(none.why()).contains("PORTAL_NPU_CORE_COUNT=1");
    }

    @Test
    void theEmulatorIsAskedForByNameOnAnyMachine() {
        for (String architecture : List.of("amd64", "aarch64")) {
            NpuDetection found =
                    NpuDetection.detect(architecture, Map.of("PORTAL_NPU_TRANSPORT", "emulated"), path -> false);
            assertThat(found.available()).isTrue();
            assertThat(found.transport()).isEqualTo(Transport.EMULATED);
            assertThat(found.cores()).isEqualTo(3);
        }
        assertThat(NpuDetection.detect("amd64", Map.of("PORTAL_NPU_TRANSPORT", "auto"), path -> true)
                        .available())
                .isFalse();
    }
}
