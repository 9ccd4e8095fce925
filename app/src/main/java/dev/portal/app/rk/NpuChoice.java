package dev.portal.app.rk;

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
 */
record NpuChoice(RknpuDevice device, CoreRunner runner, Optional<ModelReport> report) implements AutoCloseable {
    /** Words of {@code --device}. */
    static final String USAGE =
            "auto (this machine's NPU, else the emulated one), emulated, or a node like /dev/dri/renderD129";

    /**
     * Opens.
     *
     * @throws DeviceException when a node was asked for and cannot be had
     */
    static NpuChoice open(String choice) {
        if (choice.equals("emulated")) {
            return emulated();
        }
        if (!choice.equals("auto")) {
            return silicon(Optional.of(choice));
        }
        try {
            return silicon(Optional.empty());
        } catch (DeviceException.Unavailable none) {
            return emulated();
        }
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
        RknpuDevice device = RknpuDevice.open(new LinuxKernel(), new SystemClock(), options);
        return new NpuChoice(device, CoreRunner.CONCURRENT, Optional.empty());
    }

    private static NpuChoice emulated() {
        VirtualClock clock = new VirtualClock();
        ModelReport report = new ModelReport();
        RknpuDriver driver = new RknpuDriver(clock, Rk3588Options.standard(), new KernelLog(), report);
        RknpuDevice device = RknpuDevice.open(new EmulatedKernel(List.of(driver)), clock, RknpuOptions.DEFAULT);
        return new NpuChoice(device, CoreRunner.SEQUENTIAL, Optional.of(report));
    }

    @Override
    public void close() {
        device.close();
    }
}
