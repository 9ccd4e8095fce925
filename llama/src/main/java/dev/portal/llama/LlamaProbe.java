package dev.portal.llama;

import de.kherud.llama.InferenceParameters;
import de.kherud.llama.LlamaModel;
import de.kherud.llama.LlamaOutput;
import de.kherud.llama.ModelParameters;
import de.kherud.llama.args.CacheType;
import de.kherud.llama.args.LogFormat;
import dev.portal.base.Clock;
import dev.portal.base.SystemClock;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * llama.cpp's own answers, for tests and benchmarks that compare with it: one JSON object a line in, one out.
 *
 * <pre>
 * {"op":"encode","text":T}                    &rarr; {"ids":[...]}, control tokens by their texts, none added
 * {"op":"greedy","prompt":T,"tokens":N}       &rarr; {"pieces":[...],"first_ns":F,"all_ns":A}, its end passed over
 * </pre>
 */
public final class LlamaProbe {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final LlamaModel model;
    private final Clock clock;

    private LlamaProbe(LlamaModel model, Clock clock) {
        this.model = model;
        this.clock = clock;
    }

    /**
     * Arguments: the GGUF file, threads, positions, and how many tokens of a prompt are read at once, if not as many as
     * llama.cpp likes. The cache is in 32-bit floats.
     */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 3 && arguments.length != 4) {
            System.err.println("usage: LlamaProbe FILE THREADS POSITIONS [BATCH]");
            Runtime.getRuntime().halt(2);
        }
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        // The library's loader prints; standard output belongs to the answers.
        System.setOut(new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8));
        LlamaModel.setLogger(LogFormat.TEXT, (level, message) -> {});
        int threads = Integer.parseInt(arguments[1]);
        ModelParameters parameters = new ModelParameters()
                .setModel(arguments[0])
                .setThreads(threads)
                .setThreadsBatch(threads)
                .setCtxSize(Integer.parseInt(arguments[2]))
                .setCacheTypeK(CacheType.F32)
                .setCacheTypeV(CacheType.F32)
                .setGpuLayers(0)
                .setParallel(1)
                .disableContextShift();
        if (arguments.length == 4) {
            int batch = Integer.parseInt(arguments[3]);
            parameters.setBatchSize(batch).setUbatchSize(batch);
        }
        LlamaModel model = new LlamaModel(parameters);
        LlamaProbe probe = new LlamaProbe(model, new SystemClock());
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.println(JSON.writeValueAsString(probe.answer(JSON.readTree(line))));
            }
        }
        // The library's threads would keep the process alive.
        Runtime.getRuntime().halt(0);
    }

    private ObjectNode answer(JsonNode asked) {
        ObjectNode answer = JSON.createObjectNode();
        String op = asked.path("op").asString("");
        switch (op) {
            case "encode" -> {
                ArrayNode ids = answer.putArray("ids");
                for (int id : model.encode(asked.path("text").asString(""))) {
                    ids.add(id);
                }
            }
            case "greedy" -> greedy(asked, answer);
            default -> answer.put("error", "no op '" + op + "' here");
        }
        return answer;
    }

    private void greedy(JsonNode asked, ObjectNode answer) {
        InferenceParameters parameters = new InferenceParameters(
                        asked.path("prompt").asString(""))
                .setNPredict(asked.path("tokens").asInt(1))
                .setTemperature(0)
                .setTopK(1)
                .setRepeatPenalty(1)
                .setCachePrompt(false)
                .setIgnoreEos(true);
        ArrayNode pieces = answer.putArray("pieces");
        long began = clock.nanos();
        long first = 0;
        for (LlamaOutput output : model.generate(parameters)) {
            if (first == 0) {
                first = clock.nanos() - began;
            }
            pieces.add(output.text);
        }
        answer.put("first_ns", first).put("all_ns", clock.nanos() - began);
    }
}
