package dev.portal.llama;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/** A {@link LlamaProbe} in a process of its own. */
final class Probe implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Process process;
    private final BufferedReader in;
    private final OutputStream out;

    /** With a prompt read {@code batch} tokens at once. */
    Probe(Path model, int threads, int positions, int batch) throws IOException {
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LlamaProbe.class.getName(),
                        model.toString(),
                        String.valueOf(threads),
                        String.valueOf(positions),
                        String.valueOf(batch))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        in = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        out = process.getOutputStream();
    }

    JsonNode ask(ObjectNode question) throws IOException {
        out.write((JSON.writeValueAsString(question) + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
        String answer = in.readLine();
        if (answer == null) {
            throw new IOException("llama.cpp's process ended");
        }
        return JSON.readTree(answer);
    }

    int[] encode(String text) throws IOException {
        JsonNode ids = ask(JSON.createObjectNode().put("op", "encode").put("text", text))
                .path("ids");
        int[] all = new int[ids.size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = ids.get(i).asInt();
        }
        return all;
    }

    JsonNode greedy(String prompt, int tokens) throws IOException {
        return ask(JSON.createObjectNode()
                .put("op", "greedy")
                .put("prompt", prompt)
                .put("tokens", tokens));
    }

    @Override
    public void close() throws IOException {
        out.close();
        process.destroy();
        process.onExit().join();
    }
}
