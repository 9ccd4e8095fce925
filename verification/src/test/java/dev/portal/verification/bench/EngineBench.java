package dev.portal.verification.bench;

import dev.portal.base.Clock;
import dev.portal.base.SystemClock;
import dev.portal.emulator.rk3588.MatrixEngine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The emulated MAC array against C: one row of int8, K = N = 512, the same bytes in the same tiles, medians of one run.
 * The C side is compiled with {@code gcc -O3 -march=native} when gcc is there.
 *
 * <p>A plain main method: the loops warm up for thousands of rounds, then the median is taken; what is printed is the
 * ratio, since times differ from machine to machine.
 */
public final class EngineBench {
    private static final int K = 512;
    private static final int N = 512;
    private static final int WARM_UP = 20_000;
    private static final int ROUNDS = 20_001;

    private EngineBench() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        byte[] a = new byte[K];
        byte[] b = new byte[K * N];
        int[] c = new int[N];
        for (int i = 0; i < a.length; i++) {
            a[i] = (byte) (i * 7);
        }
        for (int i = 0; i < b.length; i++) {
            b[i] = (byte) (i * 13 + (i >> 5));
        }
        double java = medianNanos(new SystemClock(), MatrixEngine.fast(), a, b, c);
        System.out.printf(Locale.ROOT, "engine java 1x%dx%d int8: %.1f us%n", K, N, java / 1000);
        String answer = inC();
        if (answer.isEmpty()) {
            System.out.println("engine C: no gcc here, nothing to compare with");
            return;
        }
        String[] fields = answer.split(" ");
        double nativeNanos = Double.parseDouble(fields[0]);
        if (Integer.parseInt(fields[1]) != c[N - 1]) {
            throw new IllegalStateException("C computed " + fields[1] + ", Java " + c[N - 1]);
        }
        System.out.printf(Locale.ROOT, "engine C    1x%dx%d int8: %.1f us%n", K, N, nativeNanos / 1000);
        System.out.printf(Locale.ROOT, "engine ratio java/C: %.2f%n", java / nativeNanos);
    }

    private static double medianNanos(Clock clock, MatrixEngine engine, byte[] a, byte[] b, int[] c) {
        for (int i = 0; i < WARM_UP; i++) {
            engine.int8(a, b, 0, 1, K, N, c);
        }
        long[] nanos = new long[ROUNDS];
        for (int i = 0; i < nanos.length; i++) {
            long start = clock.nanos();
            engine.int8(a, b, 0, 1, K, N, c);
            nanos[i] = clock.nanos() - start;
        }
        Arrays.sort(nanos);
        return nanos[nanos.length / 2];
    }

    /** Median nanoseconds and the last sum, or empty without a compiler. */
    private static String inC() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("engine-bench");
        Path source = folder.resolve("engine.c");
        Path program = folder.resolve("engine");
        try (InputStream in = Objects.requireNonNull(EngineBench.class.getResourceAsStream("engine.c"))) {
            Files.copy(in, source);
        }
        try {
            String compiled = run("gcc", "-O3", "-march=native", source.toString(), "-o", program.toString());
            if (!Files.isExecutable(program)) {
                System.out.println(compiled);
                return "";
            }
            return run(program.toString(), "" + K, "" + N, "" + ROUNDS).strip();
        } catch (IOException e) {
            return "";
        } finally {
            Files.deleteIfExists(program);
            Files.deleteIfExists(source);
            Files.deleteIfExists(folder);
        }
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor(60, TimeUnit.SECONDS);
        return output;
    }
}
