package dev.portal.verification.rk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.VirtualClock;
import dev.portal.emulator.EmulatedKernel;
import dev.portal.emulator.FaultPlan;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.emulator.rk3588.RknpuDriver;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import java.util.List;

/** A software RK3588 with its kernel on a virtual clock, and what a test asks it afterwards. */
final class EmulatedBoard {
    final VirtualClock clock = new VirtualClock();
    final KernelLog log = new KernelLog();
    final ModelReport report = new ModelReport();
    final RknpuDriver driver;
    final EmulatedKernel kernel;

    /** Time passes when somebody waits; one thread runs everything. */
    EmulatedBoard(Rk3588Options options) {
        this(options, true);
    }

    /** As above; without cache instructions, MEM_SYNC is the only way. */
    EmulatedBoard(Rk3588Options options, boolean cacheInstructions) {
        driver = new RknpuDriver(clock, options, log, report);
        kernel = new EmulatedKernel(List.of(driver), cacheInstructions);
    }

    /** With these faults. */
    static EmulatedBoard with(FaultPlan.Fault... faults) {
        return new EmulatedBoard(Rk3588Options.standard().withFaults(FaultPlan.of(faults)));
    }

    RknpuDevice open(RknpuOptions options) {
        return RknpuDevice.open(kernel, clock, options);
    }

    /** Nothing is left: no handle, mapping, descriptor, address, job or domain reference. */
    void assertNothingLeaked() {
        assertThat(driver.usage()).isEqualTo(new RknpuDriver.Usage(0, 0, 0, 0));
        assertThat(kernel.openDescriptors()).isZero();
        assertThat(kernel.openMappings()).isZero();
    }
}
