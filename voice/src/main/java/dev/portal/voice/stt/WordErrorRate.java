package dev.portal.voice.stt;

import java.util.Locale;

/**
 * How far recognised texts are from what was said: the fewest words to insert, delete or replace, over the words said.
 *
 * @param errors words inserted, deleted or replaced
 * @param words words that were said
 */
public record WordErrorRate(int errors, int words) {
    /** No text yet. */
    public static final WordErrorRate NONE = new WordErrorRate(0, 0);

    /** Compares one text; case and punctuation do not count. */
    public static WordErrorRate of(String said, String understood) {
        String[] expected = words(said);
        String[] actual = words(understood);
        int[] distance = new int[actual.length + 1];
        for (int j = 0; j <= actual.length; j++) {
            distance[j] = j;
        }
        for (int i = 1; i <= expected.length; i++) {
            int diagonal = distance[0];
            distance[0] = i;
            for (int j = 1; j <= actual.length; j++) {
                int replaced = diagonal + (expected[i - 1].equals(actual[j - 1]) ? 0 : 1);
                diagonal = distance[j];
                distance[j] = Math.min(replaced, Math.min(distance[j], distance[j - 1]) + 1);
            }
        }
        return new WordErrorRate(distance[actual.length], expected.length);
    }

    private static String[] words(String text) {
        String plain =
                text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9']+", " ").strip();
        return plain.isEmpty() ? new String[0] : plain.split(" ");
    }

    /** Both together. */
    public WordErrorRate plus(WordErrorRate other) {
        return new WordErrorRate(errors + other.errors, words + other.words);
    }

    /** 0 is perfect; above 1 when more was understood than said; NaN when nothing was said. */
    public double rate() {
        return errors / (double) words;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%.1f %% (%d of %d words)", 100 * rate(), errors, words);
    }
}
