package dev.portal.llm.tokenizer;

import static dev.portal.llm.tokenizer.Vocabulary.NONE;

import dev.portal.llm.gguf.GgufException;
import dev.portal.llm.gguf.GgufMetadata;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.IntPredicate;

/**
 * SentencePiece: characters merge into pieces, the best score first; a blank is the character U+2581, and what is in no
 * piece becomes one token a byte.
 */
final class SentencePieceTokenizer implements Tokenizer {
    /** U+2581 in UTF-8, a character a byte. */
    private static final String BLANK =
            new String("\u2581".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);

    private final Vocabulary vocabulary;
    private final float[] scores;
    private final byte[][] bytes;
    private final int[] byteTokens = new int[256];
    private final boolean addBegin;
    private final boolean addEnd;
    private final boolean addBlank;

    SentencePieceTokenizer(GgufMetadata keys) {
        vocabulary = new Vocabulary(keys, true);
        float[] found = keys.floats("tokenizer.ggml.scores");
        if (found == null) {
            throw GgufMetadata.missing("tokenizer.ggml.scores");
        }
        if (found.length != vocabulary.size()) {
            throw new GgufException("key 'tokenizer.ggml.scores' has " + found.length + " elements for "
                    + vocabulary.size() + " tokens");
        }
        scores = found;
        addBegin = keys.flag("tokenizer.ggml.add_bos_token").orElse(true);
        addEnd = keys.flag("tokenizer.ggml.add_eos_token").orElse(false);
        addBlank = keys.flag("tokenizer.ggml.add_space_prefix").orElse(true);
        for (int i = 0; i < 256; i++) {
            int token = vocabulary.id(String.format(Locale.ROOT, "<0x%02X>", i));
            byteTokens[i] = token != NONE ? token : vocabulary.id(String.valueOf((char) i));
        }
        bytes = new byte[vocabulary.size()][];
        for (int token = 0; token < bytes.length; token++) {
            bytes[token] = said(token);
        }
    }

    private byte[] said(int token) {
        String text = vocabulary.text(token);
        return switch (vocabulary.kind(token)) {
            case Vocabulary.CONTROL, Vocabulary.UNKNOWN -> new byte[0];
            case Vocabulary.USER_DEFINED -> text.getBytes(StandardCharsets.ISO_8859_1);
            case Vocabulary.BYTE -> new byte[] {hex(text, token)};
            default -> text.replace(BLANK, " ").getBytes(StandardCharsets.ISO_8859_1);
        };
    }

    private static byte hex(String text, int token) {
        if (text.length() == 6 && text.startsWith("<0x") && text.endsWith(">")) {
            try {
                return (byte) Integer.parseInt(text, 3, 5, 16);
            } catch (NumberFormatException e) {
                throw notAByte(text, token);
            }
        }
        throw notAByte(text, token);
    }

    private static GgufException notAByte(String text, int token) {
        return new GgufException("key 'tokenizer.ggml.tokens' has '" + text + "' as token " + token
                + ", which is to be a byte like <0x41>");
    }

    @Override
    public Vocabulary vocabulary() {
        return vocabulary;
    }

    @Override
    public byte[] bytes(int token) {
        return bytes[token];
    }

    @Override
    public boolean addsLeadingBlank() {
        return addBlank;
    }

    @Override
    public int[] encode(byte[] text, boolean addSpecial, IntPredicate special) {
        IntList out = new IntList();
        boolean afterSpecial = true;
        if (addSpecial && addBegin && vocabulary.begin() != NONE) {
            out.add(vocabulary.begin());
        }
        if (text.length > 0) {
            String all = new String(text, StandardCharsets.ISO_8859_1);
            for (Vocabulary.Part part : vocabulary.parts(all, special)) {
                if (part.token() != NONE) {
                    out.add(part.token());
                    afterSpecial = true;
                } else {
                    String plain = addBlank && afterSpecial ? " " + part.text() : part.text();
                    encodePlain(plain.replace(" ", BLANK), out);
                    afterSpecial = false;
                }
            }
        }
        if (addSpecial && addEnd && vocabulary.end() != NONE) {
            out.add(vocabulary.end());
        }
        return out.toArray();
    }

    private void encodePlain(String text, IntList out) {
        IntList starts = new IntList();
        for (int at = 0; at < text.length(); at += Math.max(1, Utf8Text.sequence(text, at))) {
            starts.add(at);
        }
        SymbolMerger merger = new SymbolMerger(text, starts.toArray(), (all, from, middle, to) -> {
            int token = vocabulary.id(all.substring(from, to));
            return token == NONE ? SymbolMerger.Pairs.NEVER : scores[token];
        });
        merger.merge();
        merger.forEach(symbol -> put(symbol, out));
    }

    private void put(String symbol, IntList out) {
        int token = vocabulary.id(symbol);
        if (token != NONE) {
            out.add(token);
            return;
        }
        for (int i = 0; i < symbol.length(); i++) {
            int of = byteTokens[symbol.charAt(i)];
            int known = of != NONE ? of : vocabulary.unknown();
            if (known != NONE) {
                out.add(known);
            }
        }
    }
}
