package dev.portal.app.rk;

import dev.portal.base.Clock;
import dev.portal.base.SystemClock;
import dev.portal.base.VirtualClock;
import dev.portal.emulator.EmulatedKernel;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.emulator.rk3588.RknpuDriver;
import dev.portal.kernel.DeviceException;
import dev.portal.kernel.LinuxKernel;
import dev.portal.rknpu.CoreRunner;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import java.util.List;
import java.util.Optional;

/**
 * The NPU that a command runs on: this machine's, or the emulated one.
 *
 * @param device opened, and the caller's to close
 * @param runner how several cores run there
 * @param report what the emulated chip says of misuse; empty on silicon
 * @param clock of the device: virtual when it is emulated
 * @param log what the emulated driver prints; stays empty on silicon, where dmesg has it
 */
record NpuChoice(RknpuDevice device, CoreRunner runner, Optional<ModelReport> report, Clock clock, KernelLog log)
        implements AutoCloseable {
    /** Words of {@code --device}. */
    static final String USAGE =
            "auto (this machine's NPU, else the emulated one), emulated, or a node like /dev/dri/renderD129";

    /**
     * Opens.
     *
     * @throws DeviceException when a node was asked for and cannot be had
     */
    static NpuChoice open(String choice) {
        return open(choice, Rk3588Options.standard());
    }

    /** Opens; {@code emulated} says what kind of board is emulated, if it comes to that. */
    static NpuChoice open(String choice, Rk3588Options emulated) {
        if (choice.equals("emulated")) {
            return emulated(emulated);
        }
        if (!choice.equals("auto")) {
            return silicon(Optional.of(choice));
        }
        try {
            return silicon(Optional.empty());
        } catch (DeviceException.Unavailable none) {
            return emulated(emulated);
        }
    }

    /** Whether it is the emulated one, so that times are the model's. */
    boolean isEmulated() {
        return report.isPresent();
    }

    private static NpuChoice silicon(Optional<String> node) {
        RknpuOptions standard = RknpuOptions.DEFAULT;
        RknpuOptions options = new RknpuOptions(
                node,
                standard.timeoutMs(),
                standard.domain(),
                standard.lock(),
                standard.warmUp(),
                standard.omittedSyncs());
        Clock clock = new SystemClock();
        RknpuDevice device = RknpuDevice.open(new LinuxKernel(), clock, options);
        return new NpuChoice(device, CoreRunner.CONCURRENT, Optional.empty(), clock, new KernelLog());
    }

    private static NpuChoice emulated(Rk3588Options options) {
        VirtualClock clock = new VirtualClock();
        ModelReport report = new ModelReport();
        KernelLog log = new KernelLog();
        RknpuDriver driver = new RknpuDriver(clock, options, log, report);
        RknpuDevice device = RknpuDevice.open(new EmulatedKernel(List.of(driver)), clock, RknpuOptions.DEFAULT);
        return new NpuChoice(device, CoreRunner.SEQUENTIAL, Optional.of(report), clock, log);
    }

    @Override
    public void close() {
        device.close();
    }
}
