package dev.portal.hardware.rk3588;

/**
 * A register command: one 64-bit little-endian word that writes one register (spec 3.1).
 *
 * <pre>
 *   63      48 47                    16 15       0
 *  | target  |          value          |  offset  |
 * </pre>
 *
 * @param target which block, 16 bits; bit 48 of the word is 1 for a plain write
 * @param offset of the register in the core's window, 16 bits
 * @param value what is written
 */
public record RegisterCommand(int target, int offset, int value) {
    /** Marker of the trailer, before the enable word. */
    public static final int TARGET_MARKER = 0x0041;

    /** Broadcast of the enable word. */
    public static final int TARGET_ENABLE = 0x0081;

    /** A word that the controller ignores. */
    public static final int TARGET_FILLER = 0x0000;

    /** Words of the trailer: link address, link length, marker, enable (spec 3.2). */
    public static final int TRAILER_WORDS = 4;

    public RegisterCommand {
        if ((target & ~0xffff) != 0 || (offset & ~0xffff) != 0) {
            throw new IllegalArgumentException("target 0x" + Integer.toHexString(target) + " and offset 0x"
                    + Integer.toHexString(offset) + " have 16 bits each");
        }
    }

    public static RegisterCommand decode(long word) {
        return new RegisterCommand(target(word), offset(word), value(word));
    }

    public long encode() {
        return word(target, offset, value);
    }

    /** A plain write to {@code block}. */
    public static long word(Block block, int offset, int value) {
        return word(block.target(), offset, value);
    }

    /** A word from its parts; only the low 16 bits of target and offset count. */
    public static long word(int target, int offset, int value) {
        return (long) target << 48 | (value & 0xffff_ffffL) << 16 | (offset & 0xffffL);
    }

    public static int target(long word) {
        return (int) (word >>> 48);
    }

    public static int offset(long word) {
        return (int) (word & 0xffff);
    }

    public static int value(long word) {
        return (int) (word >>> 16);
    }

    /**
     * The length of a program as the controller counts it: it fetches pairs of words (spec 3.2).
     *
     * @param bodyWords words without the trailer
     * @param scale 2 on RK3588
     */
    public static int encodedLength(int bodyWords, int scale) {
        return (bodyWords + TRAILER_WORDS + scale - 1) / scale - 1;
    }
}
