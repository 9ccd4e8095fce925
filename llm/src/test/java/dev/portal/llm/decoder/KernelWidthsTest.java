package dev.portal.llm.decoder;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The loops at vector widths that this machine need not have, each in a JVM of its own. */
@Tag("slow")
final class KernelWidthsTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(ints = {16, 32})
    void narrowVectorsComputeTheSameBits(int bytes) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:MaxVectorSize=" + bytes,
                        "-XX:+UseSerialGC",
                        "--add-modules",
                        Kernels.VECTOR_MODULE,
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path")
                                + File.pathSeparator
                                + System.getProperty("jdk.module.path", ""),
                        WidthMain.class.getName(),
                        folder.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        List<String> lines = Files.readAllLines(output, StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as(String.join("\n", lines)).isZero();
        assertThat(lines)
                .contains(8 * bytes + " bits, vectors of " + 8 * bytes + " bits")
                .contains(WidthMain.digest(folder));
    }
}
