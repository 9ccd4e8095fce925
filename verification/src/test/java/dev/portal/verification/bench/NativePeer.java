package dev.portal.verification.bench;

import dev.portal.hardware.rk3588.Soc;
import dev.portal.rknpu.MatmulEncoder;
import dev.portal.rknpu.MatmulProgram;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The C program {@code rk_peer.c} as a child that works when it is told to, so that its turns and Java's alternate. Built with
 * {@code gcc -O3 -march=native}.
 */
final class NativePeer implements AutoCloseable {
    static final String FLAGS = "gcc -O3 -march=native";

    private static final String SOURCE = "rk_peer.c";
    private static final int SOLO_TURNS = 15;
    private static final Path COMPILER = Path.of("/usr/bin/gcc");

    /**
     * One turn.
     *
     * @param nanos processor time a round
     * @param check of the result
     */
    record Turn(double nanos, long check) {}

    private final Process process;
    private final Path folder;
    private final Writer commands;
    private final BufferedReader answers;

    private NativePeer(Process process, Path folder) throws IOException {
        this.process = process;
        this.folder = folder;
        commands = process.outputWriter(StandardCharsets.US_ASCII);
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
        commands.write(template());
    }

    /** Builds and starts it; empty where there is no gcc. */
    static Optional<NativePeer> start() throws IOException, InterruptedException {
        if (!Files.isExecutable(COMPILER)) {
            return Optional.empty();
        }
        Path folder = Files.createTempDirectory("portal-bench");
        Path source = folder.resolve(SOURCE);
        Path program = folder.resolve("peer");
        try (InputStream text = Objects.requireNonNull(NativePeer.class.getResourceAsStream(SOURCE))) {
            Files.copy(text, source);
        }
        Process compiler = new ProcessBuilder(
                        COMPILER.toString(), "-O3", "-march=native", "-o", program.toString(), source.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (compiler.waitFor() != 0) {
            throw new IOException("gcc: " + said.strip());
        }
        return Optional.of(new NativePeer(new ProcessBuilder(program.toString()).start(), folder));
    }

    /** One command of the program. */
    Turn turn(String command) {
        try {
            commands.write(command + "\n");
            commands.flush();
            String[] answer = Objects.requireNonNull(answers.readLine(), "the C program ended")
                    .split(" ", -1);
            return new Turn(Double.parseDouble(answer[0]), Long.parseLong(answer[1]));
        } catch (IOException e) {
            throw new IllegalStateException("the C program ended", e);
        }
    }

    /** Processor time of one program by the register search, median of a few turns; empty where there is no gcc. */
    static OptionalDouble encodeNanos() throws IOException, InterruptedException {
        Optional<NativePeer> started = start();
        if (started.isEmpty()) {
            return OptionalDouble.empty();
        }
        try (NativePeer peer = started.get()) {
            double[] nanos = new double[SOLO_TURNS];
            for (int i = 0; i < SOLO_TURNS; i++) {
                nanos[i] = peer.turn("encode 30000").nanos();
            }
            Arrays.sort(nanos);
            return OptionalDouble.of(nanos[SOLO_TURNS / 2]);
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

    @Override
    public void close() throws IOException {
        commands.close();
        process.destroy();
        Files.deleteIfExists(folder.resolve(SOURCE));
        Files.deleteIfExists(folder.resolve("peer"));
        Files.deleteIfExists(folder);
    }
}
