package dev.portal.verification.npu;

import static dev.portal.voice.stage.OnnxBytes.FLOAT;
import static dev.portal.voice.stage.OnnxBytes.INT64;
import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.app.hexagon.HexagonCommand;
import dev.portal.emulator.hexagon.Telemetry;
import dev.portal.voice.stage.OnnxBytes;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** {@code hexagon run}: a model through the emulated driver and DSP, compared with the CPU. */
class HexagonRunTest {
    private final StringWriter out = new StringWriter();

    @TempDir
    private Path folder;

    private int run(Object... args) {
        return hexagon("run", args);
    }

    private int hexagon(String command, Object... args) {
        out.getBuffer().setLength(0);
        String[] words = new String[args.length + 1];
        words[0] = command;
        for (int i = 0; i < args.length; i++) {
            words[i + 1] = args[i].toString();
        }
        return new CommandLine(new HexagonCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(new StringWriter(), true))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(words);
    }

    private Path sum() throws IOException {
        byte[] model = new OnnxBytes()
                .input("a", FLOAT, -1, 3)
                .input("b", FLOAT, -1, 3)
                .output("sum", FLOAT, -1, 3)
                .node("Add", List.of("a", "b"), List.of("sum"))
                .bytes();
        return Files.write(folder.resolve("sum.onnx"), model);
    }

    @Test
    void theDspGivesTheCpusBytesAndReadTheModelFromItsMemory() throws IOException {
        Path model = sum();
        assertThat(run(model, "--shape", "a=2x3", "--shape", "b=2x3", "--json")).isZero();
        JsonNode root = new ObjectMapper().readTree(out.toString());
        assertThat(root.get("mismatches").asInt()).isZero();
        assertThat(root.get("outputs").get(0).get("shape").asString()).isEqualTo("[2, 3]");
        assertThat(root.get("model_sha256_on_dsp").asString()).isEqualTo(Telemetry.sha256(Files.readAllBytes(model)));
        assertThat(run(model)).isZero();
        assertThat(out.toString()).contains("sum FLOAT32[1, 3] fnv1a64=", "mismatches=0 with the CPU");
    }

    @Test
    void inputsComeFromFiles() throws IOException {
        byte[] values = ByteBuffer.allocate(12)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putFloat(1)
                .putFloat(2)
                .putFloat(3)
                .array();
        Path file = Files.write(folder.resolve("a.f32"), values);
        assertThat(run(sum(), "--input", "a=" + file, "--input", "b=" + file)).isZero();
        // FNV-1a 64 of 2, 4, 6 as floats.
        assertThat(out.toString()).contains("fnv1a64=ba9e6428f93a2615");
        assertThat(run(sum(), "--input", "a=" + file, "--shape", "a=2x3", "--shape", "b=2x3"))
                .as("a file of another size")
                .isEqualTo(1);
    }

    @Test
    void anOutputThatOnlyTheDataSizeIsGivenRoomUntilItFits() throws IOException {
        byte[] model = new OnnxBytes()
                .input("counts", INT64, 1)
                .output("line", FLOAT, -1)
                .floats("value", new float[] {1}, 1)
                .longs("thousand", 1000)
                .node("Mul", List.of("counts", "thousand"), List.of("long"))
                .node("Expand", List.of("value", "long"), List.of("line"))
                .bytes();
        Path count = Files.write(
                folder.resolve("count"),
                ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(7).array());
        Path file = Files.write(folder.resolve("expand.onnx"), model);
        assertThat(run(file, "--input", "counts=" + count)).isZero();
        assertThat(out.toString()).contains("line FLOAT32[7000]", "mismatches=0");
    }

    @Test
    void aTranscriptOfARunReplaysWithoutADifferenceAndADamagedOneWithSome() throws IOException {
        Path transcript = folder.resolve("transcript");
        assertThat(run(sum(), "--transcript", transcript)).isZero();
        assertThat(hexagon("replay", transcript)).isZero();
        assertThat(out.toString()).contains(" calls, 0 answered otherwise");
        Files.writeString(
                transcript,
                Files.readString(transcript).replaceFirst("(call|ioctl)(.*) ret=0 errno=0", "$1$2 ret=1 errno=0"));
        assertThat(hexagon("replay", transcript)).isEqualTo(1);
        assertThat(out.toString()).contains("1 then, 0 now");
        Files.writeString(transcript, "nothing of the kind");
        assertThat(hexagon("replay", transcript)).isEqualTo(1);
    }

    @Test
    void usageIsTwoAndABadModelIsOne() throws IOException {
        assertThat(run(sum(), "--shape", "a=2x4")).isEqualTo(2);
        assertThat(run(sum(), "--shape", "c=1")).isEqualTo(2);
        assertThat(run(folder.resolve("none.onnx"))).isEqualTo(1);
        assertThat(run(Files.write(folder.resolve("bad.onnx"), new byte[] {1, 2, 3})))
                .isEqualTo(1);
    }
}
