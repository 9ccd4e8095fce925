package dev.portal.llm.tokenizer;

import dev.portal.llm.gguf.GgufException;
import dev.portal.llm.gguf.GgufMetadata;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntPredicate;

/** The tokens of a file: texts, kinds, and the ids with a meaning of their own. Immutable. */
public final class Vocabulary {
    /** No such token. */
    public static final int NONE = -1;

    static final int NORMAL = 1;
    static final int UNKNOWN = 2;
    static final int CONTROL = 3;
    static final int USER_DEFINED = 4;
    static final int UNUSED = 5;
    static final int BYTE = 6;

    /** Control tokens that end an answer in the families that are read here, whatever the keys say. */
    private static final Set<String> ENDS =
            Set.of("<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>", "<|eom_id|>");

    private final String[] texts;
    private final int[] kinds;
    private final Map<String, Integer> ids;
    private final List<Integer> special;
    private final boolean[] ends;
    private final int begin;
    private final int end;
    private final int unknown;

    Vocabulary(GgufMetadata keys, boolean defaultBeginEnd) {
        byte[][] tokens = keys.texts("tokenizer.ggml.tokens");
        if (tokens == null || tokens.length == 0) {
            throw GgufMetadata.missing("tokenizer.ggml.tokens");
        }
        texts = new String[tokens.length];
        ids = HashMap.newHashMap(tokens.length);
        for (int i = 0; i < tokens.length; i++) {
            texts[i] = new String(tokens[i], StandardCharsets.ISO_8859_1);
            ids.putIfAbsent(texts[i], i);
        }
        kinds = kinds(keys, texts.length);
        special = new ArrayList<>();
        ends = new boolean[texts.length];
        for (int i = 0; i < texts.length; i++) {
            boolean marked = kinds[i] == CONTROL || kinds[i] == USER_DEFINED || kinds[i] == UNKNOWN;
            if (marked && !texts[i].isEmpty()) {
                special.add(i);
                ends[i] = kinds[i] != UNKNOWN && ENDS.contains(texts[i]);
            }
        }
        special.sort(Comparator.comparingInt((Integer id) -> texts[id].length()).reversed());
        begin = id(keys, "tokenizer.ggml.bos_token_id", defaultBeginEnd ? 1 : NONE);
        end = id(keys, "tokenizer.ggml.eos_token_id", defaultBeginEnd ? 2 : NONE);
        unknown = id(keys, "tokenizer.ggml.unknown_token_id", defaultBeginEnd ? 0 : NONE);
        int turnEnd = id(keys, "tokenizer.ggml.eot_token_id", NONE);
        if (end != NONE) {
            ends[end] = true;
        }
        if (turnEnd != NONE) {
            ends[turnEnd] = true;
        }
    }

    private static int[] kinds(GgufMetadata keys, int count) {
        int[] kinds = keys.ints("tokenizer.ggml.token_type");
        if (kinds == null) {
            kinds = new int[count];
            java.util.Arrays.fill(kinds, NORMAL);
        }
        if (kinds.length != count) {
            throw new GgufException(
                    "key 'tokenizer.ggml.token_type' has " + kinds.length + " elements for " + count + " tokens");
        }
        return kinds;
    }

    private int id(GgufMetadata keys, String key, int otherwise) {
        OptionalLong id = keys.whole(key);
        if (id.isEmpty()) {
            return otherwise < texts.length ? otherwise : NONE;
        }
        long value = id.getAsLong();
        if (value == 0xffff_ffffL || value == -1) {
            return NONE;
        }
        if (value < 0 || value >= texts.length) {
            throw new GgufException(
                    "key '" + key + "' is " + value + "; the vocabulary has " + texts.length + " tokens");
        }
        return (int) value;
    }

    /** Tokens. */
    public int size() {
        return texts.length;
    }

    /** The token that begins a text; {@link #NONE} where there is none. */
    public int begin() {
        return begin;
    }

    /** The token that ends a text; {@link #NONE} where there is none. */
    public int end() {
        return end;
    }

    /** Whether the model says with this token that it is done. */
    public boolean ends(int token) {
        return ends[token];
    }

    /** The tokens by which the model says that it is done. */
    public int[] ends() {
        return java.util.stream.IntStream.range(0, texts.length)
                .filter(id -> ends[id])
                .toArray();
    }

    /** Whether a token controls and says nothing. */
    public boolean control(int token) {
        return kinds[token] == CONTROL || kinds[token] == UNKNOWN;
    }

    /** The token with this text, in UTF-8 as in the file; {@link #NONE} when there is none. */
    public int find(String text) {
        return ids.getOrDefault(new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1), NONE);
    }

    int unknown() {
        return unknown;
    }

    /** As in the file, a character a byte. */
    String text(int token) {
        return texts[token];
    }

    int kind(int token) {
        return kinds[token];
    }

    /** By text as in the file, a character a byte; {@link #NONE} when there is none. */
    int id(String text) {
        return ids.getOrDefault(text, NONE);
    }

    /** What a text is cut into: a stretch of plain text, or a token that stood there by its own text. */
    record Part(String text, int start, int token) {}

    /**
     * Cuts the texts of special tokens out of a text, the longest first: user-defined tokens anywhere, control tokens only
     * where {@code control} allows one to begin.
     */
    List<Part> parts(String text, IntPredicate control) {
        List<Part> parts = new ArrayList<>();
        parts.add(new Part(text, 0, NONE));
        for (int id : special) {
            if (text.contains(texts[id])) {
                parts = cut(parts, id, kinds[id] == USER_DEFINED ? at -> true : control);
            }
        }
        return parts;
    }

    private List<Part> cut(List<Part> parts, int id, IntPredicate allowed) {
        String marker = texts[id];
        List<Part> cut = new ArrayList<>();
        for (Part part : parts) {
            if (part.token != NONE) {
                cut.add(part);
                continue;
            }
            int from = 0;
            int at = part.text.indexOf(marker);
            while (at >= 0) {
                if (allowed.test(part.start + at)) {
                    if (at > from) {
                        cut.add(new Part(part.text.substring(from, at), part.start + from, NONE));
                    }
                    cut.add(new Part(marker, part.start + at, id));
                    from = at + marker.length();
                    at = part.text.indexOf(marker, from);
                } else {
                    at = part.text.indexOf(marker, at + 1);
                }
            }
            if (from < part.text.length()) {
                cut.add(new Part(part.text.substring(from), part.start + from, NONE));
            }
        }
        return cut;
    }
}
