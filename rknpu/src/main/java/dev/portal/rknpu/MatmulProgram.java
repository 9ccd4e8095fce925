package dev.portal.rknpu;

import static dev.portal.hardware.rk3588.Soc.BANK_BYTES;
import static dev.portal.hardware.rk3588.Soc.ENTRY_BYTES;

import dev.portal.hardware.rk3588.CnaRegisters;
import dev.portal.hardware.rk3588.DpuRegisters;
import dev.portal.hardware.rk3588.RegisterCommand;
import java.util.function.Supplier;

/**
 * A matrix product that one register program can do, checked. {@link MatmulEncoder} turns it into words.
 *
 * <p>The banks of the convolution buffer, the only choice there is, follow the arithmetic of spec section 6 and not a
 * table of cases.
 *
 * @param shape what is computed
 * @param form how A and C lie in memory
 * @param schedule row-major form: whether the features get the banks that 64-row groups need (spec 6.2), or one bank
 * @param strideElements row-major form: elements from one row of C to the next; n when dense
 * @param multiplier of a requantised product, signed 16 bits
 * @param shift of a requantised product, 0 to 63
 */
public record MatmulProgram(
        MatmulShape shape, Form form, boolean schedule, int strideElements, int multiplier, int shift) {
    /** How A and C lie in memory. B is tiled the same way in both (spec 5). */
    public enum Form {
        /** A[m][k] and C[m][n] as in C; 108 words and a trailer. */
        ROW_MAJOR(108),
        /** Cubes of 16-byte atoms, NC1HWC2; 104 words and a trailer. */
        NATIVE(104);

        private final int bodyWords;

        Form(int bodyWords) {
            this.bodyWords = bodyWords;
        }

        /** Words without the trailer: what {@code regcfg_amount} says. */
        public int bodyWords() {
            return bodyWords;
        }

        /** Words with the trailer. */
        public int words() {
            return bodyWords + RegisterCommand.TRAILER_WORDS;
        }

        /** Bytes with the trailer; a multiple of 16, so that programs may lie one behind the other. */
        public long bytes() {
            return words() * 8L;
        }
    }

    /** Rows of a schedule step (spec 6.2). */
    static final int SCHEDULE_ROWS = 64;

    /** Banks that features may take: the weights need one of the twelve. */
    static final int MAX_FEATURE_BANKS = 11;

    /** Results beyond this are wrong on the chip (spec 6.3, Q16). */
    static final int MAX_N = 8192;

    /** What DATAIN_CHANNEL_REAL holds, minus-one coded (spec 6.3). */
    static final int MAX_K = 16384;

    private static final int MAX_M = (int) CnaRegisters.CNA_DATA_SIZE0_DATAIN_HEIGHT.max();
    private static final int MAX_GRAINS = (int) CnaRegisters.CNA_CONV_CON2_FEATURE_GRAINS.max();
    private static final int MAX_SHIFT = 63;

    public MatmulProgram {
        checkLimits(shape);
        if (form == Form.NATIVE) {
            checkNative(shape, schedule, strideElements);
        } else {
            checkRowMajor(shape, schedule, strideElements);
        }
        checkRequantisation(shape.type(), multiplier, shift);
    }

    /** Row-major, dense, schedule on. */
    public static MatmulProgram rowMajor(MatmulShape shape) {
        return new MatmulProgram(
                shape, Form.ROW_MAJOR, true, shape.n(), shape.type().requantises() ? 1 : 0, 0);
    }

    /** Native cubes. */
    public static MatmulProgram nativeCube(MatmulShape shape) {
        return new MatmulProgram(
                shape, Form.NATIVE, true, shape.n(), shape.type().requantises() ? 1 : 0, 0);
    }

    /** Banks for features; the weights get the rest of the twelve. */
    public int featureBanks() {
        return featureBanks(shape, form, schedule);
    }

    /** Rows that the feature buffer collects before the array starts: a hint to the chip (spec 6.2). */
    int featureGrains() {
        int all = shape.m() + 1;
        if (form == Form.NATIVE || !schedule) {
            return all;
        }
        int rows = Integer.highestOneBit(
                Math.max(1, 2 * BANK_BYTES / (shape.k() * shape.type().inputBytes())));
        return Math.min(Math.min(all, rows), MAX_GRAINS);
    }

    /** 64-byte entries that one row of A takes in the convolution buffer. */
    static int entriesPerRow(MatmulShape shape) {
        return Math.ceilDiv(shape.k() * shape.type().inputBytes(), ENTRY_BYTES);
    }

    /** Banks that the rows of A need, entry by entry (spec 6.1). */
    static int banksNeeded(MatmulShape shape) {
        return (int) Math.ceilDiv((long) shape.m() * entriesPerRow(shape) * ENTRY_BYTES, (long) BANK_BYTES);
    }

    private static int featureBanks(MatmulShape shape, Form form, boolean schedule) {
        if (form == Form.NATIVE) {
            // mtx512's own rule, without the rounding to entries; the strict check reports where that is too little.
            return (int) Math.ceilDiv(shape.aBytes(), (long) BANK_BYTES);
        }
        if (!schedule) {
            return 1;
        }
        long rows = Math.ceilDiv(shape.m(), SCHEDULE_ROWS) * (long) SCHEDULE_ROWS;
        long banks = Math.ceilDiv(rows * entriesPerRow(shape) * ENTRY_BYTES, (long) BANK_BYTES);
        return (int) Math.min(banks, MAX_FEATURE_BANKS);
    }

    private static void checkLimits(MatmulShape shape) {
        MatmulType type = shape.type();
        refuseIf(
                shape.k() % MatmulType.CHANNEL_GROUP != 0,
                () -> "K = " + shape.k() + " is not a multiple of " + MatmulType.CHANNEL_GROUP
                        + ", the depth of a weight tile; pad A and B with zeros, or use Matmul, which does");
        refuseIf(
                shape.n() % type.kernelGroup() != 0,
                () -> "N = " + shape.n() + " is not a multiple of " + type.kernelGroup() + ", the " + type.inputName()
                        + " kernel group; pad B with zero columns, or use Matmul, which does");
        refuseIf(shape.m() > MAX_M, () -> "M = " + shape.m() + " is above " + MAX_M + ", what 11 bits hold; split M");
        refuseIf(
                shape.n() > MAX_N,
                () -> "N = " + shape.n() + " is above " + MAX_N
                        + ", beyond which the chip's results are wrong; split N");
        refuseIf(shape.k() > MAX_K, () -> "K = " + shape.k() + " is above " + MAX_K + ", what 14 bits hold; split K");
        int kernelBytes = shape.k() * type.inputBytes();
        refuseIf(
                kernelBytes > BANK_BYTES,
                () -> "one kernel has " + kernelBytes + " bytes and a bank of the convolution buffer " + BANK_BYTES
                        + "; split K");
    }

    private static void checkRowMajor(MatmulShape shape, boolean schedule, int strideElements) {
        int needed = banksNeeded(shape);
        int limit = schedule ? MAX_FEATURE_BANKS : 1;
        refuseIf(
                needed > limit,
                () -> "A needs " + needed + " feature banks (" + shape.m() + " rows of " + entriesPerRow(shape)
                        + " entries) and " + limit + " can be had" + (schedule ? "" : " with the schedule off")
                        + "; split M or K");
        int atom = shape.type().outputAtom();
        refuseIf(
                strideElements < shape.n() || strideElements % atom != 0 || strideElements > MAX_N,
                () -> "row stride of C = " + strideElements + " elements; it must be a multiple of " + atom
                        + " from N = " + shape.n() + " to " + MAX_N);
    }

    private static void checkNative(MatmulShape shape, boolean schedule, int strideElements) {
        refuseIf(
                shape.m() % 4 != 0 && shape.m() != 1,
                () -> "M = " + shape.m()
                        + " is neither 1 nor a multiple of 4, which native cubes need; pad A with rows");
        int needed = featureBanks(shape, Form.NATIVE, schedule);
        refuseIf(
                needed > MAX_FEATURE_BANKS,
                () -> "A needs " + needed + " feature banks (" + shape.aBytes() + " bytes) and " + MAX_FEATURE_BANKS
                        + " can be had; split M or K");
        refuseIf(
                shape.m() + 1 > MAX_GRAINS,
                () -> "M + 1 = " + (shape.m() + 1) + " feature grains are above " + MAX_GRAINS
                        + ", what 10 bits hold; split M");
        refuseIf(strideElements != shape.n(), () -> "row stride of C = " + strideElements + "; native cubes have none");
    }

    private static void checkRequantisation(MatmulType type, int multiplier, int shift) {
        if (!type.requantises()) {
            refuseIf(
                    multiplier != 0 || shift != 0,
                    () -> "multiplier " + multiplier + " and shift " + shift
                            + " given, but only int8 to int8 takes them");
            return;
        }
        refuseIf(
                multiplier != (short) multiplier,
                () -> "multiplier " + multiplier + " does not fit the 16 signed bits of "
                        + DpuRegisters.DPU_OUT_CVT_SCALE_SCALE.name());
        refuseIf(shift < 0 || shift > MAX_SHIFT, () -> "shift " + shift + " is not within 0 to " + MAX_SHIFT);
    }

    /** The reason is put together only when it is needed: chains make many programs. */
    private static void refuseIf(boolean broken, Supplier<String> why) {
        if (broken) {
            throw new ProgramRefusedException(why.get());
        }
    }
}
