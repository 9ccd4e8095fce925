package dev.portal.emulator.rk3588;

import dev.portal.hardware.rk3588.Precision;

/**
 * The arithmetic of the DPU's output converter and of the elementwise multiplier (spec 4.1, 5.4), as measured on boards:
 * scale, round, add the offset, saturate, in this order.
 */
final class OutputStage {
    private static final short NAN_OUT = 0x7c01;

    private OutputStage() {}

    /**
     * Scales an accumulator and adds the offset; saturation comes after.
     *
     * @param scale signed 16 bits
     * @param shift 0 to 63
     * @param roundAway ties go away from zero (CVT_ROUND = 1), else to even
     */
    static long scale(long accumulator, int scale, int shift, boolean roundAway, int offset) {
        long product = accumulator * scale;
        if (shift == 0) {
            return product + offset;
        }
        long floor = product >> shift;
        long rest = product & ((1L << shift) - 1);
        long half = 1L << (shift - 1);
        boolean tieUp = roundAway ? product >= 0 : (floor & 1) != 0;
        boolean up = rest > half || (rest == half && tieUp);
        return (up ? floor + 1 : floor) + offset;
    }

    /** Clamps to a signed integer of {@code bits}. */
    static int saturate(long value, int bits) {
        long limit = 1L << (bits - 1);
        return (int) Math.clamp(value, -limit, limit - 1);
    }

    /** One rounding to nearest even, subnormals kept; a NaN keeps its sign and becomes 0x7c01. */
    static short toHalf(float value) {
        if (Float.isNaN(value)) {
            return (short) ((Float.floatToRawIntBits(value) >>> 16 & 0x8000) | NAN_OUT);
        }
        return Float.floatToFloat16(value);
    }

    /** The elementwise multiplier: one rounding to nearest even; a NaN operand gives 0x7c01 whatever the signs. */
    static short multiplyHalf(short x, short y) {
        float product = Float.float16ToFloat(x) * Float.float16ToFloat(y);
        return Float.isNaN(product) ? NAN_OUT : Float.floatToFloat16(product);
    }

    /**
     * Converts accumulators to the bytes of the output, elements in little-endian order.
     *
     * @param sums int32 sums, or the bits of fp32 sums when the arithmetic is fp16
     */
    static void convert(MatmulTask.Out out, int[] sums, int from, int count, byte[] into, int at) {
        boolean real = out.arithmetic() == Precision.FP16;
        switch (out.output()) {
            case INT8 -> {
                for (int i = 0; i < count; i++) {
                    into[at + i] = (byte)
                            saturate(scale(sums[from + i], out.scale(), out.shift(), out.roundAway(), out.offset()), 8);
                }
            }
            case INT16 -> {
                for (int i = 0; i < count; i++) {
                    putShort(
                            into,
                            at + 2 * i,
                            saturate(
                                    scale(sums[from + i], out.scale(), out.shift(), out.roundAway(), out.offset()),
                                    16));
                }
            }
            case FP16 -> {
                for (int i = 0; i < count; i++) {
                    putShort(into, at + 2 * i, toHalf(Float.intBitsToFloat(sums[from + i])));
                }
            }
            case INT32 -> {
                for (int i = 0; i < count; i++) {
                    putInt(
                            into,
                            at + 4 * i,
                            saturate(
                                    scale(sums[from + i], out.scale(), out.shift(), out.roundAway(), out.offset()),
                                    32));
                }
            }
            case FP32 -> {
                for (int i = 0; i < count; i++) {
                    int bits = real
                            ? sums[from + i]
                            : Float.floatToRawIntBits((float)
                                    scale(sums[from + i], out.scale(), out.shift(), out.roundAway(), out.offset()));
                    putInt(into, at + 4 * i, bits);
                }
            }
            case BF16, INT4, TF32 ->
                throw new AssertionError("StrictChecks let the output precision " + out.output() + " through");
        }
    }

    private static void putShort(byte[] into, int at, int value) {
        into[at] = (byte) value;
        into[at + 1] = (byte) (value >> 8);
    }

    private static void putInt(byte[] into, int at, int value) {
        into[at] = (byte) value;
        into[at + 1] = (byte) (value >> 8);
        into[at + 2] = (byte) (value >> 16);
        into[at + 3] = (byte) (value >> 24);
    }
}
