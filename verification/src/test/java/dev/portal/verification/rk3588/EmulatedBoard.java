package dev.portal.verification.rk3588;

import dev.portal.base.Clock;
import dev.portal.base.SystemClock;
import dev.portal.base.VirtualClock;
import dev.portal.emulator.EmulatedKernel;
import dev.portal.emulator.FaultPlan;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.emulator.RealTime;
import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.emulator.rk3588.RknpuDriver;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import java.util.List;

/** A software RK3588 with its kernel, and what a test asks it afterwards. */
final class EmulatedBoard {
    private final Clock clock;
    private final KernelLog log = new KernelLog();
    private final ModelReport report = new ModelReport();
    private final RknpuDriver driver;
    private final EmulatedKernel kernel;

    private EmulatedBoard(VirtualClock time, Rk3588Options options) {
        clock = time;
        driver = new RknpuDriver(time, options, log, report);
        kernel = new EmulatedKernel(List.of(driver));
    }

    private EmulatedBoard(RealTime time, Rk3588Options options) {
        clock = time;
        driver = new RknpuDriver(time, options, log, report);
        kernel = new EmulatedKernel(List.of(driver), time);
    }

    /** Time passes when somebody waits; one thread runs everything. */
    static EmulatedBoard virtual(FaultPlan faults) {
        return new EmulatedBoard(new VirtualClock(), Rk3588Options.standard().withFaults(faults));
    }

    /** The machine's time, for several threads. */
    static EmulatedBoard real() {
        return new EmulatedBoard(new RealTime(new SystemClock()), Rk3588Options.standard());
    }

    RknpuDevice open(RknpuOptions options) {
        return RknpuDevice.open(kernel, clock, options);
    }

    EmulatedKernel kernel() {
        return kernel;
    }

    Clock clock() {
        return clock;
    }

    RknpuDriver driver() {
        return driver;
    }

    ModelReport report() {
        return report;
    }

    KernelLog log() {
        return log;
    }
}
