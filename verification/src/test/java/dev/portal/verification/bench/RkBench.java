package dev.portal.verification.bench;

import dev.portal.hardware.rk3588.Soc;
import dev.portal.rknpu.MatmulEncoder;
import dev.portal.rknpu.MatmulProgram;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Measures the host side of RK3588 products and prints ratios: {@code ./portal bench rk}. Beside it runs a C encoder
 * that searches its registers, built with gcc when there is one; all figures are of one run on one machine.
 */
public final class RkBench {
    private static final String SOURCE = "register_search_encoder.c";
    private static final double BYTES = (double) RkBenchmarks.K * RkBenchmarks.N;

    /** Of the C encoder: nanoseconds a program, and memcpy. */
    record NativeFigures(double encodeNanos, double copyGigabytes) {}

    private RkBench() {}

    /** Runs all. */
    public static void main(String[] args) throws RunnerException, IOException, InterruptedException {
        Map<String, Double> nanos = new HashMap<>();
        Map<String, Double> allocated = new HashMap<>();
        for (RunResult result : new Runner(new OptionsBuilder()
                        .include(RkBenchmarks.class.getSimpleName() + "\\.")
                        .addProfiler(GCProfiler.class)
                        .build())
                .run()) {
            String name = result.getPrimaryResult().getLabel();
            nanos.put(name, result.getPrimaryResult().getScore());
            result.getSecondaryResults().forEach((label, value) -> {
                if (label.endsWith("gc.alloc.rate.norm")) {
                    allocated.put(name, value.getScore());
                }
            });
        }
        Optional<NativeFigures> c = nativeFigures();
        print("rk, one run");
        nanos.keySet().stream()
                .sorted()
                .forEach(name -> print("  %-16s %12.1f ns  %8.1f bytes allocated"
                        .formatted(name, figure(nanos, name), figure(allocated, name))));
        double pack = BYTES / figure(nanos, "packB");
        double copy = BYTES / figure(nanos, "copyB");
        print("  packing B %.2f GB/s, copying it %.2f GB/s: %.2f of a copy".formatted(pack, copy, pack / copy));
        if (c.isEmpty()) {
            print("  no gcc here, so no C encoder to compare with; the package gcc brings it");
            return;
        }
        print("  C, register search: %.1f ns a program; memcpy %.2f GB/s"
                .formatted(c.get().encodeNanos(), c.get().copyGigabytes()));
        print("  encode over C: %.2f (aim 0.5 or less); packing B over memcpy: %.2f"
                .formatted(
                        figure(nanos, "encode") / c.get().encodeNanos(),
                        pack / c.get().copyGigabytes()));
    }

    private static double figure(Map<String, Double> figures, String name) {
        return Objects.requireNonNull(figures.get(name), name);
    }

    private static void print(String line) {
        System.out.println(line);
    }

    /** Builds and runs the C program; empty when there is no gcc. */
    static Optional<NativeFigures> nativeFigures() throws IOException, InterruptedException {
        if (!Files.isExecutable(Path.of("/usr/bin/gcc"))) {
            return Optional.empty();
        }
        Path folder = Files.createTempDirectory("portal-bench");
        Path source = folder.resolve(SOURCE);
        Path program = folder.resolve("encoder");
        try {
            try (InputStream text = Objects.requireNonNull(RkBench.class.getResourceAsStream(SOURCE))) {
                Files.copy(text, source);
            }
            run(List.of("/usr/bin/gcc", "-O2", "-march=native", "-o", program.toString(), source.toString()), "");
            String[] lines = run(List.of(program.toString(), "300000", Integer.toString((int) BYTES)), template())
                    .split("\n", -1);
            return Optional.of(new NativeFigures(Double.parseDouble(lines[0]), Double.parseDouble(lines[1])));
        } finally {
            Files.deleteIfExists(source);
            Files.deleteIfExists(program);
            Files.delete(folder);
        }
    }

    private static String template() {
        MatmulProgram program = MatmulProgram.rowMajor(new MatmulShape(MatmulType.INT8_INT32, 4, 32, 32));
        long[] words = new long[program.form().words()];
        new MatmulEncoder(Soc.RK3588).encode(program, 0, 0, 0, 0, MemorySegment.ofArray(words), 0);
        StringBuilder text = new StringBuilder();
        for (long word : words) {
            text.append(HexFormat.of().toHexDigits(word)).append('\n');
        }
        return text.toString();
    }

    private static String run(List<String> command, String input) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var in = process.getOutputStream()) {
            in.write(input.getBytes(StandardCharsets.UTF_8));
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exit = process.waitFor();
        if (exit != 0) {
            throw new IOException(
                    String.format(Locale.ROOT, "%s ended with %d: %s", command.getFirst(), exit, output.strip()));
        }
        return output;
    }
}
