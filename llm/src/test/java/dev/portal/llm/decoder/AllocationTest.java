package dev.portal.llm.decoder;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.SystemClock;
import dev.portal.llm.LanguageModel.Message;
import dev.portal.llm.LanguageModel.Request;
import dev.portal.llm.LanguageModel.Role;
import dev.portal.llm.gguf.GgufFile;
import dev.portal.llm.gguf.TensorType;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a token allocates. Taken is the least of many tokens: what a JVM takes once, when code is linked or compiled, is not
 * the decoder's, and what the decoder takes it takes each time.
 */
final class AllocationTest {
    private static final int TOKENS = 40;
    /** A text of up to eight characters: an object and its bytes. */
    private static final long TEXT = 48;

    /** Bytes that this thread has allocated. The module under test does not read that of the bean. */
    private static final MethodHandle ALLOCATED = allocated();

    @TempDir
    private Path folder;

    private static MethodHandle allocated() {
        try {
            Object bean = Objects.requireNonNull(Class.forName("java.lang.management.ManagementFactory")
                    .getMethod("getThreadMXBean")
                    .invoke(null));
            return MethodHandles.publicLookup()
                    .unreflect(Class.forName("com.sun.management.ThreadMXBean")
                            .getMethod("getCurrentThreadAllocatedBytes"))
                    .bindTo(bean)
                    .asType(MethodType.methodType(long.class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long bytes() {
        try {
            return (long) ALLOCATED.invokeExact();
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aStepOfTheDecoderAllocatesNothing() throws IOException {
        for (TensorType type : List.of(TensorType.F32, TensorType.Q8_0, TensorType.Q4_K)) {
            try (GgufFile file = GgufFile.open(RandomModels.write(folder.resolve(type + ".gguf"), "qwen3", type))) {
                for (Rule rule : List.of(Rule.NATIVE, Rule.I8)) {
                    LlamaDecoder decoder = rule.decoder(file, new ScalarKernels(), 4);
                    assertThat(leastOf(decoder, 1))
                            .as("%s %s, a token", type, rule)
                            .isZero();
                    assertThat(leastOf(decoder, 4))
                            .as("%s %s, four", type, rule)
                            .isZero();
                }
            }
        }
    }

    private static long leastOf(LlamaDecoder decoder, int together) {
        int[] tokens = {3, 17, 5, 80};
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            long before = bytes();
            var _ = decoder.read(tokens, 0, together, true);
            least = Math.min(least, bytes() - before);
        }
        return least;
    }

    @Test
    void aTokenOfAnAnswerAllocatesItsTextAlone() throws IOException {
        Path file =
                Path.of(System.getProperty("portal.root", "..")).resolve("models/tiny-assistant/tiny-assistant.gguf");
        SystemClock clock = new SystemClock();
        try (LocalModel model = LocalModel.open(
                file,
                LocalOptions.defaults(1L << 30).withoutEnd(),
                clock,
                Team.alone(clock),
                new ScalarKernels(),
                CpuBackend.nativeWeights())) {
            long[] last = new long[1];
            long[] least = {Long.MAX_VALUE};
            Request request = Request.greedy("allocation", List.of(new Message(Role.USER, "hello")), TOKENS);
            var _ = model.generate(request, (sequence, text) -> {
                long now = bytes();
                if (sequence > 0) {
                    least[0] = Math.min(least[0], now - last[0]);
                }
                last[0] = bytes();
            });
            assertThat(least[0]).isPositive().isLessThanOrEqualTo(TEXT);
        }
    }
}
