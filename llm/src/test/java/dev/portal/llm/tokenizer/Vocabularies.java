package dev.portal.llm.tokenizer;

import dev.portal.llm.gguf.GgufFile;
import dev.portal.llm.gguf.GgufWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Small vocabularies, trained on a few lines of text, as a GGUF file would hold them. */
public final class Vocabularies {
    /** What the vocabularies are trained on. */
    private static final List<String> LINES = List.of(
            "the cat and the other cat sat on the mat, isn't it?",
            "In 2024, 365 days: 12345 people said \"hello, world\"!",
            "Grüße aus Köln, café à la crème, naïve façade",
            "日本語のテキスト、日本の天気は晴れです。",
            "if (x >= 10) {\n    return x * 2;\n}\n",
            "don't they're we've I'm you'll he'd",
            "🙂🙂 emoji 👩‍👩‍👧 and 🇩🇪 flags",
            "   three blanks,\ttabs\n\nand empty lines   ");

    private static final int MERGES = 150;

    private Vocabularies() {}

    /** Keys of a SentencePiece vocabulary with byte fallback. */
    public static GgufWriter sentencePiece() {
        Map<String, Integer> pieces = new LinkedHashMap<>();
        List<List<String>> words = new ArrayList<>();
        for (String line : LINES) {
            for (String word : ("▁" + line.replace(" ", "▁")).split("(?=▁)")) {
                List<String> letters = new ArrayList<>();
                word.codePoints().mapToObj(Character::toString).forEach(letters::add);
                words.add(letters);
            }
        }
        for (String[] pair : merges(words)) {
            pieces.putIfAbsent(pair[0] + pair[1], pieces.size());
        }
        // Of the letters only some are pieces, so that the others fall back to bytes.
        "▁abcdefghijklmnopqrstuvwxyz,.日本語é"
                .codePoints()
                .forEach(letter -> pieces.putIfAbsent(Character.toString(letter), pieces.size()));
        List<String> tokens = new ArrayList<>(List.of("<unk>", "<s>", "</s>"));
        for (int i = 0; i < 256; i++) {
            tokens.add(String.format(Locale.ROOT, "<0x%02X>", i));
        }
        tokens.addAll(pieces.keySet());
        tokens.add("<|turn|>");
        tokens.add("[user]");
        int[] kinds = new int[tokens.size()];
        float[] scores = new float[tokens.size()];
        for (int i = 0; i < kinds.length; i++) {
            kinds[i] = i == 0 ? 2 : i < 3 ? 3 : i < 259 ? 6 : 1;
            scores[i] = i < 259 ? 0 : 259 - i;
        }
        kinds[kinds.length - 2] = 3;
        kinds[kinds.length - 1] = 4;
        return new GgufWriter()
                .text("tokenizer.ggml.model", "llama")
                .texts("tokenizer.ggml.tokens", tokens)
                .reals("tokenizer.ggml.scores", scores)
                .wholes("tokenizer.ggml.token_type", kinds)
                .whole("tokenizer.ggml.bos_token_id", 1)
                .whole("tokenizer.ggml.eos_token_id", 2)
                .whole("tokenizer.ggml.unknown_token_id", 0);
    }

