package dev.portal.voice.stt.transducer;

import dev.portal.voice.stage.StageException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The vocabulary of a model, from {@code tokens.txt}: a token and its number a line. U+2581 begins a word; {@code <0x41>}
 * is a byte of UTF-8; other names in angle brackets are no text.
 */
final class Tokens {
    static final int BLANK = 0;

    private static final char WORD_START = '\u2581';
    private static final Pattern BYTE = Pattern.compile("<0x([0-9A-Fa-f]{2})>");

    private final Map<Integer, String> byNumber = new HashMap<>();
    private final int unknown;

    private Tokens(Path file) throws IOException {
        int number = 0;
        for (String line : Files.readString(file).split("\n", -1)) {
            number++;
            String entry = line.stripTrailing();
            if (!entry.isEmpty()) {
                int blank = entry.lastIndexOf(' ');
                if (blank < 0 || !entry.substring(blank + 1).matches("[0-9]{1,9}")) {
                    throw new StageException(
                            file + ", line " + number + ": '" + entry + "' is not a token, a blank and a number");
                }
                // A line of nothing but a number is the blank character's.
                byNumber.put(
                        Integer.parseInt(entry.substring(blank + 1)), blank == 0 ? " " : entry.substring(0, blank));
            }
        }
        int found = -1;
        for (var entry : byNumber.entrySet()) {
            if (entry.getValue().equalsIgnoreCase("<unk>")) {
                found = entry.getKey();
            }
        }
        this.unknown = found;
    }

    static Tokens read(Path file) {
        try {
            return new Tokens(file);
        } catch (IOException e) {
            throw new StageException("cannot read " + file + ": " + e, e);
        }
    }

    /** The number after the greatest one. */
    int size() {
        return byNumber.keySet().stream().mapToInt(Integer::intValue).max().orElse(-1) + 1;
    }

    /** Whether the token says nothing: the blank, and the one for unknown words. */
    boolean isSilent(int token) {
        return token == BLANK || token == unknown;
    }

    /** What a token adds to a text: small letters, a blank before a word; nothing for bytes and for names in brackets. */
    String letters(int token) {
        String text = byNumber.getOrDefault(token, "");
        return isSilent(token) || (text.length() > 2 && text.startsWith("<") && text.endsWith(">"))
                ? ""
                : text.replace(WORD_START, ' ').toLowerCase(Locale.ROOT);
    }

    /** The text of tokens: lower case words separated by blanks. */
    String text(long[] tokens) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (long number : tokens) {
            String token = byNumber.getOrDefault((int) number, "");
            Matcher hex = BYTE.matcher(token);
            if (hex.matches()) {
                bytes.write(Integer.parseInt(hex.group(1), 16));
            } else if (!(token.length() > 2 && token.startsWith("<") && token.endsWith(">"))) {
                bytes.writeBytes(token.replace(WORD_START, ' ').getBytes(StandardCharsets.UTF_8));
            }
        }
        return bytes.toString(StandardCharsets.UTF_8)
                .strip()
                .replaceAll("\\s+", " ")
                .toLowerCase(Locale.ROOT);
    }
}
