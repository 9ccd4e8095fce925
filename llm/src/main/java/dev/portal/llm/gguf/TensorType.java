package dev.portal.llm.gguf;

import java.util.List;

/** How weights are stored: a row is a sequence of blocks of the same number of weights and bytes. */
public enum TensorType {
    F32(0, 1, 4),
    F16(1, 1, 2),
    /** An F16 scale, then 32 weights of 4 bits, offset by 8. */
    Q4_0(2, 32, 18),
    /** An F16 scale, then 32 signed bytes. */
    Q8_0(8, 32, 34),
    /** F16 scale and F16 minimum, eight 6-bit scales and minima, then 256 weights of 4 bits. */
    Q4_K(12, 256, 144),
    /** 256 weights of 4 low and 2 high bits, sixteen signed 8-bit scales, an F16 scale. */
    Q6_K(14, 256, 210);

    /** Types of the format that are not read here, by number, for messages. */
    private static final List<String> NAMES = List.of(
            "F32", "F16", "Q4_0", "Q4_1", "Q4_2", "Q4_3", "Q5_0", "Q5_1", "Q8_0", "Q8_1", "Q2_K", "Q3_K", "Q4_K",
            "Q5_K", "Q6_K", "Q8_K", "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS", "I8",
            "I16", "I32", "I64", "F64", "IQ1_M", "BF16");

    private final int code;
    private final int blockWeights;
    private final int blockBytes;

    TensorType(int code, int blockWeights, int blockBytes) {
        this.code = code;
        this.blockWeights = blockWeights;
        this.blockBytes = blockBytes;
    }

    /** Its number in the file. */
    public int code() {
        return code;
    }

    /** Weights in one block. */
    public int blockWeights() {
        return blockWeights;
    }

    /** Bytes of one block. */
    public int blockBytes() {
        return blockBytes;
    }

    /** Bytes of a row of {@code weights}, a multiple of {@link #blockWeights()}. */
    public long rowBytes(long weights) {
        return Math.multiplyExact(weights / blockWeights, (long) blockBytes);
    }

    static TensorType of(int code, String tensor) {
        for (TensorType type : values()) {
            if (type.code == code) {
                return type;
            }
        }
        String name = code >= 0 && code < NAMES.size() ? " (" + NAMES.get(code) + ")" : "";
        throw new GgufException("tensor '" + tensor + "' has type " + code + name
                + ", which is not read here; quantise the model to one of " + List.of(values()));
    }
}
