package dev.portal.rknpu;

import dev.portal.hardware.rk3588.Precision;
import java.util.Locale;
import java.util.Optional;

/**
 * The type of a matrix product: what goes in and what comes out of one program. The numbers are those of spec sections 4
 * and 4.1.
 */
public enum MatmulType {
    INT8_INT32(Precision.INT8, Precision.INT32, 8),
    /** Requantised: {@code sat8(half_even(acc * multiplier >> shift))}. */
    INT8_INT8(Precision.INT8, Precision.INT8, 2),
    /** Disputed (spec 4.1): one peer uses it, another found int16 output unusable from its own path. */
    INT8_INT16(Precision.INT8, Precision.INT16, 4),
    INT8_FP32(Precision.INT8, Precision.FP32, 8),
    FP16_FP32(Precision.FP16, Precision.FP32, 4),
    FP16_FP16(Precision.FP16, Precision.FP16, 2);

    private static final int INT8_KERNEL_GROUP = 32;
    private static final int FP16_KERNEL_GROUP = 16;

    /** Both weight tiles are this deep in k (spec 5.2). */
    static final int CHANNEL_GROUP = 32;

    private final Precision input;
    private final Precision output;
    private final int surfacesPerGroup;

    MatmulType(Precision input, Precision output, int surfacesPerGroup) {
        this.input = input;
        this.output = output;
        this.surfacesPerGroup = surfacesPerGroup;
    }

    public Precision input() {
        return input;
    }

    public Precision output() {
        return output;
    }

    public int inputBytes() {
        return input.bytes();
    }

    public int outputBytes() {
        return output.bytes();
    }

    /** Output elements in an atom of 16 bytes. */
    public int outputAtom() {
        return 16 / output.bytes();
    }

    /** Surfaces that the output stage writes as a group; tied to the input datapath (spec 4.1). */
    int surfacesPerGroup() {
        return surfacesPerGroup;
    }

    /** Columns of B that one weight tile holds: N is a multiple of it (spec 5.2). */
    public int kernelGroup() {
        return input == Precision.INT8 ? INT8_KERNEL_GROUP : FP16_KERNEL_GROUP;
    }

    /** Whether the product takes a multiplier and a shift. */
    public boolean requantises() {
        return this == INT8_INT8;
    }

    /** The widest type of this input, which partial sums use: int32, or fp32. */
    public MatmulType accumulating() {
        return input == Precision.INT8 ? INT8_INT32 : FP16_FP32;
    }

    /** As the golden files spell the input: {@code int8}, {@code fp16}. */
    public String inputName() {
        return input.name().toLowerCase(Locale.ROOT);
    }

    /** As the golden files spell the output: {@code int32}, {@code int8}, {@code int16}, {@code fp32}, {@code fp16}. */
    public String outputName() {
        return output.name().toLowerCase(Locale.ROOT);
    }

    /** The type with these names; empty when the chip has no such product, or Portal does not encode it. */
    public static Optional<MatmulType> of(String inputName, String outputName) {
        for (MatmulType type : values()) {
            if (type.inputName().equals(inputName) && type.outputName().equals(outputName)) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }
}
