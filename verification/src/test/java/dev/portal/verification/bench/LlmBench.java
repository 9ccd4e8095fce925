package dev.portal.verification.bench;

import com.sun.management.ThreadMXBean;
import dev.portal.base.SystemClock;
import dev.portal.llm.LanguageModel.Message;
import dev.portal.llm.LanguageModel.Reply;
import dev.portal.llm.LanguageModel.Request;
import dev.portal.llm.LanguageModel.Role;
import dev.portal.llm.LanguageModel.Timings;
import dev.portal.llm.decoder.Backend;
import dev.portal.llm.decoder.CpuBackend;
import dev.portal.llm.decoder.Kernels;
import dev.portal.llm.decoder.LocalModel;
import dev.portal.llm.decoder.LocalOptions;
import dev.portal.llm.decoder.Team;
import dev.portal.llm.gguf.TensorType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * Decoding in the JVM beside llama.cpp, on the same files, with as many threads, in one run, turn by turn: {@code
 * ./portal bench llm [TYPES] [THREADS [TOKENS [ROUNDS]]]}. The files have 110 million random weights of the types, Q8_0 if
 * none is named, and are written for the run; where none is named, the tiny assistant comes first.
 */
public final class LlmBench {
    private static final int PROMPT_TOKENS = 128;

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final SystemClock CLOCK = new SystemClock();

    private final int threads;
    private final int tokens;
    private final int rounds;

    private LlmBench(int threads, int tokens, int rounds) {
        this.threads = threads;
        this.tokens = tokens;
        this.rounds = rounds;
    }

    /** Arguments: types of weights, such as {@code Q4_0,Q6_K}; threads (2), tokens a turn (32), rounds (5). */
    public static void main(String[] args) throws IOException {
        boolean named = args.length > 0 && !Character.isDigit(args[0].charAt(0));
        int[] numbers = {2, 32, 5};
        int first = named ? 1 : 0;
        for (int i = first; i < Math.min(args.length, first + numbers.length); i++) {
            numbers[i - first] = Integer.parseInt(args[i]);
        }
        LlmBench bench = new LlmBench(numbers[0], numbers[1], numbers[2]);
        Path root = Path.of(System.getProperty("portal.root", "."));
        System.out.printf(
                Locale.ROOT,
                "llm, one run, turn by turn, host; %s%n",
                Kernels.best().name());
        if (!named) {
            bench.compare(root, root.resolve("models/tiny-assistant/tiny-assistant.gguf"), 1, 8 * bench.tokens);
        }
        for (String type : (named ? args[0] : "Q8_0").split(",", -1)) {
            Path folder = Files.createTempDirectory("portal-llm");
            Path large = folder.resolve("random-110m-" + type.toLowerCase(Locale.ROOT) + ".gguf");
            try {
                random(TensorType.valueOf(type)).write(large);
                bench.compare(root, large, bench.threads, bench.tokens);
            } finally {
                Files.deleteIfExists(large);
                Files.delete(folder);
            }
        }
    }

    private static RandomGguf random(TensorType type) {
        return new RandomGguf(768, 12, 12, 12, 2048, 32_000, type);
    }

    /** What one engine did. */
    private static final class Figures {
        private final List<Double> decode = new ArrayList<>();
        private final List<Double> prefill = new ArrayList<>();
        private long bytesPerToken;

        static double median(List<Double> values) {
            List<Double> sorted = new ArrayList<>(values);
            Collections.sort(sorted);
            return sorted.get(sorted.size() / 2);
        }
    }

    private void compare(Path root, Path file, int workers, int made) throws IOException {
        Figures cpp = new Figures();
        Figures natively = new Figures();
        Figures i8 = new Figures();
        try (LocalModel plain = open(file, workers, made, CpuBackend.nativeWeights());
                LocalModel eight = open(file, workers, made, CpuBackend.int8());
                LlamaCpp llama = LlamaCpp.start(root, file, workers, PROMPT_TOKENS + made + 8)) {
            String question = question(plain);
            for (int round = 0; round <= rounds; round++) {
                // The first round warms up.
                measure(plain, question, made, round == 0 ? new Figures() : natively);
                llama.measure("user: " + question + "\nbot:", made, round == 0 ? new Figures() : cpp);
                measure(eight, question, made, round == 0 ? new Figures() : i8);
            }
        }
        System.out.printf(
                Locale.ROOT,
                "%s, %d MiB, %d thread(s), medians of %d%n",
                file.getFileName(),
                Files.size(file) >> 20,
                workers,
                rounds);
        print("llama.cpp", cpp, cpp);
        print("jvm, native", natively, cpp);
        print("jvm, i8", i8, cpp);
    }

