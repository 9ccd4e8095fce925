package dev.portal.hardware.rk3588;

/** Precision codes of the chip, (spec 3.3). */
public enum Precision {
    INT8(0, 1),
    INT16(1, 2),
    FP16(2, 2),
    BF16(3, 2),
    INT32(4, 4),
    FP32(5, 4),
    INT4(6, 0),
    TF32(7, 4);

    private static final Precision[] ALL = values();

    private final int code;
    private final int bytes;

    Precision(int code, int bytes) {
        this.code = code;
        this.bytes = bytes;
    }

    /** The code in register fields. */
    public int code() {
        return code;
    }

    /** Bytes of an element; 0 for int4, which takes half a byte. */
    public int bytes() {
        return bytes;
    }

    /** @param code 0 to 7 */
    public static Precision of(int code) {
        return ALL[code];
    }
}
