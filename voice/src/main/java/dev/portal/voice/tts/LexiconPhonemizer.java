package dev.portal.voice.tts;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Looks words up in a pronouncing dictionary in CMU's format (the one of pocketsphinx-en-us has no stress) and spells
 * the others letter by letter. Plainer than espeak-ng, and needs no program.
 */
public final class LexiconPhonemizer implements Phonemizer {
    private static final Pattern PART = Pattern.compile("[a-z']+|[0-9]|[.,;:!?]");
    private static final String[] DIGITS = {
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"
    };

    private static final Map<String, String> IPA = ipa();

    private final Map<String, String> lexicon;

    private LexiconPhonemizer(Map<String, String> lexicon) {
        this.lexicon = lexicon;
    }

    /** Reads a dictionary: a word, blanks, phones; other pronunciations as {@code word(2)} are skipped. */
    public static LexiconPhonemizer of(Path dictionary) {
        Map<String, String> lexicon = new HashMap<>();
        try (BufferedReader lines = Files.newBufferedReader(dictionary, StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int blank = line.indexOf(' ');
                if (blank > 0 && line.charAt(blank - 1) != ')') {
                    lexicon.put(line.substring(0, blank).toLowerCase(Locale.ROOT), line.substring(blank + 1));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot read the dictionary " + dictionary + "; run './portal models fetch'", e);
        }
        return new LexiconPhonemizer(lexicon);
    }

    @Override
    public List<String> phonemes(String sentence) {
        List<String> symbols = new ArrayList<>();
        Matcher part = PART.matcher(sentence.toLowerCase(Locale.ROOT));
        while (part.find()) {
            String word = part.group();
            if (word.matches("[.,;:!?]")) {
                symbols.add(word);
                continue;
            }
            if (!symbols.isEmpty()) {
                symbols.add(" ");
            }
            if (word.matches("[0-9]")) {
                word = DIGITS[word.charAt(0) - '0'];
            }
            symbols.addAll(Phonemizer.symbols(pronounce(word)));
        }
        return symbols;
    }

    private String pronounce(String word) {
        String phones = lexicon.get(word);
        if (phones != null) {
            return toIpa(phones);
        }
        StringBuilder spelled = new StringBuilder();
        for (int i = 0; i < word.length(); i++) {
            String letter = lexicon.get(word.substring(i, i + 1));
            spelled.append(letter == null ? "" : toIpa(letter));
        }
        return spelled.toString();
    }

    private static String toIpa(String phones) {
        StringBuilder ipa = new StringBuilder();
        for (String phone : phones.strip().split("\\s+")) {
            String plain = phone.replaceAll("[0-9]", "");
            ipa.append(phone.endsWith("1") ? "\u02c8" : phone.endsWith("2") ? "\u02cc" : "");
            ipa.append(IPA.getOrDefault(plain, ""));
        }
        return ipa.toString();
    }

    private static Map<String, String> ipa() {
        String table =
                "AA \u0251\u02d0 AE \u00e6 AH \u028c AO \u0254\u02d0 AW a\u028a AY a\u026a B b CH t\u0283 D d DH \u00f0"
                        + " EH \u025b ER \u025a EY e\u026a F f G \u0261 HH h IH \u026a IY i\u02d0 JH d\u0292 K k L l M m N n"
                        + " NG \u014b OW o\u028a OY \u0254\u026a P p R \u0279 S s SH \u0283 T t TH \u03b8 UH \u028a UW u\u02d0 V v"
                        + " W w Y j Z z ZH \u0292";
        String[] parts = table.split(" ");
        Map<String, String> ipa = new HashMap<>();
        for (int i = 0; i < parts.length; i += 2) {
            ipa.put(parts[i], parts[i + 1]);
        }
        return Map.copyOf(ipa);
    }
}
