package dev.portal.app.rk;

import dev.portal.app.Failure;
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
import dev.portal.scheduler.NpuDetection;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The NPU that a command runs on: this machine's, or the emulated one. The emulated one is never a silent stand-in for
 * silicon: {@code auto} means this machine's or none (design 4.14), and a command that was given no {@code --device} says
 * on standard error that it runs on the emulated chip.
 *
 * @param device opened, and the caller's to close
 * @param runner how several cores run there
 * @param report what the emulated chip says of misuse; empty on silicon
 * @param clock of the device: virtual when it is emulated
 * @param log what the emulated driver prints; stays empty on silicon, where dmesg has it
 * @param left what the device's kernel still holds, in words; empty when it holds nothing, and on silicon, where it
 *     cannot be asked
 */
record NpuChoice(
        RknpuDevice device,
        CoreRunner runner,
        Optional<ModelReport> report,
        Clock clock,
        KernelLog log,
        Supplier<String> left)
        implements AutoCloseable {
    /** Words of {@code --device}. */
    static final String USAGE = "emulated (default), auto (this machine's NPU, exit 3 where there is none; "
            + NpuDetection.TRANSPORT_VARIABLE + "=emulated names the emulated one), or a node like /dev/dri/renderD129";

    private static final String EMULATED = "emulated";

    /**
     * Opens.
     *
     * @param choice the value of {@code --device}; null when there was none
     * @param board what kind of board is emulated, if it comes to that
     * @param notes standard error
     * @throws DeviceException when silicon was asked for and cannot be had
     */
    static NpuChoice open(@Nullable String choice, Rk3588Options board, PrintWriter notes) {
        if (choice == null) {
            notes.println("portal: on the emulated RK3588; --device auto takes this machine's NPU");
            notes.flush();
            return emulated(board);
        }
        return open(choice, board);
    }

    /** As above, with the usual board. */
    static NpuChoice open(@Nullable String choice, PrintWriter notes) {
        return open(choice, Rk3588Options.standard(), notes);
    }

    /**
     * Opens.
     *
     * @param choice the value of {@code --device}
     * @throws DeviceException when silicon was asked for and cannot be had
     */
    static NpuChoice open(String choice) {
        return open(choice, Rk3588Options.standard());
    }

    /** Opens; {@code board} says what kind of board is emulated, if it comes to that. */
    static NpuChoice open(String choice, Rk3588Options board) {
        return switch (choice) {
            case EMULATED -> emulated(board);
            case "auto" -> isEmulatedByEnvironment() ? emulated(board) : silicon(Optional.empty());
            default -> {
                if (!choice.startsWith("/")) {
                    throw Failure.usage(
                            "--device " + choice + "; expected emulated, auto, or a node like /dev/dri/renderD129");
                }
                yield silicon(Optional.of(choice));
            }
        };
    }

    private static boolean isEmulatedByEnvironment() {
        return EMULATED.equals(Objects.requireNonNullElse(System.getenv(NpuDetection.TRANSPORT_VARIABLE), ""));
    }

    /** {@code emulated}, or the node. */
    String name() {
        return isEmulated() ? EMULATED : device.node();
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
        return new NpuChoice(device, CoreRunner.CONCURRENT, Optional.empty(), clock, new KernelLog(), () -> "");
    }

    private static NpuChoice emulated(Rk3588Options options) {
        VirtualClock clock = new VirtualClock();
        ModelReport report = new ModelReport();
        KernelLog log = new KernelLog();
        RknpuDriver driver = new RknpuDriver(clock, options, log, report);
        EmulatedKernel kernel = new EmulatedKernel(List.of(driver));
        RknpuDevice device = RknpuDevice.open(kernel, clock, RknpuOptions.DEFAULT);
        return new NpuChoice(
                device, CoreRunner.SEQUENTIAL, Optional.of(report), clock, log, () -> left(driver, kernel));
    }

    private static String left(RknpuDriver driver, EmulatedKernel kernel) {
        RknpuDriver.Usage usage = driver.usage();
        boolean nothing = usage.equals(new RknpuDriver.Usage(0, 0, 0, 0))
                && kernel.openDescriptors() == 0
                && kernel.openMappings() == 0;
        return nothing
                ? ""
                : usage.buffers() + " buffers, " + usage.iovaBytes() + " bytes of addresses, " + usage.jobs()
                        + " jobs, "
                        + usage.domainReferences() + " domain references, " + kernel.openMappings() + " mappings, "
                        + kernel.openDescriptors() + " descriptors";
    }

    @Override
    public void close() {
        device.close();
    }
}
