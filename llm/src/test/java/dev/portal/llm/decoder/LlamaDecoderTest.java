package dev.portal.llm.decoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.SystemClock;
import dev.portal.llm.gguf.GgufException;
import dev.portal.llm.gguf.GgufFile;
import dev.portal.llm.gguf.GgufWriter;
import dev.portal.llm.gguf.TensorType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LlamaDecoderTest {
    private static final int[] TOKENS = new int[24];

    static {
        Arrays.setAll(TOKENS, i -> (i * 37 + 11) % RandomModels.VOCABULARY);
    }

    @TempDir
    private Path folder;

    private GgufFile open(String family, TensorType type) throws IOException {
        return GgufFile.open(RandomModels.write(folder.resolve(family + type + ".gguf"), family, type));
    }

    private static float[] oneByOne(LlamaDecoder decoder) {
        float[] logits = {};
        for (int i = 0; i < TOKENS.length; i++) {
            logits = decoder.read(TOKENS, i, 1, true);
        }
        return logits.clone();
    }

    @Test
    void aPromptReadInPiecesGivesTheSameBits() throws IOException {
        for (TensorType type : List.of(TensorType.F32, TensorType.Q8_0, TensorType.Q4_K)) {
            try (GgufFile file = open("llama", type)) {
                for (Rule rule : List.of(Rule.NATIVE, Rule.I8)) {
                    float[] expected = oneByOne(rule.decoder(file, Kernels.best(), 1));
                    for (int piece : new int[] {2, 5, 7, 24}) {
                        LlamaDecoder decoder = rule.decoder(file, Kernels.best(), piece);
                        float[] logits = {};
                        for (int from = 0; from < TOKENS.length; from += piece) {
                            logits = decoder.read(TOKENS, from, Math.min(piece, TOKENS.length - from), true);
                        }
                        assertThat(logits).as("%s %s by %d", type, rule, piece).isEqualTo(expected);
                    }
                }
            }
        }
    }

    @Test
    void twoThreadsGiveTheSameBits() throws IOException {
        try (GgufFile file = open("qwen2", TensorType.Q8_0);
                Team team = new Team(
                        2, new SystemClock(), Thread.ofPlatform().daemon().factory())) {
            float[] expected = oneByOne(Rule.NATIVE.decoder(file, Kernels.best(), 1));
            assertThat(oneByOne(Rule.NATIVE.decoder(file, Kernels.best(), 1, team)))
                    .isEqualTo(expected);
        }
    }

    @Test
    void aTruncatedCacheGoesOnAsIfTheRestHadNeverBeenRead() throws IOException {
        try (GgufFile file = open("llama", TensorType.F32)) {
            LlamaDecoder decoder = Rule.NATIVE.decoder(file, Kernels.best(), 24);
            decoder.read(TOKENS, 0, 10, false);
            float[] expected = decoder.read(TOKENS, 10, 1, true).clone();
            decoder.read(TOKENS, 11, 13, false);
            decoder.cache().truncate(10);
            assertThat(decoder.read(TOKENS, 10, 1, true)).isEqualTo(expected);
            assertThatThrownBy(() -> decoder.cache().truncate(12)).hasMessageContaining("12 positions of 11");
        }
    }

    @Test
    void aSavedCacheComesBackAlsoIntoAnother() throws IOException {
        try (GgufFile file = open("qwen3", TensorType.F32)) {
            LlamaDecoder decoder = Rule.NATIVE.decoder(file, Kernels.best(), 24);
            decoder.read(TOKENS, 0, 10, false);
            KvCache.Saved saved = decoder.cache().save();
            float[] expected = decoder.read(TOKENS, 10, 5, true).clone();
            decoder.cache().restore(saved);
            assertThat(decoder.read(TOKENS, 10, 5, true)).isEqualTo(expected);
            LlamaDecoder other = Rule.NATIVE.decoder(file, Kernels.best(), 24);
            other.cache().restore(saved);
            assertThat(other.read(TOKENS, 10, 5, true)).isEqualTo(expected);
            KvCache small = new KvCache(ModelShape.of(file), 4);
            assertThatThrownBy(() -> small.restore(saved)).hasMessageContaining("10 positions");
        }
    }

    @Test
    void aModelThatCannotBeIsRefusedNamingKeyOrTensor() throws IOException {
        assertRefused(new GgufWriter(), "'general.architecture' is missing");
        assertRefused(new GgufWriter().text("general.architecture", "mamba"), "'mamba'");
        GgufWriter keys = new GgufWriter()
                .text("general.architecture", "llama")
                .whole("llama.embedding_length", 64)
                .whole("llama.attention.head_count", 3);
        assertRefused(keys, "'llama.embedding_length' is 64, no multiple of 3 heads");
        assertRefused(
                new GgufWriter()
                        .text("general.architecture", "llama")
                        .whole("llama.embedding_length", 64)
                        .whole("llama.attention.head_count", 4)
                        .whole("llama.attention.head_count_kv", 3),
                "'llama.attention.head_count_kv' is 3");
    }

    private void assertRefused(GgufWriter keys, String reason) throws IOException {
        Path path = folder.resolve("refused.gguf");
        keys.write(path);
        try (GgufFile file = GgufFile.open(path)) {
            assertThatThrownBy(() -> ModelShape.of(file))
                    .isInstanceOf(GgufException.class)
                    .hasMessageContaining(reason);
        }
    }
}
