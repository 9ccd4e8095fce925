package dev.portal.llm.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.RandomStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class GgufFileTest {
    @TempDir
    private Path folder;

    private byte[] sample() throws IOException {
        Path file = folder.resolve("sample.gguf");
        new GgufWriter()
                .text("general.architecture", "llama")
                .whole("llama.block_count", 2)
                .real("llama.attention.layer_norm_rms_epsilon", 1e-5f)
                .flag("tokenizer.ggml.add_bos_token", true)
                .texts("tokenizer.ggml.tokens", List.of("<unk>", "é", "日本"))
                .reals("tokenizer.ggml.scores", 0, -1, -2.5f)
                .wholes("tokenizer.ggml.token_type", 2, 1, 1)
                .tensor("a.weight", TensorType.F32, out -> out.write(new byte[3 * 2 * 4]), 3, 2)
                .tensor("b.weight", TensorType.Q8_0, out -> out.write(new byte[2 * 34 * 5]), 64, 5)
                .write(file);
        return Files.readAllBytes(file);
    }

    private static GgufFile read(byte[] bytes) {
        return GgufFile.of(MemorySegment.ofArray(bytes));
    }

    @Test
    void keysAndTensorsComeBackAsTheyWereWritten() throws IOException {
        try (GgufFile file = read(sample())) {
            GgufMetadata keys = file.metadata();
            assertThat(keys.text("general.architecture")).contains("llama");
            assertThat(keys.count("llama.block_count", 1, 10)).isEqualTo(2);
            assertThat(keys.real("llama.attention.layer_norm_rms_epsilon").orElseThrow())
                    .isEqualTo((double) 1e-5f);
            assertThat(keys.flag("tokenizer.ggml.add_bos_token")).contains(true);
            assertThat(keys.texts("tokenizer.ggml.tokens"))
                    .isDeepEqualTo(new byte[][] {utf8("<unk>"), utf8("é"), utf8("日本")});
            assertThat(keys.floats("tokenizer.ggml.scores")).containsExactly(0, -1, -2.5f);
            assertThat(keys.ints("tokenizer.ggml.token_type")).containsExactly(2, 1, 1);
            assertThat(keys.text("nothing")).isEmpty();
            GgufTensor b = file.tensor("b.weight", 64, 5);
            assertThat(b.rows()).isEqualTo(5);
            assertThat(b.rowBytes()).isEqualTo(68);
            assertThat(b.data().byteSize()).isEqualTo(340);
            assertThat(b.data().isReadOnly()).isTrue();
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void weightsAreMappedAndNotCopied() throws IOException {
        Path file = folder.resolve("mapped.gguf");
        new GgufWriter()
                .tensor("w", TensorType.F32, out -> out.write(new byte[] {0, 0, (byte) 0x80, 0x3f}), 1)
                .write(file);
        try (GgufFile open = GgufFile.open(file)) {
            MemorySegment data = open.tensor("w", 1).data();
            assertThat(data.isMapped()).isTrue();
            assertThat(data.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0)).isEqualTo(1f);
        }
    }

    @Test
    void theErrorNamesTheKeyOrTheTensor() throws IOException {
        byte[] good = sample();
        try (GgufFile file = read(good)) {
            assertThatThrownBy(() -> file.metadata().whole("general.architecture"))
                    .hasMessageContaining("'general.architecture'")
                    .hasMessageContaining("'llama'");
            assertThatThrownBy(() -> file.metadata().count("llama.block_count", 3, 9))
                    .hasMessageContaining("'llama.block_count' is 2");
            assertThatThrownBy(() -> file.metadata().count("absent", 3, 9)).hasMessageContaining("'absent' is missing");
            assertThatThrownBy(() -> file.tensor("absent", 1)).hasMessageContaining("'absent' is missing");
            assertThatThrownBy(() -> file.tensor("a.weight", 3, 4))
                    .hasMessageContaining("'a.weight' has the sizes [3, 2]");
        }
        assertThatThrownBy(() -> read(new byte[0])).hasMessageContaining("not a GGUF file");
        assertThatThrownBy(() -> read(edited(good, bytes -> {
                    bytes[4] = 1;
                    return bytes;
                })))
                .hasMessageContaining("version 1");
        assertThatThrownBy(() -> read(java.util.Arrays.copyOf(good, good.length - 64)))
                .hasMessageContaining("'b.weight'")
                .hasMessageContaining("ends before that");
        int name = new String(good, StandardCharsets.ISO_8859_1).indexOf("b.weight");
        assertThatThrownBy(() -> read(edited(good, bytes -> {
                    bytes[name + 8 + 4 + 16] = 13;
                    return bytes;
                })))
                .hasMessageContaining("'b.weight' has type 13 (Q5_K)");
        assertThatThrownBy(() -> read(edited(good, bytes -> {
                    bytes[name + 8 + 4] = 63;
                    return bytes;
                })))
                .hasMessageContaining("'b.weight' has rows of 63");
        assertThatThrownBy(() -> read(edited(good, bytes -> {
                    bytes[name] = 'a';
                    return bytes;
                })))
                .hasMessageContaining("'a.weight' is there twice");
    }

    private static byte[] edited(byte[] bytes, UnaryOperator<byte[]> edit) {
        return edit.apply(bytes.clone());
    }

    /** Each round changes or cuts a few bytes; whatever results is read or refused with a reason. */
    @Test
    void brokenHeadersAreRefusedWithAReasonAndCostNoMemory() throws IOException {
        long seed = Long.getLong("portal.seed", 20260716L);
        byte[] good = sample();
        int header = 520;
        int refused = 0;
        for (int round = 0; round < 20_000; round++) {
            RandomStream random = new RandomStream(seed).derive("gguf-" + round);
            byte[] bytes = good.clone();
            int edits = 1 + random.nextInt(4);
            for (int i = 0; i < edits; i++) {
                int at = random.nextInt(Math.min(header, bytes.length));
                switch (random.nextInt(4)) {
                    case 0 -> bytes[at] = (byte) random.nextInt(256);
                    case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                    case 2 -> {
                        for (int j = at; j < Math.min(at + 8, bytes.length); j++) {
                            bytes[j] = (byte) 0xff;
                        }
                    }
                    default -> bytes = java.util.Arrays.copyOf(bytes, Math.max(1, at));
                }
            }
            try (GgufFile file = read(bytes)) {
                assertThat(file.tensors()).hasSizeLessThanOrEqualTo(2);
                for (String key : file.metadata().values().keySet()) {
                    readAs(file, key);
                }
            } catch (GgufException e) {
                assertThat(e.getMessage()).isNotBlank();
                refused++;
            } catch (RuntimeException | Error e) {
                throw new AssertionError(
                        "round " + round + ": ./portal test -pl llm -Dtest=GgufFileTest -Dportal.seed=" + seed, e);
            }
        }
        assertThat(refused).isGreaterThan(5_000);
    }

    private static void readAs(GgufFile file, String key) {
        switch (file.metadata().values().get(key)) {
            case GgufValue.Array array
            when array.elementType() == 8 -> file.metadata().texts(key);
            case GgufValue.Array array
            when array.elementType() == 6 -> file.metadata().floats(key);
            case GgufValue.Array array
            when array.elementType() == 5 -> file.metadata().ints(key);
            case null, default -> {}
        }
    }
}
