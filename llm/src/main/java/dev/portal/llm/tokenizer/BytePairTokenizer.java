package dev.portal.llm.tokenizer;

import static dev.portal.llm.tokenizer.Vocabulary.NONE;

import dev.portal.llm.gguf.GgufException;
import dev.portal.llm.gguf.GgufMetadata;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;

/** Byte-level BPE: the text is cut into words, and within a word bytes merge by the order of the merges in the file. */
final class BytePairTokenizer implements Tokenizer {
    private final Vocabulary vocabulary;
    private final PreTokenizer words;
    private final Map<String, Integer> tokens;
    private final Map<String, Integer> ranks;
    private final byte[][] bytes;
    private final boolean addBegin;
    private final boolean addEnd;

    BytePairTokenizer(GgufMetadata keys) {
        vocabulary = new Vocabulary(keys, false);
        words = PreTokenizer.of(keys.text("tokenizer.ggml.pre").orElse("default"));
        addBegin = keys.flag("tokenizer.ggml.add_bos_token").orElse(words.addBegin());
        addEnd = keys.flag("tokenizer.ggml.add_eos_token").orElse(false);
        byte[][] merges = keys.texts("tokenizer.ggml.merges");
        if (merges == null) {
            throw GgufMetadata.missing("tokenizer.ggml.merges");
        }
        ranks = HashMap.newHashMap(merges.length);
        for (int i = 0; i < merges.length; i++) {
            String merge = new String(merges[i], StandardCharsets.UTF_8);
            if (merge.indexOf(' ', 1) < 0) {
                throw new GgufException(
                        "key 'tokenizer.ggml.merges' has '" + merge + "' as element " + i + ", which is no pair");
            }
            ranks.putIfAbsent(merge, i);
        }
        tokens = HashMap.newHashMap(vocabulary.size());
        bytes = new byte[vocabulary.size()][];
        for (int token = 0; token < bytes.length; token++) {
            String text =
                    new String(vocabulary.text(token).getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
            tokens.putIfAbsent(text, token);
            bytes[token] = said(token, text);
        }
    }

    private byte[] said(int token, String text) {
        return switch (vocabulary.kind(token)) {
            case Vocabulary.CONTROL, Vocabulary.UNKNOWN -> new byte[0];
            case Vocabulary.USER_DEFINED -> vocabulary.text(token).getBytes(StandardCharsets.ISO_8859_1);
            default -> {
                byte[] said = new byte[text.length()];
                for (int i = 0; i < said.length; i++) {
                    int octet = ByteAlphabet.octet(text.charAt(i));
                    if (octet < 0) {
                        // Not written in the alphabet: it means what it says.
                        yield vocabulary.text(token).getBytes(StandardCharsets.ISO_8859_1);
                    }
                    said[i] = (byte) octet;
                }
                yield said;
            }
        };
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
        return false;
    }

    @Override
    public int[] encode(byte[] text, boolean addSpecial, IntPredicate special) {
        IntList out = new IntList();
        if (addSpecial && addBegin && vocabulary.begin() != NONE) {
            out.add(vocabulary.begin());
        }
        if (text.length > 0) {
            String all = new String(text, StandardCharsets.ISO_8859_1);
            for (Vocabulary.Part part : vocabulary.parts(all, special)) {
                if (part.token() != NONE) {
                    out.add(part.token());
                } else {
                    encodePlain(part.text(), out);
                }
            }
        }
        if (addSpecial && addEnd && vocabulary.end() != NONE) {
            out.add(vocabulary.end());
        }
        return out.toArray();
    }

    private void encodePlain(String text, IntList out) {
        Utf8Text readable = new Utf8Text(text);
        char[] letters = new char[text.length()];
        for (int i = 0; i < letters.length; i++) {
            letters[i] = ByteAlphabet.letter(text.charAt(i));
        }
        int from = 0;
        for (int end : words.ends(readable.text())) {
            int to = readable.byteAt(end);
            if (to > from) {
                encodeWord(new String(letters, from, to - from), out);
            }
            from = to;
        }
    }

    private void encodeWord(String word, IntList out) {
        if (words.wholeWords()) {
            Integer whole = tokens.get(word);
            if (whole != null) {
                out.add(whole);
                return;
            }
        }
        int[] starts = new int[word.length()];
        java.util.Arrays.setAll(starts, i -> i);
        SymbolMerger merger = new SymbolMerger(word, starts, (all, from, middle, to) -> {
            Integer rank = ranks.get(all.substring(from, middle) + ' ' + all.substring(middle, to));
            return rank == null ? SymbolMerger.Pairs.NEVER : -rank;
        });
        merger.merge();
        merger.forEach(symbol -> put(symbol, out));
    }

    private void put(String symbol, IntList out) {
        Integer token = tokens.get(symbol);
        if (token != null) {
            out.add(token);
            return;
        }
        for (int i = 0; i < symbol.length(); i++) {
            Integer single = tokens.get(symbol.substring(i, i + 1));
            if (single != null) {
                out.add(single);
            }
        }
    }
}
