package dev.portal.llm.tokenizer;

/**
 * The characters by which byte-level BPE writes bytes in a vocabulary: printable ones stand for themselves, the others
 * for U+0100 and up, in order (GPT-2's {@code bytes_to_unicode}).
 */
final class ByteAlphabet {
    private static final char[] LETTERS = new char[256];
    private static final short[] BYTES = new short[0x180];

    static {
        java.util.Arrays.fill(BYTES, (short) -1);
        char other = 0x100;
        for (int i = 0; i < 256; i++) {
            boolean printable = (i >= '!' && i <= '~') || (i >= 0xa1 && i <= 0xac) || i >= 0xae;
            LETTERS[i] = printable ? (char) i : other++;
            BYTES[LETTERS[i]] = (short) i;
        }
    }

    private ByteAlphabet() {}

    static char letter(int octet) {
        return LETTERS[octet];
    }

    /** The byte of a letter; -1 for a character that is none. */
    static int octet(char letter) {
        return letter < BYTES.length ? BYTES[letter] : -1;
    }
}
