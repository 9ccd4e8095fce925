package dev.portal.llm.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The child's half, spoken to in plain lines. */
class ChildServerTest {
    private static final JsonMapper JSON = new JsonMapper();

    private final BlockingQueue<JsonNode> answers = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> steps = new LinkedBlockingQueue<>();
    private PipedOutputStream toChild;
    private Thread server;

    /** Makes a token for each step that the test allows; "end" ends the answer. */
    private final class StepEngine implements ChildServer.Engine {
        @Override
        public ChildServer.Loaded load(String model, int contextTokens) {
            return new ChildServer.Loaded(model, contextTokens, true, "steps");
        }

        @Override
        public ChildServer.Answer generate(ChildServer.Ask ask, ChildServer.Control control)
                throws ChildServer.ChildException {
            if (ask.maxTokens() > 100) {
                throw new ChildServer.ChildException(-32004, "too long", 77);
            }
            int made = 0;
            try {
                for (String step = steps.take(); !step.equals("end") && !control.cancelled(); step = steps.take()) {
                    control.token(step);
                    made++;
                    control.holdWhilePaused();
                    if (control.cancelled()) {
                        break;
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return new ChildServer.Answer("stop", 3, made, 0, 1, 2, 3);
        }

        @Override
        public void reset() {}
    }

    /** Hands each whole line to the queue. */
    private final class Lines extends ByteArrayOutputStream {
        @Override
        public synchronized void flush() {
            answers.add(JSON.readTree(toString(StandardCharsets.UTF_8)));
            reset();
        }
    }

    @BeforeEach
    void start() throws IOException {
        PipedInputStream in = new PipedInputStream(1 << 16);
        toChild = new PipedOutputStream(in);
        ChildServer child = new ChildServer(new StepEngine(), new Lines());
        server = Thread.ofVirtual().start(() -> {
            try {
                child.serve(in);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
    }

    @AfterEach
    void stop() throws IOException {
        toChild.close();
    }

    private void tell(String line) throws IOException {
        toChild.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        toChild.flush();
    }

    private JsonNode answer() throws InterruptedException {
        JsonNode answer = answers.poll(30, TimeUnit.SECONDS);
        assertThat(answer).as("an answer").isNotNull();
        return answer;
    }

    private void initialize() throws IOException, InterruptedException {
        tell("{\"id\":\"i\",\"method\":\"initialize\",\"params\":{\"protocol\":1,\"model\":\"m\",\"n_ctx\":64}}");
        JsonNode result = answer().path("result");
        assertThat(result.path("protocol").intValue()).isEqualTo(1);
        assertThat(result.path("n_ctx").intValue()).isEqualTo(64);
        assertThat(result.path("capabilities").path("pause").booleanValue()).isTrue();
    }

    private void generate(String id) throws IOException {
        tell("{\"id\":\"" + id + "\",\"method\":\"generate\",\"params\":{\"prompt\":\"p\",\"max_tokens\":9}}");
    }

    /** The pause is there before the token is, so it holds right after it. */
    private void pauseAtFirstToken() throws Exception {
        tell("{\"id\":\"q\",\"method\":\"pause\",\"params\":{\"id\":\"g\"}}");
        tell("{\"id\":\"barrier\",\"method\":\"ping\"}");
        assertThat(answer().path("id").stringValue()).isEqualTo("barrier");
        steps.add("a");
        JsonNode token = answer().path("params");
        assertThat(token.path("text").stringValue()).isEqualTo("a");
        assertThat(token.path("seq").intValue()).isZero();
        JsonNode held = answer();
        assertThat(held.path("id").stringValue()).isEqualTo("q");
        assertThat(held.path("result").path("tokens").intValue()).isEqualTo(1);
    }

    private static int code(JsonNode answer) {
        return answer.path("error").path("code").intValue();
    }

    @Test
    void refusesToGenerateBeforeTheHandshake() throws Exception {
        generate("g");
        assertThat(code(answer())).isEqualTo(-32002);
    }

    @Test
    void answersStatusPauseAndCancelWhileItGenerates() throws Exception {
        initialize();
        generate("g");
        generate("h");
        assertThat(code(answer())).as("a second generate").isEqualTo(-32001);
        tell("{\"id\":\"r\",\"method\":\"reset\"}");
        assertThat(code(answer())).as("reset").isEqualTo(-32001);
        tell("{\"id\":\"s\",\"method\":\"status\"}");
        assertThat(answer().path("result").path("state").stringValue()).isEqualTo("generating");
        tell("{\"id\":\"p\",\"method\":\"pause\",\"params\":{\"id\":\"other\"}}");
        assertThat(code(answer())).as("pause of another").isEqualTo(-32602);

        pauseAtFirstToken();
        tell("{\"id\":\"t\",\"method\":\"status\"}");
        assertThat(answer().path("result").path("state").stringValue()).isEqualTo("paused");

        tell("{\"method\":\"cancel\",\"params\":{\"id\":\"h\"}}");
        tell("{\"id\":\"u\",\"method\":\"resume\",\"params\":{\"id\":\"g\"}}");
        assertThat(answer().path("result").path("tokens").intValue()).isEqualTo(1);
        tell("{\"method\":\"cancel\",\"params\":{\"id\":\"g\"}}");
        tell("{\"id\":\"v\",\"method\":\"ping\"}");
        // A held generation may end before the ping is answered, or wait for its next step.
        JsonNode first = answer();
        steps.add("c");
        JsonNode second = answer();
        JsonNode cancelled = first.path("id").stringValue().equals("g") ? first : second;
        assertThat(cancelled.path("id").stringValue()).isEqualTo("g");
        assertThat(code(cancelled)).isEqualTo(-32800);
        assertThat(cancelled.path("error").path("data").path("text").stringValue())
                .isEqualTo("a");
    }

    @Test
    void aPausedGenerationCanBeCancelled() throws Exception {
        initialize();
        generate("g");
        pauseAtFirstToken();
        tell("{\"method\":\"cancel\",\"params\":{\"id\":\"g\"}}");
        assertThat(code(answer())).isEqualTo(-32800);
    }

    @Test
    void namesTheTokensOfAPromptThatIsTooLong() throws Exception {
        initialize();
        tell("{\"id\":\"g\",\"method\":\"generate\",\"params\":{\"prompt\":\"p\",\"max_tokens\":999}}");
        JsonNode refused = answer();
        assertThat(code(refused)).isEqualTo(-32004);
        assertThat(refused.path("error").path("data").path("prompt_tokens").intValue())
                .isEqualTo(77);
    }

    @Test
    void anAnswerHasTextUsageAndTimings() throws Exception {
        initialize();
        generate("g");
        steps.addAll(List.of("a", "b", "end"));
        answer();
        answer();
        JsonNode result = answer().path("result");
        assertThat(result.path("text").stringValue()).isEqualTo("ab");
        assertThat(result.path("finish_reason").stringValue()).isEqualTo("stop");
        assertThat(result.path("usage").path("completion_tokens").intValue()).isEqualTo(2);
        assertThat(result.path("timings_us").path("decode").intValue()).isEqualTo(3);
    }

    @Test
    void anUnknownMethodAndALineThatIsNoMessageAreAnswered() throws Exception {
        tell("{\"id\":\"x\",\"method\":\"sing\"}");
        assertThat(code(answer())).isEqualTo(-32601);
        tell("noise");
        JsonNode broken = answer();
        assertThat(code(broken)).isEqualTo(-32700);
        assertThat(broken.path("id").isNull()).isTrue();
        server.join();
    }

    @Test
    void shutdownIsAnsweredAndEndsIt() throws Exception {
        tell("{\"id\":\"x\",\"method\":\"shutdown\"}");
        assertThat(answer().path("id").stringValue()).isEqualTo("x");
        server.join();
    }

    @Test
    void theEndOfItsInputEndsItWhateverItDoes() throws Exception {
        initialize();
        generate("g");
        steps.add("a");
        answer();
        toChild.close();
        server.join();
    }
}