    /** Keys of a byte-level BPE vocabulary of a family: {@code gpt-2}, {@code llama-bpe}, {@code qwen2}, {@code smollm}. */
    public static GgufWriter bytePair(String family) {
        List<List<String>> words = new ArrayList<>();
        PreTokenizer cut = PreTokenizer.of(family);
        for (String line : LINES) {
            String bytes = new String(line.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
            Utf8Text text = new Utf8Text(bytes);
            int from = 0;
            for (int end : cut.ends(text.text())) {
                List<String> letters = new ArrayList<>();
                for (int i = from; i < text.byteAt(end); i++) {
                    letters.add(String.valueOf(ByteAlphabet.letter(bytes.charAt(i))));
                }
                words.add(letters);
                from = text.byteAt(end);
            }
        }
        Map<String, Integer> tokens = new LinkedHashMap<>();
        for (int i = 0; i < 256; i++) {
            tokens.put(String.valueOf(ByteAlphabet.letter(i)), i);
        }
        List<String> merges = new ArrayList<>();
        for (String[] pair : merges(words)) {
            merges.add(pair[0] + " " + pair[1]);
            tokens.putIfAbsent(pair[0] + pair[1], tokens.size());
        }
        List<String> texts = new ArrayList<>(tokens.keySet());
        texts.addAll(List.of("<|begin|>", "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool>"));
        int[] kinds = new int[texts.size()];
        for (int i = 0; i < kinds.length; i++) {
            kinds[i] = i < tokens.size() ? 1 : i == kinds.length - 1 ? 4 : 3;
        }
        return new GgufWriter()
                .text("tokenizer.ggml.model", "gpt2")
                .text("tokenizer.ggml.pre", family)
                .texts("tokenizer.ggml.tokens", texts)
                .wholes("tokenizer.ggml.token_type", kinds)
                .texts("tokenizer.ggml.merges", merges)
                .whole("tokenizer.ggml.bos_token_id", tokens.size())
                .whole("tokenizer.ggml.eos_token_id", tokens.size() + 1);
    }

    /** The most frequent pair becomes one symbol, again and again. */
    private static List<String[]> merges(List<List<String>> words) {
        List<String[]> found = new ArrayList<>();
        for (int i = 0; i < MERGES; i++) {
            Map<String, Integer> counts = new LinkedHashMap<>();
            for (List<String> word : words) {
                for (int j = 1; j < word.size(); j++) {
                    counts.merge(word.get(j - 1) + "\0" + word.get(j), 1, Integer::sum);
                }
            }
            String[] best = counts.entrySet().stream()
                    .max(Map.Entry.<String, Integer>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
                    .orElseThrow()
                    .getKey()
                    .split("\0");
            found.add(best);
            words.forEach(word -> {
                for (int j = 1; j < word.size(); j++) {
                    if (word.get(j - 1).equals(best[0]) && word.get(j).equals(best[1])) {
                        word.set(j - 1, best[0] + best[1]);
                        word.remove(j);
                    }
                }
            });
        }
        return found;
    }

    /** The tokenizer of a vocabulary. */
    public static Tokenizer tokenizer(GgufWriter keys) {
        try {
            Path file = Files.createTempFile("vocabulary", ".gguf");
            try {
                keys.write(file);
                try (GgufFile open = GgufFile.open(file)) {
                    return Tokenizer.of(open.metadata());
                }
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Texts that tokenizers stumble over. */
    public static List<String> corpus() {
        return List.of(
                "the cat sat on the mat",
                " leading and trailing ",
                "",
                " ",
                "   ",
                "\n",
                "\n\n\n  x",
                "a\tb\r\nc \n d",
                "isn't DON'T we'Ve I'M 'tis 's",
                "123 4567 89012 3.14159 1,000,000 ½ ² Ⅷ ٣٤٥",
                "if (x >= 10) { return x * 2; } // $^~|<>=+",
                "日本語のテキスト、日本の天気は晴れです。",
                "中文和English混排,标点!",
                "Grüße, cafe\u0301 e\u0301e\u0301 a\u030a\u0323 Å",
                "🙂 👩‍👩‍👧‍👦 🇩🇪 1️⃣ 🏳️‍🌈",
                "हिन्दी ไทย العربية עברית한국어",
                "\u00a0nbsp\u2003em\u3000ideographic\u200bzero\u0085next",
                "\u0000\u0001\u007f\ufeff\ufffd",
                "<|im_start|>user [user] <tool></s><s>",
                "x".repeat(3000),
                " ".repeat(2000) + "x",
                "ab".repeat(1500) + "日".repeat(500),
                "1".repeat(1001));
    }
}
