package dev.portal.app.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.portal.app.doctor.Finding.Level;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DoctorTest {
    private final FakeHost host = new FakeHost();

    @Test
    void aMachineWithoutAnNpuIsHealthyAndIsToldWhoServes() {
        assertThat(nodes()).isEmpty();
        assertThat(Doctor.detection(host).level()).isEqualTo(Level.NOTE);
        assertThat(Doctor.detection(host).fix()).contains("CPU lanes");
    }

    @Test
    void detectionSaysWhatTheSchedulerWillUse() {
        host.usable("/dev/dri/renderD128", "render");
        assertThat(Doctor.detection(host).text()).startsWith("NPU with 3 cores, 3 at once: /dev/dri/renderD128");
        host.environment("PORTAL_NPU_CORE_COUNT", "1");
        assertThat(Doctor.detection(host).text()).startsWith("no NPU: PORTAL_NPU_CORE_COUNT=1");
    }

    @Test
    void aModuleWithoutNativeAccessIsNamedWithTheFlag() {
        assertThat(Doctor.nativeAccess(host).level()).isEqualTo(Level.OK);
        host.refused("dev.portal.voice");
        assertThat(Doctor.nativeAccess(host).text()).isEqualTo("not granted to dev.portal.voice");
        assertThat(Doctor.nativeAccess(host).fix()).contains("--enable-native-access=dev.portal.kernel,");
    }

    @Test
    void anOldJdkIsMissingANewOne() {
        host.property("java.version", "17.0.2");
        assertThat(Doctor.jdk(host).level()).isEqualTo(Level.MISSING);
        assertThat(Doctor.jdk(host).fix()).contains("JDK 25", "PORTAL_JAVA_HOME");
        host.property("java.version", "26-ea");
        assertThat(Doctor.jdk(host).level()).isEqualTo(Level.OK);
    }

    @Test
    void everyFastRpcNodeIsReportedInTheOrderOfTheProbe() {
        host.usable("/dev/fastrpc-adsp", "render").usable("/dev/fastrpc-cdsp-secure", "render");
        host.usable("/dev/dma_heap/system", "render");
        assertThat(nodes())
                .extracting(Finding::level, Finding::text)
                .containsExactly(
                        tuple(Level.OK, "/dev/fastrpc-cdsp-secure root:render rw-rw----"),
                        tuple(Level.OK, "/dev/fastrpc-adsp root:render rw-rw----"),
                        tuple(Level.OK, "/dev/dma_heap/system"));
    }

    @Test
    void anAudioDspAloneIsAWarningSinceNoModelRunsOnIt() {
        host.usable("/dev/fastrpc-adsp-secure", "render").usable("/dev/dma_heap/system", "render");
        assertThat(nodes()).extracting(Finding::level).contains(Level.WARNING);
    }

    @Test
    void aSeedsHeapIsTakenBeforeTheSystems() {
        host.usable("/dev/fastrpc-cdsp", "render")
                .usable("/dev/dma_heap/fastrpc_mem", "render")
                .usable("/dev/dma_heap/system", "render");
        assertThat(nodes()).extracting(Finding::text).contains("/dev/dma_heap/fastrpc_mem");
    }

    @Test
    void aNodeOfAnotherGroupIsMissingThatGroup() {
        host.present("/dev/rknpu", "render");
        assertThat(nodes()).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Level.MISSING);
            assertThat(finding.text()).contains("/dev/rknpu", "rw-rw----");
            assertThat(finding.fix()).isEqualTo("sudo usermod -aG render ada, then log in again");
        });
    }

    @Test
    void aNodeOfRootNeedsAGroupFirst() {
        host.present("/dev/rknpu", "root");
        assertThat(nodes().getFirst().fix()).contains("chgrp render /dev/rknpu", "udev");
    }

    @Test
    void aRenderNodeIsRockchipsWhenItsDriverIs() {
        host.usable("/dev/dri/renderD129", "render").link("/sys/class/drm/renderD129/device/driver", "RKNPU");
        assertThat(nodes()).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Level.OK);
            assertThat(finding.topic()).isEqualTo("rk3588");
        });
    }

    @Test
    void aGpuThatDetectionWouldTakeForAnNpuIsNamed() {
        host.usable("/dev/dri/renderD128", "render").link("/sys/class/drm/renderD128/device/driver", "panthor");
        assertThat(nodes()).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Level.NOTE);
            assertThat(finding.text()).contains("panthor", "not an NPU's");
            assertThat(finding.fix()).isNotNull();
        });
    }

    @Test
    void pythonIsOnlyOfInterestWhereItIsConfigured() {
        assertThat(python()).extracting(Finding::level).containsExactly(Level.NOTE);
        host.environment("PORTAL_VENV_DIR", "/venv")
                .usable("/usr/bin/python3", "root")
                .usable("/venv/pyvenv.cfg", "root");
        assertThat(python()).extracting(Finding::level).containsExactly(Level.OK, Level.OK);
    }

    @Test
    void aRelativePythonAndAFolderThatIsNoVenvAreMissing() {
        host.environment("PORTAL_PYTHON_BIN", "python3").environment("PORTAL_VENV_DIR", "/nothing");
        assertThat(python()).extracting(Finding::level).containsExactly(Level.MISSING, Level.MISSING);
        assertThat(python()).allSatisfy(finding -> assertThat(finding.fix()).isNotBlank());
    }

    private List<Finding> nodes() {
        return new NodeChecks(host).examine();
    }

    private List<Finding> python() {
        return new PythonChecks(host).examine();
    }
}
