package dev.portal.verification.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Set;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Measures the host side of a call to the emulated DSP and prints it: {@code ./portal bench hexagon}. The ioctl seam runs
 * beside the same loop in C, built with gcc when there is one; all figures are of one run on one machine (host).
 */
public final class HexagonBench {
    private static final Path COMPILER = Path.of("/usr/bin/gcc");

    private static final Set<String> SAMPLED = Set.of("cycle", "threeInvokes");

    private static final String LOOP = """
            #include <fcntl.h>
            #include <stdio.h>
            #include <sys/ioctl.h>
            #include <time.h>
            int main(void) {
              int fd = open("/dev/null", O_RDWR);
              char argument[24];
              long rounds = 3000000;
              struct timespec a, b;
              for (long i = 0; i < rounds / 10; i++) ioctl(fd, 0xC0105203u, argument);
              clock_gettime(CLOCK_MONOTONIC, &a);
              for (long i = 0; i < rounds; i++) ioctl(fd, 0xC0105203u, argument);
              clock_gettime(CLOCK_MONOTONIC, &b);
              printf("%f", ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / rounds);
              return 0;
            }
            """;

    private HexagonBench() {}

    /** Runs all. */
    public static void main(String[] args) throws RunnerException, IOException, InterruptedException {
        Map<String, Double> nanos = new HashMap<>();
        Map<String, Double> allocated = new HashMap<>();
        for (RunResult result : new Runner(new OptionsBuilder()
                        .include(HexagonBenchmarks.class.getSimpleName() + "\\.")
                        .addProfiler(GCProfiler.class)
                        .build())
                .run()) {
            String name = result.getPrimaryResult().getLabel();
            // Of sampled calls the median: other programs on the machine stretch the mean.
            double score = SAMPLED.contains(name)
                    ? result.getPrimaryResult().getStatistics().getPercentile(50)
                    : result.getPrimaryResult().getScore();
            nanos.put(name, score);
            result.getSecondaryResults().forEach((label, value) -> {
                if (label.endsWith("gc.alloc.rate.norm")) {
                    allocated.put(name, value.getScore());
                }
            });
        }
        print("hexagon, one run (host)");
        nanos.keySet().stream()
                .sorted()
                .forEach(name -> print("  %-14s %10.1f ns  %8.1f bytes allocated"
                        .formatted(name, figure(nanos, name), figure(allocated, name))));
        print("  packing: aim below 300 ns");
        print("  cycle above its three emulated invokes, medians: %.0f ns, %.1f bytes (aim 10000 ns, 0 bytes)"
                .formatted(
                        figure(nanos, "cycle") - figure(nanos, "threeInvokes"),
                        figure(allocated, "cycle") - figure(allocated, "threeInvokes")));
        OptionalDouble c = inC();
        if (c.isEmpty()) {
            print("  no gcc here, so no C loop to compare the seam with; the package gcc brings it");
        } else {
            print("  ioctl in C: %.1f ns; the seam over it: %.2f (aim 1.7 or less)"
                    .formatted(c.getAsDouble(), figure(nanos, "seam") / c.getAsDouble()));
        }
    }

    private static double figure(Map<String, Double> figures, String name) {
        return Objects.requireNonNull(figures.get(name), name);
    }

    private static void print(String line) {
        System.out.println(line);
    }

    private static OptionalDouble inC() throws IOException, InterruptedException {
        if (!Files.isExecutable(COMPILER)) {
            return OptionalDouble.empty();
        }
        Path folder = Files.createTempDirectory("portal-bench");
        Path source = folder.resolve("seam.c");
        Path program = folder.resolve("seam");
        try {
            Files.writeString(source, LOOP);
            run(List.of(COMPILER.toString(), "-O2", "-o", program.toString(), source.toString()));
            return OptionalDouble.of(Double.parseDouble(run(List.of(program.toString()))));
        } finally {
            Files.deleteIfExists(source);
            Files.deleteIfExists(program);
            Files.delete(folder);
        }
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exit = process.waitFor();
        if (exit != 0) {
            throw new IOException(command.getFirst() + " ended with " + exit + ": " + output.strip());
        }
        return output;
    }
}
