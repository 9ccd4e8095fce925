package dev.portal.hardware.rk3588;

/**
 * A field of a 32-bit register.
 *
 * @param register the register's name
 * @param name the field's name
 * @param msb its highest bit, 0 to 31
 * @param lsb its lowest bit, 0 to {@code msb}
 */
public record BitField(String register, String name, int msb, int lsb) {
    public BitField {
        if (lsb < 0 || msb < lsb || msb > 31) {
            throw new IllegalArgumentException(
                    register + "." + name + ": bits " + msb + ":" + lsb + " are not in 31:0");
        }
    }

    /** Bits in the field. */
    public int width() {
        return msb - lsb + 1;
    }

    /** The largest value that fits. */
    public long max() {
        return (1L << width()) - 1;
    }

    /** Ones where the field is. */
    public int mask() {
        return (int) (max() << lsb);
    }

    /**
     * Puts {@code value} in its place.
     *
     * @param value 0 to {@link #max()}
     * @throws IllegalArgumentException when it does not fit; the message names field, bits, value and limit
     */
    public int encode(long value) {
        if (value < 0 || value > max()) {
            throw new IllegalArgumentException(register + "." + name + " (bits " + msb + ":" + lsb + ") cannot hold "
                    + value + "; its limit is " + max());
        }
        return (int) (value << lsb);
    }

    /**
     * Puts a two's complement {@code value} in its place.
     *
     * @throws IllegalArgumentException when it does not fit
     */
    public int encodeSigned(long value) {
        long limit = 1L << (width() - 1);
        if (value < -limit || value >= limit) {
            throw new IllegalArgumentException(register + "." + name + " (bits " + msb + ":" + lsb + ") cannot hold "
                    + value + "; its limits are " + -limit + " and " + (limit - 1));
        }
        return (int) ((value & max()) << lsb);
    }

    /** The field's value, unsigned. */
    public int decode(int word) {
        return (int) ((word >>> lsb) & max());
    }

    /** The field's value as two's complement. */
    public int decodeSigned(int word) {
        int unused = 32 - width();
        return decode(word) << unused >> unused;
    }

    /** Whether any bit of the field is set. */
    public boolean isSet(int word) {
        return (word & mask()) != 0;
    }
}
