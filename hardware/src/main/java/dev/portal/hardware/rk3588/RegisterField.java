package dev.portal.hardware.rk3588;

/**
 * One row of a register table.
 *
 * @param bits name and place
 * @param access what software may do with it
 * @param type how to read its value
 * @param meaning in a few words
 * @param source where the fact comes from
 * @param confidence how sure it is
 */
public record RegisterField(
        BitField bits, Access access, ValueType type, String meaning, String source, Confidence confidence) {
    /** What software may do with a field. */
    public enum Access {
        RW,
        RO,
        W1C
    }

    /** How to read a value. */
    public enum ValueType {
        /** One bit. */
        FLAG,
        UINT,
        INT,
        /** The value plus one is meant. */
        MINUS1,
        /** An address; fields that start at bit 4 drop the low bits, which are zero. */
        ADDR,
        /** A distance in memory, as {@link #ADDR}. */
        STRIDE,
        /** A code of {@link Precision}. */
        PRECISION
    }

    /** How sure a fact is. */
    public enum Confidence {
        DOCUMENTED,
        OBSERVED,
        INFERRED,
        UNKNOWN
    }

    /** The value as a reader wants it: {@code HEIGHT=3 (4)}, {@code OUT_PRECISION=INT32}. */
    String describe(int word) {
        int value = bits.decode(word);
        return bits.name() + "="
                + switch (type) {
                    case FLAG, UINT -> Integer.toUnsignedString(value);
                    case INT -> Integer.toString(bits.decodeSigned(word));
                    case MINUS1 -> value + " (" + (value + 1L) + ")";
                    case ADDR, STRIDE -> "0x" + Integer.toHexString(value << bits.lsb());
                    case PRECISION -> bits.width() == 3 ? Precision.of(value).name() : Integer.toString(value);
                };
    }
}
