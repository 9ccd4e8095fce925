package dev.portal.llm.tokenizer;

import dev.portal.llm.gguf.GgufException;
import dev.portal.llm.gguf.GgufMetadata;
import java.nio.charset.StandardCharsets;
import java.util.function.IntPredicate;

/** Turns text into token ids and back. Immutable; safe for use by any thread. */
public sealed interface Tokenizer permits SentencePieceTokenizer, BytePairTokenizer {
    /**
     * The tokenizer of a file.
     *
     * @throws GgufException when the vocabulary is missing, broken, or of a kind that is not read here; names the key
     */
    static Tokenizer of(GgufMetadata keys) {
        String kind = keys.text("tokenizer.ggml.model").orElseThrow(() -> GgufMetadata.missing("tokenizer.ggml.model"));
        return switch (kind) {
            case "llama" -> new SentencePieceTokenizer(keys);
            case "gpt2" -> new BytePairTokenizer(keys);
            default ->
                throw new GgufException("key 'tokenizer.ggml.model' is '" + kind
                        + "'; 'llama' (SentencePiece) and 'gpt2' (byte-level BPE) are read here");
        };
    }

    Vocabulary vocabulary();

    /**
     * The ids of a text.
     *
     * @param text bytes, usually UTF-8; others survive, too
     * @param addSpecial whether the model's begin (and end) tokens are put around it, if it wants them
     * @param special at which bytes the text of a control token means that token; never within what a user typed
     */
    int[] encode(byte[] text, boolean addSpecial, IntPredicate special);

    /** The same with control tokens everywhere or nowhere. */
    default int[] encode(byte[] text, boolean addSpecial, boolean parseSpecial) {
        return encode(text, addSpecial, (int at) -> parseSpecial);
    }

    /** The ids of a text in UTF-8. */
    default int[] encode(String text, boolean addSpecial, boolean parseSpecial) {
        return encode(text.getBytes(StandardCharsets.UTF_8), addSpecial, parseSpecial);
    }

    /** The bytes that a token stands for, empty for control tokens. The array is shared: only to be read. */
    byte[] bytes(int token);

    /** Whether text begins with a blank that its first token adds, and that is no part of it. */
    boolean addsLeadingBlank();

    /** The bytes of all tokens; a blank that encoding put in front is taken off again. */
    default byte[] decode(int[] tokens) {
        java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
        for (int token : tokens) {
            out.writeBytes(bytes(token));
        }
        byte[] all = out.toByteArray();
        boolean strip = addsLeadingBlank() && all.length > 0 && all[0] == ' ';
        return strip ? java.util.Arrays.copyOfRange(all, 1, all.length) : all;
    }
}
