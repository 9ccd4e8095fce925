package dev.portal.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code chat} with the shipped model: what goes to which stream, and what is refused how. */
class ChatCommandTest {
    private static final String LIGHT = "turn on the kitchen light";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int chat(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        List<String> line = new ArrayList<>(List.of("chat"));
        line.addAll(List.of(arguments));
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(line.toArray(String[]::new));
    }

    @Test
    void theReplyAloneIsOnStandardOutputAndTheFiguresAreOnStandardError() {
        assertThat(chat("--greedy", "--device", "cpu", "--prompt", LIGHT)).isZero();
        assertThat(out.toString().strip()).isEqualTo("turning on the kitchen light.");
        assertThat(err.toString()).containsPattern("[0-9]+ tokens, [0-9]+ a second, first after [0-9.]+ ms \\(host\\)");
    }

    @Test
    void theEmulatedNpuSaysTheSameAndWhatItDidOfIt() {
        assertThat(chat("--greedy", "--device", "emulated", "--npu-share", "0.5", "--prompt", LIGHT))
                .isZero();
        assertThat(out.toString().strip()).isEqualTo("turning on the kitchen light.");
        assertThat(err.toString()).containsPattern("NPU's share [4-6][0-9] %");
    }

    @Test
    void aReplyThatIsCutShortSaysByWhat() {
        assertThat(chat("--greedy", "--device", "cpu", "--max-tokens", "2", "--prompt", LIGHT))
                .isZero();
        assertThat(out.toString().strip()).isNotBlank().isNotEqualTo("turning on the kitchen light.");
        assertThat(err.toString()).contains("cut short by --max-tokens 2");
    }

    @ParameterizedTest
    @CsvSource({
        "--max-tokens, 0",
        "--temperature, -0.1",
        "--top-p, 0",
        "--top-p, 1.5",
        "--top-k, -1",
        "--min-p, 2",
        "--repeat-penalty, 0",
        "--context, 0",
        "--llm-threads, -1",
        "--weights, q3",
        "--engine, onnx",
    })
    void aValueThatMeansNothingIsNamedAndEndsWithTwo(String option, String value) {
        assertThat(chat("--prompt", "hi", "--device", "cpu", option, value)).isEqualTo(2);
        assertThat(err.toString()).contains(option, value);
        assertThat(out.toString()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"--npu-share, 0", "--npu-share, 1.1", "--npu-cores, 0", "--npu-cores, 4", "--weights, native"})
    void soIsOneThatTheNpuCannotHave(String option, String value) {
        assertThat(chat("--prompt", "hi", "--device", "emulated", option, value))
                .isEqualTo(2);
        assertThat(err.toString()).contains(option);
    }

    @Test
    void aBrokenModelIsNamedWithWhatIsWrong(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("broken.gguf");
        Files.writeString(file, "GGUF");
        assertThat(chat("--prompt", "hi", "--llm", file.toString())).isEqualTo(1);
        assertThat(err.toString()).contains("broken.gguf");
        assertThat(chat("--prompt", "hi", "--context", "4")).isEqualTo(1);
        assertThat(err.toString()).contains("PROMPT_TOO_LONG", "context 4");
    }
}