    private static void print(String name, Figures figures, Figures reference) {
        double decode = Figures.median(figures.decode);
        double prefill = Figures.median(figures.prefill);
        System.out.printf(
                Locale.ROOT,
                "  %-12s decode %8.1f tokens/s (%.2f)  prefill of %d %8.1f tokens/s (%.2f)  %d bytes a token%n",
                name,
                decode,
                decode / Figures.median(reference.decode),
                PROMPT_TOKENS,
                prefill,
                prefill / Figures.median(reference.prefill),
                figures.bytesPerToken);
    }

    private static LocalModel open(Path file, int workers, int made, Backend.Factory backend) throws IOException {
        LocalOptions options = LocalOptions.defaults(4L << 30)
                .withContext(PROMPT_TOKENS + made + 8)
                .withBatch(PROMPT_TOKENS)
                .withoutEnd();
        Team team = new Team(
                workers, CLOCK, Thread.ofPlatform().daemon().name("llm-", 1).factory());
        return LocalModel.open(file, options, CLOCK, team, Kernels.best(), backend);
    }

    /** A text that makes, in the form of both, a prompt of so many tokens. */
    private static String question(LocalModel model) {
        StringBuilder text = new StringBuilder();
        while (model.tokenizer().encode("user: " + text + "\nbot:", true, true).length < PROMPT_TOKENS) {
            text.append("q7 ".charAt(text.length() % 3));
        }
        return text.toString();
    }

    private static void measure(LocalModel model, String question, int made, Figures figures) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        model.reset();
        Request request = Request.greedy("bench", List.of(new Message(Role.USER, question)), made);
        long[] bytes = new long[2];
        Reply reply = model.generate(request, (sequence, text) -> {
            // From the second token on, when the prompt and its answer's objects are there.
            bytes[sequence == 0 ? 0 : 1] = threads.getCurrentThreadAllocatedBytes();
        });
        Timings timings = Objects.requireNonNull(reply.timings());
        figures.decode.add((reply.completionTokens() - 1) * 1e6 / timings.decodeUs());
        figures.prefill.add(reply.promptTokens() * 1e6 / timings.promptUs());
        figures.bytesPerToken = (bytes[1] - bytes[0]) / Math.max(1, reply.completionTokens() - 1);
    }

    /** llama.cpp in its own process. */
    private static final class LlamaCpp implements AutoCloseable {
        private final Process process;
        private final BufferedReader in;
        private final OutputStream out;

        private LlamaCpp(Process process) {
            this.process = process;
            in = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            out = process.getOutputStream();
        }

        static LlamaCpp start(Path root, Path file, int workers, int positions) throws IOException {
            Path child = root.resolve("llama/target/child");
            if (!Files.isDirectory(child)) {
                throw new IOException(child + " is missing; ./portal doctor builds it");
            }
            return new LlamaCpp(new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin/java").toString(),
                            "--enable-native-access=ALL-UNNAMED",
                            "-cp",
                            child + "/*",
                            "dev.portal.llama.LlamaProbe",
                            file.toString(),
                            String.valueOf(workers),
                            String.valueOf(positions))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start());
        }

        void measure(String prompt, int made, Figures figures) throws IOException {
            String question = JSON.writeValueAsString(JSON.createObjectNode()
                    .put("op", "greedy")
                    .put("prompt", prompt)
                    .put("tokens", made));
            out.write((question + "\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
            String line = in.readLine();
            if (line == null) {
                throw new IOException("llama.cpp's process ended");
            }
            JsonNode answer = JSON.readTree(line);
            double first = answer.path("first_ns").asDouble(0);
            double all = answer.path("all_ns").asDouble(0);
            figures.decode.add((answer.path("pieces").size() - 1) * 1e9 / (all - first));
            figures.prefill.add(PROMPT_TOKENS * 1e9 / first);
        }

        @Override
        public void close() throws IOException {
            out.close();
            process.destroy();
            process.onExit().join();
        }
    }
}
