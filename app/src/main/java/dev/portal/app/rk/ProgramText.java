package dev.portal.app.rk;

import dev.portal.app.Failure;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Programs as text: words of sixteen hexadecimal digits, white space between them, {@code #} starts a comment. */
final class ProgramText {
    private static final Pattern WORD = Pattern.compile("(?:0[xX])?([0-9a-fA-F]{1,16})");
    private static final HexFormat HEX = HexFormat.of();

    private ProgramText() {}

    /** The words of a text; an error names line and column of what is none. */
    static long[] parse(String text, String where) {
        List<Long> words = new ArrayList<>();
        int line = 0;
        for (String content : text.split("\n", -1)) {
            line++;
            int comment = content.indexOf('#');
            Matcher tokens = Pattern.compile("\\S+").matcher(comment < 0 ? content : content.substring(0, comment));
            while (tokens.find()) {
                Matcher word = WORD.matcher(tokens.group());
                if (!word.matches()) {
                    throw new Failure(where + ":" + line + ":" + (tokens.start() + 1) + ": \"" + tokens.group()
                            + "\" is not a word of up to 16 hexadecimal digits");
                }
                words.add(Long.parseUnsignedLong(word.group(1), 16));
            }
        }
        if (words.isEmpty()) {
            throw new Failure(where + " holds no words; expected 16 hexadecimal digits each, as rk encode prints them");
        }
        return words.stream().mapToLong(Long::longValue).toArray();
    }

    static String word(long word) {
        return HEX.toHexDigits(word);
    }

    /** All words on one line, spaces between them. */
    static String line(long[] words) {
        StringBuilder text = new StringBuilder(words.length * 17);
        for (long word : words) {
            text.append(text.isEmpty() ? "" : " ").append(word(word));
        }
        return text.toString();
    }
}
