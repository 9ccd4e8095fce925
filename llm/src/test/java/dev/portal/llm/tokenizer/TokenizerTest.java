package dev.portal.llm.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.RandomStream;
import dev.portal.llm.gguf.GgufException;
import dev.portal.llm.gguf.GgufWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TokenizerTest {
    private static final Map<String, Tokenizer> ALL = new LinkedHashMap<>();

    static {
        ALL.put("sentencepiece", Vocabularies.tokenizer(Vocabularies.sentencePiece()));
        for (String family : List.of("gpt-2", "llama-bpe", "qwen2", "smollm", "default")) {
            ALL.put(family, Vocabularies.tokenizer(Vocabularies.bytePair(family)));
        }
    }

    @Test
    void everyTextComesBack() {
        ALL.forEach((name, tokenizer) -> {
            for (String text : Vocabularies.corpus()) {
                // SentencePiece puts a blank after a token that stands in the text by its own name, as llama.cpp does.
                if (name.equals("sentencepiece") && text.contains("[user]")) {
                    continue;
                }
                byte[] back = tokenizer.decode(tokenizer.encode(text, false, false));
                assertThat(new String(back, StandardCharsets.UTF_8)).as(name).isEqualTo(text);
            }
        });
    }

    @Test
    void bytesThatAreNoUtf8ComeBack() {
        long seed = Long.getLong("portal.seed", 20260716L);
        for (int round = 0; round < 300; round++) {
            RandomStream random = new RandomStream(seed).derive("bytes-" + round);
            byte[] text = new byte[random.nextInt(200)];
            for (int i = 0; i < text.length; i++) {
                text[i] = (byte) (random.nextInt(3) == 0 ? 128 + random.nextInt(128) : 32 + random.nextInt(96));
            }
            ALL.forEach((name, tokenizer) -> assertThat(tokenizer.decode(tokenizer.encode(text, false, false)))
                    .as("%s, ./portal test -pl llm -Dtest=TokenizerTest -Dportal.seed=%d", name, seed)
                    .isEqualTo(text));
        }
    }

    @Test
    void aStreamGivesWholeCharactersAndTheSameText() {
        String text = "日本 🙂 é 👩‍👩‍👧 done";
        ALL.forEach((name, tokenizer) -> {
            TextStream stream = new TextStream(tokenizer);
            StringBuilder all = new StringBuilder();
            for (int token : tokenizer.encode(text, false, false)) {
                String piece = stream.next(token).toString();
                assertThat(piece).as(name).doesNotContain("\ufffd");
                all.append(piece);
            }
            all.append(stream.rest());
            assertThat(all.toString().stripLeading()).as(name).isEqualTo(text);
        });
    }

    @Test
    void anUnfinishedCharacterAtTheEndIsReplaced() {
        Tokenizer tokenizer = byName("qwen2");
        int[] tokens = tokenizer.encode(new byte[] {'a', (byte) 0xe6, (byte) 0x97}, false, false);
        TextStream stream = new TextStream(tokenizer);
        StringBuilder all = new StringBuilder();
        for (int token : tokens) {
            all.append(stream.next(token));
        }
        assertThat(all.toString()).isEqualTo("a");
        assertThat(stream.rest().toString()).isEqualTo("\ufffd");
    }

    @Test
    void controlTokensAreMeantOnlyWhereTheyMayBe() {
        Tokenizer tokenizer = byName("qwen2");
        int start = tokenizer.vocabulary().find("<|im_start|>");
        int tool = tokenizer.vocabulary().find("<tool>");
        assertThat(tokenizer.encode("<|im_start|>a", false, true)).hasSize(2).startsWith(start);
        assertThat(tokenizer.encode("<|im_start|>a", false, false)).doesNotContain(start);
        assertThat(tokenizer.encode("a<tool>", false, false)).contains(tool);
        assertThat(tokenizer.bytes(start)).isEmpty();
        assertThat(tokenizer.vocabulary().ends(tokenizer.vocabulary().find("<|im_end|>")))
                .isTrue();
    }

    @Test
    void theBeginTokenIsPutInFrontWhereTheFamilyWantsIt() {
        for (String name : List.of("sentencepiece", "llama-bpe")) {
            Tokenizer tokenizer = byName(name);
            assertThat(tokenizer.encode("a", true, false))
                    .as(name)
                    .startsWith(tokenizer.vocabulary().begin());
            assertThat(tokenizer.encode("a", false, false))
                    .as(name)
                    .doesNotContain(tokenizer.vocabulary().begin());
        }
        Tokenizer qwen = byName("qwen2");
        assertThat(qwen.encode("a", true, false))
                .doesNotContain(qwen.vocabulary().begin());
    }

    @Test
    void wordsAreCutAsTheFamiliesCutThem() {
        assertThat(cut(PreTokenizer.LLAMA_3, "I've 12345  x!!\n\ny"))
                .containsExactly("I", "'ve", " ", "123", "45", " ", " x", "!!\n\n", "y");
        assertThat(cut(PreTokenizer.QWEN_2, "I'VE 123 x")).containsExactly("I", "'VE", " ", "1", "2", "3", " x");
        assertThat(cut(PreTokenizer.GPT_2, "I've 123  x\n")).containsExactly("I", "'ve", " 123", " ", " x", "\n");
        assertThat(cut(PreTokenizer.SMOLLM, "a 12")).containsExactly("a", " ", "1", "2");
    }

    private static List<String> cut(PreTokenizer words, String text) {
        List<String> cut = new java.util.ArrayList<>();
        int from = 0;
        for (int end : words.ends(text)) {
            cut.add(text.substring(from, end));
            from = end;
        }
        return cut;
    }

    @Test
    void aBrokenVocabularyIsRefusedNamingTheKey() {
        assertRefused(new GgufWriter(), "'tokenizer.ggml.model' is missing");
        assertRefused(new GgufWriter().text("tokenizer.ggml.model", "bert"), "'bert'");
        assertRefused(new GgufWriter().text("tokenizer.ggml.model", "llama"), "'tokenizer.ggml.tokens' is missing");
        assertRefused(
                new GgufWriter().text("tokenizer.ggml.model", "llama").texts("tokenizer.ggml.tokens", List.of("a")),
                "'tokenizer.ggml.scores' is missing");
        assertRefused(
                new GgufWriter()
                        .text("tokenizer.ggml.model", "gpt2")
                        .texts("tokenizer.ggml.tokens", List.of("a"))
                        .whole("tokenizer.ggml.eos_token_id", 7),
                "'tokenizer.ggml.eos_token_id' is 7");
        assertRefused(
                new GgufWriter()
                        .text("tokenizer.ggml.model", "gpt2")
                        .text("tokenizer.ggml.pre", "martian")
                        .texts("tokenizer.ggml.tokens", List.of("a")),
                "'tokenizer.ggml.pre' is 'martian'");
        assertRefused(
                new GgufWriter()
                        .text("tokenizer.ggml.model", "gpt2")
                        .texts("tokenizer.ggml.tokens", List.of("a"))
                        .texts("tokenizer.ggml.merges", List.of("ab")),
                "'ab' as element 0");
    }

    private static void assertRefused(GgufWriter keys, String reason) {
        assertThatThrownBy(() -> Vocabularies.tokenizer(keys))
                .isInstanceOf(GgufException.class)
                .hasMessageContaining(reason);
    }

    private static Tokenizer byName(String name) {
        return java.util.Objects.requireNonNull(ALL.get(name));
    }
}
