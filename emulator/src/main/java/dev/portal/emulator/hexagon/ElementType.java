package dev.portal.emulator.hexagon;

import java.util.Optional;

/** Element types of tensors, with QNN's numbers (spec 3.1). */
public enum ElementType {
    INT8(0x0008, 1),
    INT32(0x0032, 4),
    INT64(0x0064, 8),
    FLOAT16(0x0216, 2),
    FLOAT32(0x0232, 4);

    private final int code;
    private final int bytes;

    ElementType(int code, int bytes) {
        this.code = code;
        this.bytes = bytes;
    }

    /** QNN's number. */
    public int code() {
        return code;
    }

    /** Of one element. */
    public int bytes() {
        return bytes;
    }

    static Optional<ElementType> of(int code) {
        for (ElementType type : values()) {
            if (type.code == code) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }
}
