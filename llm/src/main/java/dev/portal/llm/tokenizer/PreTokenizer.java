package dev.portal.llm.tokenizer;

import dev.portal.llm.gguf.GgufException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a family cuts text into words before it merges within them. The expressions are those of the families' own
 * tokenizers, with all of Unicode's white space as {@code \s}.
 */
enum PreTokenizer {
    GPT_2(false, false, Words.GPT_2),
    DEFAULT(false, false, "[\\p{P}\\$\\+<=>\\^~\\|]+", Words.GPT_2, "\\p{N}+", "[0-9][0-9][0-9]"),
    SMOLLM(false, false, "\\p{N}", Words.GPT_2),
    LLAMA_3(true, true, Words.LLAMA_3.formatted("\\p{N}{1,3}")),
    QWEN_2(false, false, Words.LLAMA_3.formatted("\\p{N}"));

    private static final class Words {
        static final String BLANK = "\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
        static final String GPT_2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^" + BLANK + "\\p{L}\\p{N}]+|["
                + BLANK + "]+(?![^" + BLANK + "])";
        static final String LLAMA_3 = "'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]"
                + "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|%s| ?[^" + BLANK + "\\p{L}\\p{N}]+[\\r\\n]*|[" + BLANK
                + "]*[\\r\\n]+|[" + BLANK + "]+(?![^" + BLANK + "])|[" + BLANK + "]+";
    }

    private final boolean wholeWords;
    private final boolean addBegin;
    private final List<Pattern> patterns;

    PreTokenizer(boolean wholeWords, boolean addBegin, String... expressions) {
        this.wholeWords = wholeWords;
        this.addBegin = addBegin;
        this.patterns =
                java.util.Arrays.stream(expressions).map(Pattern::compile).toList();
    }

    /** By the name in {@code tokenizer.ggml.pre}. */
    static PreTokenizer of(String name) {
        return switch (name) {
            case "gpt-2", "phi-2", "jina-es", "jina-de", "gigachat", "roberta-bpe" -> GPT_2;
            case "default", "" -> DEFAULT;
            case "smollm", "starcoder", "refact", "command-r", "codeshell" -> SMOLLM;
            case "llama3", "llama-v3", "llama-bpe", "falcon3" -> LLAMA_3;
            case "qwen2", "deepseek-r1-qwen" -> QWEN_2;
            default ->
                throw new GgufException("key 'tokenizer.ggml.pre' is '" + name
                        + "'; known here are gpt-2, llama-bpe, qwen2, smollm and default");
        };
    }

    /** Whether a word that is a token is taken as it is, without merging. */
    boolean wholeWords() {
        return wholeWords;
    }

    /** Whether the family begins a text with its begin token. */
    boolean addBegin() {
        return addBegin;
    }

    /** Where the words of a text end, as indices into it, in order; what no expression matches are words, too. */
    List<Integer> ends(CharSequence text) {
        List<Integer> ends = new ArrayList<>();
        if (!text.isEmpty()) {
            ends.add(text.length());
        }
        for (Pattern pattern : patterns) {
            ends = refined(text, ends, pattern);
        }
        return ends;
    }

    private static List<Integer> refined(CharSequence text, List<Integer> ends, Pattern pattern) {
        List<Integer> refined = new ArrayList<>();
        Matcher matcher = pattern.matcher(text);
        int from = 0;
        for (int end : ends) {
            // Look-ahead stops at the end of the part, as if it were the end of the text.
            matcher.region(from, end);
            int at = from;
            while (matcher.find()) {
                if (matcher.start() > at) {
                    refined.add(matcher.start());
                }
                if (matcher.end() > matcher.start()) {
                    refined.add(matcher.end());
                }
                at = matcher.end();
            }
            if (at < end) {
                refined.add(end);
            }
            from = end;
        }
        return refined;
    }
}
