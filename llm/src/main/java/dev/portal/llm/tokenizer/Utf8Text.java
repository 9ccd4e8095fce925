package dev.portal.llm.tokenizer;

/** Bytes as text for regular expressions: each byte that is no UTF-8 is one U+FFFD, and every character knows its bytes. */
final class Utf8Text {
    private final StringBuilder text = new StringBuilder();
    private final int[] byteOfChar;

    /** Of bytes, a character each. */
    Utf8Text(String bytes) {
        byteOfChar = new int[bytes.length() + 1];
        int at = 0;
        while (at < bytes.length()) {
            int length = sequence(bytes, at);
            int point = length == 0 ? 0xfffd : point(bytes, at, length);
            for (int i = 0; i < Character.charCount(point); i++) {
                byteOfChar[text.length() + i] = at;
            }
            text.appendCodePoint(point);
            at += Math.max(1, length);
        }
        byteOfChar[text.length()] = bytes.length();
    }

    CharSequence text() {
        return text;
    }

    /** The first byte of the character at an index; of the length, the end. */
    int byteAt(int index) {
        return byteOfChar[index];
    }

    /** Bytes of the well-formed sequence that begins here; 0 where none does. */
    static int sequence(String bytes, int at) {
        int first = bytes.charAt(at);
        int length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
        if (length == 0 || at + length > bytes.length()) {
            return 0;
        }
        for (int i = 1; i < length; i++) {
            if ((bytes.charAt(at + i) & 0xc0) != 0x80) {
                return 0;
            }
        }
        int second = length > 2 ? bytes.charAt(at + 1) : 0x80;
        boolean overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
        boolean outside = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
        return overlong || outside ? 0 : length;
    }

    private static int point(String bytes, int at, int length) {
        int point = length == 1 ? bytes.charAt(at) : bytes.charAt(at) & (0x7f >> length);
        for (int i = 1; i < length; i++) {
            point = point << 6 | (bytes.charAt(at + i) & 0x3f);
        }
        return point;
    }
}
