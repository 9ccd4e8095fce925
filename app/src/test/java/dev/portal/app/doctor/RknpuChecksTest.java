package dev.portal.app.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.app.doctor.Finding.Level;
import dev.portal.base.VirtualClock;
import dev.portal.emulator.EmulatedDevice;
import dev.portal.emulator.EmulatedKernel;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.emulator.OtherDrmDriver;
import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.emulator.rk3588.RknpuDriver;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Open;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every kind of machine that an emulated kernel can be. */
final class RknpuChecksTest {
    private static final OtherDrmDriver GPU = new OtherDrmDriver("/dev/dri/renderD128", "panthor", 0);

    private final VirtualClock clock = new VirtualClock();

    private RknpuDriver board(Rk3588Options options) {
        return new RknpuDriver(clock, options, new KernelLog(), new ModelReport());
    }

    private static Rk3588Options standard() {
        return Rk3588Options.standard();
    }

    private Finding only(EmulatedDevice... devices) {
        return only(new EmulatedKernel(List.of(devices)), List.of());
    }

    private Finding only(Kernel kernel, List<Finding> nodes) {
        List<Finding> findings = new RknpuChecks(kernel, clock).examine(nodes);
        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().topic()).isEqualTo("rk3588");
        return findings.getFirst();
    }

    @Test
    void theVendorDriverIsFoundBehindAGpuAndNamedWithVersionAndStructure() {
        Finding found = only(GPU, board(standard()));
        assertThat(found.level()).isEqualTo(Level.OK);
        assertThat(found.text())
                .startsWith("/dev/dri/renderD129: rknpu 0.9.8 on rk3588, MEM_CREATE of 48 bytes, synchronised by ");
        assertThat(found.fix()).isNull();
    }

    @Test
    void anOlderDriverIsToldByItsVersionAndItsShorterStructure() {
        Finding found = only(board(standard().withDriverVersion(802)));
        assertThat(found.level()).isEqualTo(Level.WARNING);
        assertThat(found.text()).contains("rknpu 0.8.2", "MEM_CREATE of 40 bytes");
        assertThat(found.fix()).contains("older than 0.9.8", "update the vendor kernel");
        assertThat(only(board(standard().withDriverVersion(906))).text())
                .contains("rknpu 0.9.6", "MEM_CREATE of 48 bytes");
    }

    @Test
    void theMainlineDriverAndTheOtherFlavourAreNamedWithTheKernelThatIsNeeded() {
        Finding rocket = only(GPU, new OtherDrmDriver("/dev/accel/accel0", "rocket", 0));
        assertThat(rocket.level()).isEqualTo(Level.MISSING);
        assertThat(rocket.text()).contains("/dev/accel/accel0: the mainline driver rocket");
        assertThat(rocket.fix()).contains("vendor kernel");
        Finding heap = only(new OtherDrmDriver("/dev/rknpu", "", 0));
        assertThat(heap.level()).isEqualTo(Level.MISSING);
        assertThat(heap.text()).contains("/dev/rknpu", "CONFIG_ROCKCHIP_RKNPU_DMA_HEAP");
        assertThat(heap.fix()).contains("DRM flavour");
    }

    @Test
    void aNodeThatMayNotBeOpenedIsTheNpuWhereSysfsSaysSo() {
        Finding denied = only(GPU, board(standard().withoutPermission()));
        assertThat(denied.level()).isEqualTo(Level.MISSING);
        assertThat(denied.text()).contains("/dev/dri/renderD129, /dev/dri/card1", "the NPU is behind it");
        assertThat(denied.fix()).contains("usermod -aG render");
    }

    @Test
    void aGpuThatMayNotBeOpenedIsNoNpu() {
        Finding found = only(new OtherDrmDriver("/dev/dri/renderD128", "i915", Errno.EACCES));
        assertThat(found.level()).isEqualTo(Level.NOTE);
        assertThat(found.text()).contains("no node of the driver rknpu", "renderD128 (EACCES");
    }

    @Test
    void theNodesOwnFindingIsEnoughWhereOnlyPermissionIsMissing() {
        Finding node = Finding.missing("rk3588", "/dev/dri/renderD129 root:npu may not be opened", "join npu");
        EmulatedKernel kernel = new EmulatedKernel(List.of(board(standard().withoutPermission())));
        assertThat(only(kernel, List.of(node))).isEqualTo(node);
    }

    @Test
    void theProcessThatHoldsTheNpuIsNamed() {
        EmulatedKernel kernel = new EmulatedKernel(List.of(board(standard())));
        kernel.putText("/proc/" + EmulatedKernel.PROCESS + "/comm", "llm-server\n");
        int other = Answer.value(kernel.open(RknpuDriver.RENDER_NODE, Open.DEVICE));
        assertThat(kernel.flock(other, Kernel.LOCK_EXCLUSIVE | Kernel.LOCK_NONBLOCK))
                .isZero();
        Finding found = only(kernel, List.of(Finding.ok("rk3588", "/dev/dri/renderD129 root:render rw-rw----")));
        assertThat(found.level()).isEqualTo(Level.WARNING);
        assertThat(found.text()).contains("in use by process 708 (llm-server)");
        assertThat(found.fix()).contains("stop the process");
    }

    @Test
    void anotherChipOfTheFamilyIsRefusedByName() {
        for (String chip : List.of("rk3576", "rk3568", "rk3562")) {
            Finding found = only(board(standard().withChip(chip)));
            assertThat(found.level()).isEqualTo(Level.MISSING);
            assertThat(found.text()).contains("is the NPU of an " + chip, "write nothing");
            assertThat(found.fix()).contains("RK3588 board");
        }
        assertThat(only(board(standard().withChip("rk3583"))).text()).contains("on rk3583");
    }

    @Test
    void aMachineWithoutOneIsTold() {
        assertThat(only(GPU).level()).isEqualTo(Level.NOTE);
        Finding nothing = only();
        assertThat(nothing.level()).isEqualTo(Level.NOTE);
        assertThat(nothing.fix()).contains("none is needed", "--device emulated");
    }
}
