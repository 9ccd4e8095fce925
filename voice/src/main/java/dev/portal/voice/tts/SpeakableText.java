package dev.portal.voice.tts;

import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes any text into sentences of plain ASCII that an engine for English can say. */
final class SpeakableText {
    /** Longer sentences are cut at a comma or a blank: it bounds how long an engine works before it can yield. */
    static final int LONGEST_SENTENCE_CHARS = 160;

    private static final Pattern MARKS = Pattern.compile("\\p{M}+");
    private static final Pattern UNSPEAKABLE = Pattern.compile("[^\\x20-\\x7e]+");
    private static final Pattern BLANKS = Pattern.compile("\\s+");
    private static final Pattern SOUND = Pattern.compile("[A-Za-z0-9]");
    private static final Pattern SENTENCE_END = Pattern.compile("[.!?;:]+[\"')\\]]*(?=\\s|$)");

    private SpeakableText() {}

    /** The sentences of {@code text}; none when there is nothing to say. */
    static List<String> sentences(String text) {
        String plain = plain(text);
        List<String> sentences = new ArrayList<>();
        Matcher end = SENTENCE_END.matcher(plain);
        int start = 0;
        while (end.find()) {
            addBounded(sentences, plain.substring(start, end.end()));
            start = end.end();
        }
        addBounded(sentences, plain.substring(start));
        return sentences;
    }

    private static String plain(String text) {
        String symbols = text.replace('\u2018', '\'')
                .replace('\u2019', '\'')
                .replaceAll("[\u201c\u201d\u00ab\u00bb]", "\"")
                .replaceAll("[\u2013\u2014]", ", ")
                .replace("\u2026", "... ")
                .replace("\u00b0C", " degrees Celsius")
                .replace("\u00b0F", " degrees Fahrenheit")
                .replace("\u00b0", " degrees")
                .replace("\u20ac", " euros ")
                .replace("\u00a3", " pounds ")
                .replace("\u00df", "ss")
                .replace("\u00e6", "ae")
                .replace("\u00f8", "o");
        String letters = MARKS.matcher(Normalizer.normalize(symbols, Normalizer.Form.NFKD))
                .replaceAll("");
        return BLANKS.matcher(UNSPEAKABLE.matcher(letters).replaceAll(" "))
                .replaceAll(" ")
                .strip();
    }

    private static void addBounded(List<String> sentences, String sentence) {
        String rest = sentence.strip();
        while (rest.length() > LONGEST_SENTENCE_CHARS) {
            int cut = rest.lastIndexOf(", ", LONGEST_SENTENCE_CHARS - 1) + 1;
            if (cut < LONGEST_SENTENCE_CHARS / 4) {
                cut = rest.lastIndexOf(' ', LONGEST_SENTENCE_CHARS);
            }
            if (cut <= 0) {
                cut = LONGEST_SENTENCE_CHARS;
            }
            addSpeakable(sentences, rest.substring(0, cut));
            rest = rest.substring(cut).strip();
        }
        addSpeakable(sentences, rest);
    }

    private static void addSpeakable(List<String> sentences, String sentence) {
        if (SOUND.matcher(sentence).find()) {
            sentences.add(sentence);
        }
    }
}
