package dev.portal.app;

import dev.portal.base.Clock;
import dev.portal.base.VirtualClock;
import dev.portal.emulator.EmulatedKernel;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.emulator.rk3588.RknpuDriver;
import dev.portal.kernel.DeviceException;
import dev.portal.kernel.Kernel;
import dev.portal.llm.decoder.Backend;
import dev.portal.llm.decoder.CpuBackend;
import dev.portal.llm.decoder.NpuBackend;
import dev.portal.llm.decoder.NpuBackend.Meter;
import dev.portal.llm.decoder.NpuBackend.NpuOptions;
import dev.portal.llm.decoder.ProcessorTime;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import dev.portal.rknpu.StopStrategy;
import dev.portal.scheduler.NpuDetection.Transport;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Where the language model's matrices are computed: by this machine's RK3588 where one was found, by the emulated one
 * where that was asked for, by the processor otherwise.
 *
 * @param transport how the machine's NPU is reached, as detected
 * @param machine the operating system, for the machine's NPU
 * @param clock of the machine
 * @param notes lines for standard error
 * @param usable whether the arbiter holds the NPU for healthy; while not, the processor computes
 */
record LlmDevice(
        Transport transport, Supplier<Kernel> machine, Clock clock, Consumer<String> notes, BooleanSupplier usable) {
    private static final int NPU_CORES = 3;

    /** What computes, as the command line says. */
    Backend.Factory backend(EngineOptions options) {
        if (!options.cpuWeights.equals("i8") && !options.cpuWeights.equals("i4")) {
            throw Failure.usage("--cpu-weights " + options.cpuWeights + "; i8 and i4 are possible");
        }
        boolean split =
                options.weights.equals("i8") && (transport == Transport.EMULATED || transport == Transport.NPU_NODE);
        if (options.cpuWeights.equals("i4") && !split) {
            throw Failure.usage("--cpu-weights i4 is for the CPU's part beside an NPU; say --device emulated, or"
                    + " --weights native for a file that is in 4 bits");
        }
        return switch (options.weights) {
            case "i8" ->
                switch (transport) {
                    case EMULATED -> emulated(options);
                    case NPU_NODE -> board(options);
                    case FASTRPC, NONE -> CpuBackend.int8();
                };
            case "native" -> {
                if (transport == Transport.EMULATED) {
                    throw Failure.usage("--weights native runs on the CPU alone; say --device cpu, or --weights i8");
                }
                yield CpuBackend.nativeWeights();
            }
            default -> throw Failure.usage("--weights " + options.weights + "; i8 and native are possible");
        };
    }

    private NpuOptions npu(EngineOptions options) {
        Double share = options.npuShare;
        if (options.npuCores > NPU_CORES) {
            throw Failure.usage("--npu-cores " + options.npuCores + "; the RK3588 has 1 to " + NPU_CORES);
        }
        try {
            return new NpuOptions(share == null ? 1 : share, options.npuCores, StopStrategy.DRAIN)
                    .withFourBits(options.cpuWeights.equals("i4"))
                    .usedWhile(usable);
        } catch (IllegalArgumentException e) {
            throw Failure.usage("--npu-share, --npu-cores: " + e.getMessage());
        }
    }

    /** The emulated RK3588 on a clock of its own; without a share on the command line, it is measured. */
    private Backend.Factory emulated(EngineOptions options) {
        NpuOptions npu = npu(options);
        return (scratch, free) -> {
            VirtualClock virtual = new VirtualClock();
            RknpuDriver driver = new RknpuDriver(virtual, Rk3588Options.standard(), new KernelLog(), new ModelReport());
            EmulatedKernel kernel = new EmulatedKernel(List.of(driver));
            RknpuDevice device = RknpuDevice.open(kernel, virtual, RknpuOptions.DEFAULT);
            NpuOptions timed = npu.timed(ProcessorTime.measured(virtual, clock), options.splitListener);
            return on(device, timed, options, Meter.of(virtual, "model", clock)).open(scratch, free);
        };
    }

    /** This machine's NPU, or the processor when it cannot be had, with a line that says why. */
    private Backend.Factory board(EngineOptions options) {
        NpuOptions npu = npu(options);
        return (scratch, free) -> {
            RknpuDevice device;
            try {
                device = RknpuDevice.open(machine.get(), clock, RknpuOptions.DEFAULT);
            } catch (DeviceException e) {
                notes.accept("the language model runs on the CPU, the NPU cannot be had: " + e.getMessage()
                        + " (./portal doctor says more; --device cpu does not look)");
                return CpuBackend.int8().open(scratch, free);
            }
            NpuOptions timed = npu.timed(ProcessorTime.byItself(clock), options.splitListener);
            return on(device, timed, options, Meter.of(clock, "board", clock)).open(scratch, free);
        };
    }

    private static Backend.Factory on(RknpuDevice device, NpuOptions npu, EngineOptions options, Meter meter) {
        return options.npuShare == null ? NpuBackend.owning(device, npu, meter) : NpuBackend.owning(device, npu);
    }
}
