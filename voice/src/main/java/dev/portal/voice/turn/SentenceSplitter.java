package dev.portal.voice.turn;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Cuts a stream of text into sentences, each handed out as soon as it is certain that it is complete: at a full stop,
 * question or exclamation mark (with closing quotes and brackets) followed by a blank, and at a line end. Full stops in
 * numbers ("3.5"), in abbreviations ("Dr.", "e.g.") and after single letters ("J. S.") end nothing.
 */
final class SentenceSplitter {
    private static final Set<String> ABBREVIATIONS = Set.of(
            "mr", "mrs", "ms", "dr", "prof", "st", "vs", "etc", "e.g", "i.e", "approx", "no", "jr", "sr", "a.m", "p.m");
    private static final String ENDS = ".!?…。！？";
    private static final String CLOSERS = "\"')]}”’»";

    private final StringBuilder text = new StringBuilder();

    /** Takes more text and returns the sentences that it completes, in order. */
    List<String> accept(String more) {
        text.append(more);
        List<String> sentences = new ArrayList<>(1);
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            if (endsSentence(start, i)) {
                add(sentences, text.substring(start, i + 1));
                start = i + 1;
            }
        }
        text.delete(0, start);
        return sentences;
    }

    /** What is left, complete or not, at the end of the stream. */
    List<String> finish() {
        List<String> rest = new ArrayList<>(1);
        add(rest, text.toString());
        text.setLength(0);
        return rest;
    }

    private static void add(List<String> sentences, String sentence) {
        String trimmed = sentence.strip();
        if (trimmed.chars().anyMatch(Character::isLetterOrDigit)) {
            sentences.add(trimmed);
        }
    }

    /** Whether the character at {@code i} is the last of a sentence that began at {@code start}. */
    private boolean endsSentence(int start, int i) {
        if (text.charAt(i) == '\n') {
            return true;
        }
        if (!Character.isWhitespace(text.charAt(i))) {
            return false;
        }
        int last = i - 1;
        while (last > start && CLOSERS.indexOf(text.charAt(last)) >= 0) {
            last--;
        }
        if (last < start || ENDS.indexOf(text.charAt(last)) < 0) {
            return false;
        }
        return text.charAt(last) != '.' || !abbreviates(start, last);
    }

    private boolean abbreviates(int start, int stop) {
        int from = stop;
        while (from > start && !Character.isWhitespace(text.charAt(from - 1))) {
            from--;
        }
        String word = text.substring(from, stop);
        boolean initial = word.length() == 1 && Character.isUpperCase(word.charAt(0)) && !word.equals("I");
        return initial || ABBREVIATIONS.contains(word.toLowerCase(java.util.Locale.ROOT));
    }
}
