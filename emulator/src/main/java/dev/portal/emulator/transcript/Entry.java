package dev.portal.emulator.transcript;

import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One call of the kernel, as words.
 *
 * @param call {@code open}, {@code dup}, {@code close}, {@code ioctl}, {@code mmap} or {@code munmap}
 * @param words name to value: numbers and bytes in hexadecimal, paths as they are
 */
public record Entry(String call, Map<String, String> words) {
    public Entry {
        words = new LinkedHashMap<>(words);
    }

    /** A number; 0 where there is none. */
    public long number(String word) {
        String text = words.get(word);
        return text == null ? 0 : Long.parseUnsignedLong(text, 16);
    }

    /** Bytes; empty where there are none. */
    public byte[] bytes(String word) {
        return HexFormat.of().parseHex(words.getOrDefault(word, ""));
    }

    /** A text; empty where there is none. */
    public String text(String word) {
        return words.getOrDefault(word, "");
    }

    /** Bytes by argument's index, as in {@code 0:00ff,2:01}. */
    public Map<Integer, byte[]> byArgument(String word) {
        Map<Integer, byte[]> result = new LinkedHashMap<>();
        String text = text(word);
        for (String part : text.isEmpty() ? new String[0] : text.split(",")) {
            int colon = part.indexOf(':');
            result.put(
                    Integer.parseInt(part.substring(0, colon)), HexFormat.of().parseHex(part.substring(colon + 1)));
        }
        return result;
    }

    /** The line of the dump. */
    @Override
    public String toString() {
        StringBuilder line = new StringBuilder(call);
        words.forEach((name, value) -> line.append(' ').append(name).append('=').append(value));
        return line.toString();
    }

    /**
     * Reads a line of a dump.
     *
     * @throws IllegalArgumentException for a line that is none
     */
    public static Entry parse(String line) {
        String[] parts = line.strip().split(" ");
        Map<String, String> words = new LinkedHashMap<>();
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("'" + parts[i] + "' is no NAME=VALUE, in: " + line);
            }
            words.put(parts[i].substring(0, equals), parts[i].substring(equals + 1));
        }
        return new Entry(parts[0], words);
    }
}
