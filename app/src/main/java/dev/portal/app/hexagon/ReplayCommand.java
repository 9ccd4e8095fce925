package dev.portal.app.hexagon;

import dev.portal.app.Failure;
import dev.portal.base.VirtualClock;
import dev.portal.emulator.EmulatedKernel;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.emulator.hexagon.FastRpcDriver;
import dev.portal.emulator.hexagon.HexagonOptions;
import dev.portal.emulator.hexagon.IntegerBackend;
import dev.portal.emulator.hexagon.OnnxBackend;
import dev.portal.emulator.transcript.Entry;
import dev.portal.emulator.transcript.Replay;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.LinuxKernel;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code portal hexagon replay}: makes the calls of a transcript again and names each answer that is another one. Against a
 * board it says where the emulator is wrong.
 */
@Command(
        name = "replay",
        description = "Replays a transcript of hexagon run --transcript and names the differences.",
        mixinStandardHelpOptions = true)
final class ReplayCommand implements Callable<Integer> {
    /** Where the calls go. */
    enum Device {
        EMULATED,
        BOARD
    }

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "FILE", description = "a transcript")
    private Path file;

    @Option(
            names = "--device",
            paramLabel = "emulated|board",
            defaultValue = "emulated",
            description = "which kernel answers (${DEFAULT-VALUE})")
    private Device device;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new Failure(file + ": no such file; hexagon run --transcript writes one");
        }
        List<Entry> entries;
        try {
            entries = Files.readAllLines(file).stream().map(Entry::parse).toList();
        } catch (IllegalArgumentException e) {
            throw new Failure(file + " is no transcript: " + e.getMessage());
        }
        List<String> differences = Replay.run(entries, kernel());
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            ObjectMapper mapper = new ObjectMapper();
            ObjectNode root = mapper.createObjectNode();
            root.put("calls", entries.size()).put("device", device.name().toLowerCase(Locale.ROOT));
            differences.forEach(root.putArray("differences")::add);
            out.println(mapper.writerWithDefaultPrettyPrinter().writeValueAsString(root));
        } else {
            differences.forEach(out::println);
            out.println(entries.size() + " calls, " + differences.size() + " answered otherwise");
        }
        out.flush();
        return differences.isEmpty() ? 0 : 1;
    }

    private Kernel kernel() {
        if (device == Device.EMULATED) {
            FastRpcDriver driver = new FastRpcDriver(
                    new VirtualClock(),
                    HexagonOptions.standard(),
                    List.of(new IntegerBackend(), new OnnxBackend(0)),
                    new KernelLog(),
                    new ModelReport());
            return new EmulatedKernel(List.of(driver));
        }
        Kernel machine = new LinuxKernel();
        if (!machine.exists(Fastrpc.NODE_CDSP_SECURE) && !machine.exists(Fastrpc.NODE_CDSP)) {
            throw Failure.notAvailable("no compute DSP here: neither " + Fastrpc.NODE_CDSP_SECURE + " nor "
                    + Fastrpc.NODE_CDSP + " exists; replay on the emulator with --device emulated");
        }
        return machine;
    }
}
