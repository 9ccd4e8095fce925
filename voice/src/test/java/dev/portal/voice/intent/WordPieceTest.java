package dev.portal.voice.intent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.voice.stage.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WordPieceTest {
    private static final String JSON = """
            {"normalizer": {"type": "BertNormalizer", "lowercase": true},
             "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
               "max_input_chars_per_word": 12,
               "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "un": 4, "##aff": 5, "##able": 6, "unaff": 7,
                 "hello": 8, ",": 9, "it": 10, "'": 11, "s": 12, "\\u4f60": 13, "##a": 14, "a": 15, "$": 16,
                 "\\u2026": 17}}}
            """;

    private final WordPiece tokenizer = WordPiece.parse(JSON);

    private long[] encode(String text) {
        return tokenizer.encode(text, 128);
    }

    @Test
    void theLongestPiecesFromTheLeftAreTaken() {
        assertThat(encode("unaffable")).containsExactly(2, 7, 6, 3);
        assertThat(encode("unable a aa")).containsExactly(2, 4, 6, 15, 15, 14, 3);
    }

    @Test
    void aWordThatCannotBeCutOrIsTooLongIsUnknownAsAWhole() {
        assertThat(encode("unaffx hello")).containsExactly(2, 1, 8, 3);
        assertThat(encode("aaaaaaaaaaaa")).hasSize(14);
        assertThat(encode("aaaaaaaaaaaaa")).containsExactly(2, 1, 3);
    }

    @Test
    void caseAccentsAndControlCharactersDoNotMatter() {
        assertThat(encode("H\u00c9LLO")).containsExactly(2, 8, 3);
        assertThat(encode("he\u0301l\u200blo\u0007\ufffd")).containsExactly(2, 8, 3);
    }

    @Test
    void wordsEndAtBlanksPunctuationAndCjkCharacters() {
        assertThat(encode("Hello,it's\ta\u00a0$a\u2026")).containsExactly(2, 8, 9, 10, 11, 12, 15, 16, 15, 17, 3);
        assertThat(encode("\u4f60\u4f60a")).containsExactly(2, 13, 13, 15, 3);
        assertThat(encode(" \n ")).containsExactly(2, 3);
    }

    @Test
    void whatIsTooLongIsCutOff() {
        assertThat(tokenizer.encode("a a a a a a", 5)).containsExactly(2, 15, 15, 15, 3);
    }

    @Test
    void anotherKindOfTokenizerIsRefusedByName(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("tokenizer.json");
        assertThatThrownBy(() -> WordPiece.read(file))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("./portal models fetch");
        for (String text : new String[] {
            "{\"model\": {\"type\": \"BPE\"}}", "not json", JSON.replace("[SEP]", "[X]"), JSON.replace("true", "false")
        }) {
            Files.writeString(file, text);
            assertThatThrownBy(() -> WordPiece.read(file))
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("tokenizer.json");
        }
    }
}
