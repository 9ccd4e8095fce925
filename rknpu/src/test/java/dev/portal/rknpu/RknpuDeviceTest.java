package dev.portal.rknpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.VirtualClock;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.kernel.Answer;
import dev.portal.kernel.DeviceException;
import dev.portal.kernel.Errno;
import dev.portal.rknpu.DeviceBuffer.Use;
import dev.portal.rknpu.RknpuFindings.Level;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RknpuDeviceTest {
    private static final RknpuOptions COLD = RknpuOptions.DEFAULT.withoutWarmUp();

    private final VirtualClock clock = new VirtualClock();

    private RknpuDevice open(ScriptedKernel kernel) {
        return RknpuDevice.open(kernel, clock, COLD);
    }

    @Test
    void theNodeIsFoundByItsDriversNameRenderNodesFirst() {
        ScriptedKernel kernel = new ScriptedKernel()
                .node("/dev/dri/card0", "rockchip")
                .node("/dev/dri/card1", "rknpu")
                .node("/dev/dri/renderD128", "panfrost")
                .node("/dev/dri/renderD129", "rknpu");
        assertThat(RknpuNodes.find(kernel).path()).isEqualTo("/dev/dri/renderD129");
        ScriptedKernel cardOnly =
                new ScriptedKernel().node("/dev/dri/renderD128", "panfrost").node("/dev/dri/card1", "rknpu");
        assertThat(RknpuNodes.find(cardOnly).path()).isEqualTo("/dev/dri/card1");
    }

    @Test
    void whatIsThereInsteadOfTheVendorDriverIsNamedWithTheRemedy() {
        assertThatThrownBy(() -> RknpuNodes.find(new ScriptedKernel().node("/dev/accel/accel0", "rocket")))
                .isInstanceOf(DeviceException.Incompatible.class)
                .hasMessageContaining("/dev/accel/accel0: the mainline driver rocket 0.9.8")
                .hasMessageContaining("vendor kernel");
        assertThatThrownBy(() -> RknpuNodes.find(new ScriptedKernel().file("/dev/rknpu")))
                .isInstanceOf(DeviceException.Incompatible.class)
                .hasMessageContaining("CONFIG_ROCKCHIP_RKNPU_DMA_HEAP");
        assertThatThrownBy(() -> RknpuNodes.find(new ScriptedKernel().deniedNode("/dev/dri/renderD128")))
                .isInstanceOf(DeviceException.Denied.class)
                .hasMessageContaining("usermod -aG render");
        assertThatThrownBy(() -> RknpuNodes.find(new ScriptedKernel().node("/dev/dri/renderD128", "panfrost")))
                .isInstanceOf(DeviceException.Unavailable.class)
                .hasMessageContaining("/dev/dri/renderD128 (panfrost)")
                .hasMessageContaining("--device emulated");
    }

    @Test
    void theDriversVersionDecidesTheStructAndTheFlags() {
        ScriptedKernel old = ScriptedKernel.board();
        old.driverVersion = 802;
        try (RknpuDevice device = open(old);
                DeviceBuffer buffer = device.allocate(5000, Use.DATA)) {
            assertThat(buffer.sizeBytes()).isEqualTo(8192);
            assertThat(old.requests).contains(RknpuAbi.DRM_MEM_CREATE_40).doesNotContain(RknpuAbi.DRM_MEM_CREATE);
            assertThat(old.createFlags).containsExactly(0x3);
            assertThat(device.isOlderThanTested()).isTrue();
        }
        ScriptedKernel kernel = ScriptedKernel.board();
        try (RknpuDevice device = open(kernel);
                DeviceBuffer data = device.allocate(1, Use.DATA);
                DeviceBuffer tasks = device.allocate(1, Use.TASKS);
                DeviceBuffer uncached = device.allocate(1, Use.UNCACHED)) {
            assertThat(kernel.requests).contains(RknpuAbi.DRM_MEM_CREATE);
            assertThat(kernel.createFlags).containsExactly(0x403, 0x40b, 0x401);
            uncached.toDevice(SyncPoint.FEATURES_TO_DEVICE, 0, 64);
            assertThat(kernel.requests).doesNotContain(RknpuAbi.DRM_MEM_SYNC);
            data.toDevice(SyncPoint.FEATURES_TO_DEVICE, 0, 64);
            tasks.toDevice(SyncPoint.TASKS_TO_DEVICE, 0, 64);
            assertThat(kernel.requests).endsWith(RknpuAbi.DRM_MEM_SYNC, RknpuAbi.DRM_MEM_SYNC);
        }
        assertThat(kernel.mappings).isZero();
    }

    @Test
    void aSecondOwnerIsRefusedAndTheNodeNotLeftOpen() {
        ScriptedKernel kernel = ScriptedKernel.board();
        kernel.locked = true;
        assertThatThrownBy(() -> open(kernel))
                .isInstanceOf(DeviceException.Busy.class)
                .hasMessageContaining("in use by process 708 (llm-server)");
    }

    @Test
    void aBufferInFlightCannotBeClosedNorCanItsDevice() {
        ScriptedKernel kernel = ScriptedKernel.board();
        try (RknpuDevice device = open(kernel);
                Submission submission = new Submission(device, 1, 2)) {
            DeviceBuffer idle = device.allocate(4096, Use.DATA);
            DeviceBuffer buffer = device.allocate(4096, Use.DATA);
            kernel.submit = () -> {
                assertThatThrownBy(buffer::close)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("in flight: 1 job(s)");
                assertThatThrownBy(device::close).isInstanceOf(IllegalStateException.class);
                assertThat(idle.isClosed())
                        .as("a refused close changes nothing")
                        .isFalse();
                return Answer.of(0);
            };
            encode(submission, buffer);
            submission.run(List.of(buffer));
            buffer.close();
            assertThatThrownBy(buffer::memory).hasMessageContaining("is closed");
            assertThatThrownBy(() -> submission.run(List.of(buffer)))
                    .hasMessageContaining("a program that names it would read");
        }
    }

    private static void encode(Submission submission, DeviceBuffer buffer) {
        MatmulProgram program = MatmulProgram.rowMajor(new MatmulShape(MatmulType.INT8_INT32, 4, 32, 32));
        submission.encode(program, buffer.iova(), buffer.iova(), buffer.iova());
    }

    @Test
    void transientRefusalsAreTriedAgainABoundedNumberOfTimes() {
        ScriptedKernel kernel = ScriptedKernel.board();
        try (RknpuDevice device = open(kernel);
                Submission submission = new Submission(device, 0, 1);
                DeviceBuffer buffer = device.allocate(4096, Use.DATA)) {
            encode(submission, buffer);
            int[] refusals = {3};
            kernel.submit = () -> refusals[0]-- > 0 ? Answer.error(Errno.EINVAL) : Answer.of(0);
            submission.run(List.of(buffer));
            assertThat(device.counters().get(Counters.Recovery.TRANSIENT)).isEqualTo(3);
            assertThat(clock.nanos()).isEqualTo(150_000);
            kernel.submit = () -> Answer.error(Errno.EBUSY);
            assertThatThrownBy(() -> submission.run(List.of(buffer)))
                    .isInstanceOf(DeviceException.Rejected.class)
                    .hasMessageContaining("SUBMIT of 1 program(s) on core 0 after 20 retries: -1 EBUSY (16)")
                    .hasMessageContaining("dmesg");
        }
    }

    @Test
    void aLostDispatchIsSubmittedAgainThriceAndThenReported() {
        ScriptedKernel kernel = ScriptedKernel.board();
        try (RknpuDevice device = open(kernel);
                Submission submission = new Submission(device, 0, 1);
                DeviceBuffer buffer = device.allocate(4096, Use.DATA)) {
            encode(submission, buffer);
            int[] lost = {3};
            kernel.submit = () -> lost[0]-- > 0 ? Answer.error(Errno.ETIMEDOUT) : Answer.of(0);
            submission.run(List.of(buffer));
            assertThat(device.counters().get(Counters.Recovery.LOST_DISPATCH)).isEqualTo(3);
            kernel.submit = () -> Answer.error(Errno.ETIMEDOUT);
            assertThatThrownBy(() -> submission.run(List.of(buffer)))
                    .isInstanceOfSatisfying(
                            DeviceException.TimedOut.class,
                            e -> assertThat(e.recovery()).isEqualTo(DeviceException.Recovery.RESET))
                    .hasMessageContaining("within 6000 ms, 4 times");
        }
    }

    @Test
    void aCoreThatStaysColdIsAFault() {
        ScriptedKernel kernel = ScriptedKernel.board();
        assertThatThrownBy(() -> RknpuDevice.open(kernel, clock, RknpuOptions.DEFAULT))
                .isInstanceOf(DeviceException.Faulted.class)
                .hasMessageContaining("core 0 returned from 4 products of ones without the right result");
        assertThat(kernel.mappings).isZero();
    }

    @Test
    void theWindowHasABudgetAndMisuseReadsWell() {
        ScriptedKernel kernel = ScriptedKernel.board();
        try (RknpuDevice device = open(kernel)) {
            assertThatThrownBy(() -> device.allocate(4_000_000_000L, Use.DATA))
                    .isInstanceOf(DeviceException.Rejected.class)
                    .hasMessageContaining("budget of 3900000000");
            assertThat(device.allocatedBytes()).isZero();
            assertThatThrownBy(() -> device.allocate(0, Use.DATA)).hasMessageContaining("0 bytes");
            assertThatThrownBy(() -> new Submission(device, 3, 1)).hasMessageContaining("core 3; rk3588 has 3");
            assertThatThrownBy(() -> new Submission(device, 0, 4096)).hasMessageContaining("1 to 4095");
            assertThatThrownBy(() -> new Matmul(device, 4, CoreRunner.SEQUENTIAL))
                    .hasMessageContaining("4 cores");
        }
        assertThatThrownBy(() -> new RknpuOptions(Optional.empty(), 0, 0, true, true, Set.of()))
                .hasMessageContaining("0 ms");
        assertThatThrownBy(() -> new RknpuOptions(Optional.empty(), 1, 16, true, true, Set.of()))
                .hasMessageContaining("domain 16");
        RknpuDevice closed = open(ScriptedKernel.board());
        closed.close();
        closed.close();
        assertThatThrownBy(() -> closed.allocate(1, Use.DATA)).hasMessageContaining("is closed");
    }

    @Test
    void theDoctorTellsVersionsAndRemedies() {
        assertThat(RknpuFindings.examine(ScriptedKernel.board(), clock))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.level()).isEqualTo(Level.GOOD);
                    assertThat(finding.text())
                            .contains("rknpu 0.9.8 on rk3588, MEM_CREATE of 48 bytes, synchronised by MEM_SYNC");
                });
        ScriptedKernel old = ScriptedKernel.board();
        old.driverVersion = 802;
        assertThat(RknpuFindings.examine(old, clock)).singleElement().satisfies(finding -> {
            assertThat(finding.text()).contains("0.8.2 on rk3588, MEM_CREATE of 40 bytes");
            assertThat(finding.level()).isEqualTo(Level.RESTRICTED);
            assertThat(finding.fix()).contains("older than 0.9.8");
        });
        assertThat(RknpuFindings.examine(new ScriptedKernel(), clock))
                .singleElement()
                .satisfies(finding -> assertThat(finding.level()).isEqualTo(Level.ABSENT));
    }
}
