package dev.portal.app.hexagon;

import dev.portal.app.Failure;
import dev.portal.app.npu.EmulatedDsp;
import dev.portal.app.npu.QnnStages;
import dev.portal.base.RandomStream;
import dev.portal.base.SystemClock;
import dev.portal.emulator.hexagon.Telemetry;
import dev.portal.hexagon.HexagonException;
import dev.portal.hexagon.HexagonOptions;
import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuException;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Tensor;
import dev.portal.voice.stage.ModelStage;
import dev.portal.voice.stage.OnnxModel;
import dev.portal.voice.stage.OnnxStages;
import dev.portal.voice.stage.StageException;
import dev.portal.voice.stage.TensorSpec;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code portal hexagon run}: one ONNX model as a QNN graph through FastRPC, on the emulated DSP, and the same model on the
 * CPU. Exit 1 when a byte of an output differs.
 */
@Command(
        name = "run",
        description = "Runs an ONNX model as a QNN graph on the emulated DSP and compares it with the CPU.",
        mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {
    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;
    private static final int INDICES = 4;
    private static final int RECORDED_CALLS = 10_000;

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "MODEL", description = "an ONNX file")
    private Path model;

    @Option(
            names = "--input",
            paramLabel = "NAME=FILE",
            description = "an input's elements, little-endian, no header; inputs without one are drawn by --seed")
    private Map<String, Path> files = new LinkedHashMap<>();

    @Option(
            names = "--shape",
            paramLabel = "NAME=1x80",
            description = "an input's shape, where the model leaves an extent open (open ones are 1 otherwise)")
    private Map<String, String> shapes = new LinkedHashMap<>();

    @Option(names = "--seed", defaultValue = "1", description = "of the inputs that are drawn (${DEFAULT-VALUE})")
    private long seed;

    @Option(
            names = "--transcript",
            paramLabel = "FILE",
            description = "write every call of the kernel with its bytes, for hexagon replay")
    private @Nullable Path transcript;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (!Files.isRegularFile(model)) {
            throw new Failure(model + ": no such file; give an ONNX model");
        }
        EmulatedDsp board = null;
        try (OnnxStages stages = new OnnxStages();
                OnnxModel cpu = stages.model(model);
                EmulatedDsp dsp = new EmulatedDsp(
                        new SystemClock(),
                        dev.portal.emulator.hexagon.HexagonOptions.standard(),
                        HexagonOptions.defaults(),
                        transcript == null ? 0 : RECORDED_CALLS);
                ModelStage stage = new QnnStages(dsp, stages).stage(model, NpuWorkload.STT_ENCODER)) {
            board = dsp;
            List<Tensor> inputs = inputs(cpu.inputs());
            List<Tensor> expected = cpu.run(inputs);
            List<Tensor> made = Inference.DIRECT.run(stage.job(inputs)).outputs();
            String digest = Telemetry.sha256(Files.readAllBytes(model));
            boolean travelled = dsp.driver().telemetry().loadedModels().contains(digest);
            return report(inputs, expected, made, dsp.driver().telemetry().calls(), travelled ? digest : "");
        } catch (NpuException.JobFailed e) {
            throw new Failure("the DSP: "
                    + (e.getCause() == null ? e.getMessage() : e.getCause().getMessage()));
        } catch (StageException | HexagonException e) {
            throw new Failure(String.valueOf(e.getMessage()));
        } finally {
            if (transcript != null && board != null) {
                Files.writeString(transcript, board.transcript());
            }
        }
    }

    private List<Tensor> inputs(List<TensorSpec> specs) throws IOException {
        List<String> known = specs.stream().map(TensorSpec::name).toList();
        for (String name : concat(files.keySet(), shapes.keySet())) {
            if (!known.contains(name)) {
                throw new ParameterException(spec.commandLine(), "the model has no input '" + name + "' but " + known);
            }
        }
        List<Tensor> inputs = new ArrayList<>();
        for (TensorSpec each : specs) {
            inputs.add(input(each));
        }
        return inputs;
    }

    private static List<String> concat(Iterable<String> one, Iterable<String> other) {
        List<String> all = new ArrayList<>();
        one.forEach(all::add);
        other.forEach(all::add);
        return all;
    }

    private Tensor input(TensorSpec declared) throws IOException {
        String name = declared.name();
        long[] shape = shapes.containsKey(name) ? parse(name, shapes.get(name)) : declared.shapeWith(1);
        if (!declared.accepts(shape)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--shape " + name + ": the model takes " + declared + ", not " + Arrays.toString(shape));
        }
        int bytes = Math.toIntExact(Tensor.elements(shape) * declared.type().bytes());
        Path file = files.get(name);
        byte[] data = file == null ? drawn(declared, bytes) : Files.readAllBytes(file);
        if (data.length != bytes) {
            throw new Failure(file + " has " + data.length + " bytes and input " + declared + " as "
                    + Arrays.toString(shape) + " takes " + bytes + "; give its shape with --shape");
        }
        return new Tensor(name, declared.type(), shape, MemorySegment.ofArray(data));
    }

    private long[] parse(String name, @Nullable String text) {
        try {
            return Arrays.stream(String.valueOf(text).split("x"))
                    .mapToLong(Long::parseLong)
                    .toArray();
        } catch (NumberFormatException e) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--shape " + name + "=" + text + ": extents with x between them, as in 1x80",
                    e);
        }
    }

    /** Floats between -1 and 1; integers from 0 to 3, since they are often indices. */
    private byte[] drawn(TensorSpec declared, int bytes) {
        RandomStream random = new RandomStream(seed).derive(declared.name());
        ByteBuffer data = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        while (data.hasRemaining()) {
            switch (declared.type()) {
                case FLOAT32 -> data.putFloat(random.nextFloat() * 2 - 1);
                case FLOAT16 -> data.putShort(Float.floatToFloat16(random.nextFloat() * 2 - 1));
                case INT64 -> data.putLong(random.nextInt(INDICES));
                case INT32 -> data.putInt(random.nextInt(INDICES));
                case INT8 -> data.put((byte) random.nextInt(INDICES));
            }
        }
        return data.array();
    }

    private int report(List<Tensor> inputs, List<Tensor> expected, List<Tensor> made, long calls, String digest) {
        long mismatches = 0;
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode root = mapper.createObjectNode();
        root.put("model", model.toString()).put("device", "emulated").put("seed", seed);
        inputs.forEach(input -> root.withArray("inputs").add(input.toString()));
        ArrayNode outputs = root.putArray("outputs");
        for (int i = 0; i < expected.size(); i++) {
            Tensor want = expected.get(i);
            Tensor got = made.get(i);
            long wrong = Arrays.equals(want.shape(), got.shape()) ? differing(want, got) : want.elements();
            mismatches += wrong;
            outputs.addObject()
                    .put("name", got.name())
                    .put("type", got.type().name())
                    .put("shape", Arrays.toString(got.shape()))
                    .put("fnv1a64", String.format("%016x", fnv(got.data())))
                    .put("mismatches", wrong);
        }
        root.put("mismatches", mismatches).put("fastrpc_calls", calls).put("model_sha256_on_dsp", digest);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(mapper.writerWithDefaultPrettyPrinter().writeValueAsString(root));
        } else {
            made.forEach(tensor -> out.println(tensor + " fnv1a64=" + String.format("%016x", fnv(tensor.data()))));
            out.println("mismatches=" + mismatches + " with the CPU; " + calls + " calls through the emulated driver;"
                    + " the DSP read the model with SHA-256 " + digest);
        }
        out.flush();
        return mismatches == 0 && !digest.isEmpty() ? 0 : 1;
    }

    private static long differing(Tensor want, Tensor got) {
        int size = want.type().bytes();
        long count = 0;
        for (long at = 0; at < want.data().byteSize(); at += size) {
            count += MemorySegment.mismatch(want.data(), at, at + size, got.data(), at, at + size) < 0 ? 0 : 1;
        }
        return count;
    }

    private static long fnv(MemorySegment data) {
        long hash = FNV_OFFSET;
        for (long i = 0; i < data.byteSize(); i++) {
            hash = (hash ^ (data.get(ValueLayout.JAVA_BYTE, i) & 0xff)) * FNV_PRIME;
        }
        return hash;
    }
}
