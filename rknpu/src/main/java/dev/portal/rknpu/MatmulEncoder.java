package dev.portal.rknpu;

import static dev.portal.hardware.rk3588.CnaRegisters.*;
import static dev.portal.hardware.rk3588.CoreRegisters.*;
import static dev.portal.hardware.rk3588.DpuRegisters.*;
import static dev.portal.hardware.rk3588.PcRegisters.*;

import dev.portal.hardware.rk3588.BitField;
import dev.portal.hardware.rk3588.Block;
import dev.portal.hardware.rk3588.Precision;
import dev.portal.hardware.rk3588.RegisterCommand;
import dev.portal.hardware.rk3588.Soc;
import dev.portal.rknpu.MatmulProgram.Form;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Encodes matrix products as register programs, by the rules of spec sections 4 to 6.
 *
 * <p>Both forms share one body of 104 words; the row-major form has four words before it that repeat later registers, as
 * the captured vendor program has, and of which CBUF_CON0 and CONV_CON1 must agree with their second copy.
 *
 * <p>Stateless: any thread may encode. Nothing is allocated.
 */
public final class MatmulEncoder {
    /** Little-endian words, as the program controller reads them. */
    static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final int LEADING_WORDS = Form.ROW_MAJOR.bodyWords() - Form.NATIVE.bodyWords();
    private static final long MAX_IOVA = 0xffff_ffffL;
    private static final int PROGRAM_ALIGNMENT = 16;

    /** No next program: the trailer ends the walk. */
    public static final long TERMINAL = 0;

    /** The link length of a program that ends the walk. */
    static final long TERMINAL_LENGTH = RegisterCommand.word(Block.PC, PC_REGISTER_AMOUNTS, 0);

    private static final int MULTIPLIERS_OFF = DPU_BS_CFG_RELU_BYPASS.encode(1)
            | DPU_BS_CFG_MUL_BYPASS.encode(1)
            | DPU_BS_CFG_ALU_BYPASS.encode(1)
            | DPU_BS_CFG_BYPASS.encode(1);
    private static final int ENABLE = Block.CNA.enableBit() | Block.CORE.enableBit() | Block.DPU.enableBit();
    private static final int CVT_SCALE_ONE = CNA_CVT_CON1_CVT_SCALE.encode(1);

    /** The body with everything that no shape changes; what is zero here may be filled in by {@link #encode}. */
    private static final long[] BODY = body();

    private final int nextLength;

    private final int nextLengthNative;

    /** @throws ProgramRefusedException for a chip that packs its registers otherwise */
    public MatmulEncoder(Soc soc) {
        if (!soc.runsRk3588Programs()) {
            throw new ProgramRefusedException(soc.name() + " packs its registers otherwise than rk3588: it would accept"
                    + " the program, report completion and write nothing; it needs an encoder of its own");
        }
        nextLength = RegisterCommand.encodedLength(Form.ROW_MAJOR.bodyWords(), soc.lengthScale());
        nextLengthNative = RegisterCommand.encodedLength(Form.NATIVE.bodyWords(), soc.lengthScale());
    }

    /**
     * Writes one program.
     *
     * @param program what it does
     * @param a IOVA of A, 0 to 2^32 - 1
     * @param b IOVA of the packed B
     * @param c IOVA of C
     * @param next IOVA of the next program, of the same form and 16-byte aligned; {@link #TERMINAL} when there is none
     * @param out where the words go; {@code form().bytes()} from {@code offset} on
     * @param offset in bytes, a multiple of 8
     */
    public void encode(MatmulProgram program, long a, long b, long c, long next, MemorySegment out, long offset) {
        boolean rowMajor = program.form() == Form.ROW_MAJOR;
        long body = offset;
        if (rowMajor) {
            put(out, offset, Block.CNA, CNA_CBUF_CON0, bankSplit(program));
            put(out, offset + 8, Block.CNA, CNA_DCOMP_REGNUM, 0);
            put(out, offset + 16, Block.CNA, CNA_DCOMP_CTRL, 0);
            put(out, offset + 24, Block.CNA, CNA_CONV_CON1, convolution(program));
            body += LEADING_WORDS * 8L;
        }
        MemorySegment.copy(BODY, 0, out, WORD, body, BODY.length);
        features(program, a, out, body);
        weights(program, b, out, body);
        core(program, out, body);
        output(program, c, out, body);
        trailer(next, rowMajor ? nextLength : nextLengthNative, out, body + BODY.length * 8L);
    }

    private static void features(MatmulProgram program, long a, MemorySegment out, long body) {
        MatmulShape shape = program.shape();
        int m = shape.m();
        int k = shape.k();
        boolean rowMajor = program.form() == Form.ROW_MAJOR;
        set(out, body, At.CONV_CON1, Block.CNA, CNA_CONV_CON1, convolution(program));
        set(
                out,
                body,
                At.CONV_CON2,
                Block.CNA,
                CNA_CONV_CON2,
                CNA_CONV_CON2_FEATURE_GRAINS.encode(program.featureGrains()));
        int size = CNA_DATA_SIZE0_DATAIN_WIDTH.encode(1) | CNA_DATA_SIZE0_DATAIN_HEIGHT.encode(m);
        set(out, body, At.DATA_SIZE0, Block.CNA, CNA_DATA_SIZE0, size);
        set(
                out,
                body,
                At.DATA_SIZE1,
                Block.CNA,
                CNA_DATA_SIZE1,
                CNA_DATA_SIZE1_DATAIN_CHANNEL_REAL.encode(k - 1) | CNA_DATA_SIZE1_DATAIN_CHANNEL.encode(k));
        set(out, body, At.DATA_SIZE3, Block.CNA, CNA_DATA_SIZE3, CNA_DATA_SIZE3_DATAOUT_ATOMICS.encode(m));
        set(out, body, At.CBUF_CON0, Block.CNA, CNA_CBUF_CON0, bankSplit(program));
        set(
                out,
                body,
                At.CBUF_CON1,
                Block.CNA,
                CNA_CBUF_CON1,
                CNA_CBUF_CON1_DATA_ENTRIES.encode(MatmulProgram.entriesPerRow(shape)));
        set(out, body, At.FEATURE_ADDR, Block.CNA, CNA_FEATURE_DATA_ADDR, iova(a, "A"));
        // Spec 5.1: the surface pitch is g*W + S atoms, with g = 1 in row-major form and 4 in native cubes; M = 1 gives
        // -3.
        int lineStride = rowMajor ? k * shape.type().inputBytes() / Soc.ATOM_BYTES : 4;
        int surfaceStride = rowMajor ? 0 : m - 4;
        set(out, body, At.DMA_CON1, Block.CNA, CNA_DMA_CON1, CNA_DMA_CON1_LINE_STRIDE.encode(lineStride));
        set(out, body, At.DMA_CON2, Block.CNA, CNA_DMA_CON2, CNA_DMA_CON2_SURF_STRIDE.encodeSigned(surfaceStride));
        set(out, body, At.FC_DATA_SIZE0, Block.CNA, CNA_FC_DATA_SIZE0, size);
        set(out, body, At.FC_DATA_SIZE1, Block.CNA, CNA_FC_DATA_SIZE1, CNA_FC_DATA_SIZE1_DMA_CHANNEL.encode(k));
    }

    private static void weights(MatmulProgram program, long b, MemorySegment out, long body) {
        MatmulShape shape = program.shape();
        set(
                out,
                body,
                At.WEIGHT_SIZE0,
                Block.CNA,
                CNA_WEIGHT_SIZE0,
                CNA_WEIGHT_SIZE0_WEIGHT_BYTES.encode(shape.bBytes()));
        set(
                out,
                body,
                At.WEIGHT_SIZE1,
                Block.CNA,
                CNA_WEIGHT_SIZE1,
                CNA_WEIGHT_SIZE1_WEIGHT_BYTES_PER_KERNEL.encode(
                        (long) shape.k() * shape.type().inputBytes()));
        set(
                out,
                body,
                At.WEIGHT_SIZE2,
                Block.CNA,
                CNA_WEIGHT_SIZE2,
                CNA_WEIGHT_SIZE2_WEIGHT_WIDTH.encode(1)
                        | CNA_WEIGHT_SIZE2_WEIGHT_HEIGHT.encode(1)
                        | CNA_WEIGHT_SIZE2_WEIGHT_KERNELS.encode(shape.n()));
        set(out, body, At.DCOMP_ADDR0, Block.CNA, CNA_DCOMP_ADDR0, iova(b, "B"));
    }

    private static void core(MatmulProgram program, MemorySegment out, long body) {
        MatmulShape shape = program.shape();
        boolean fp16 = shape.type().input() == Precision.FP16;
        boolean quantised = fp16 || program.form() == Form.ROW_MAJOR;
        set(
                out,
                body,
                At.MISC_CFG,
                Block.CORE,
                CORE_MISC_CFG,
                CORE_MISC_CFG_PROC_PRECISION.encode(shape.type().input().code())
                        | CORE_MISC_CFG_QD_EN.encode(quantised ? 1 : 0));
        set(
                out,
                body,
                At.DATAOUT_SIZE_0,
                Block.CORE,
                CORE_DATAOUT_SIZE_0,
                CORE_DATAOUT_SIZE_0_DATAOUT_HEIGHT.encode(shape.m() - 1));
        set(
                out,
                body,
                At.DATAOUT_SIZE_1,
                Block.CORE,
                CORE_DATAOUT_SIZE_1,
                CORE_DATAOUT_SIZE_1_DATAOUT_CHANNEL.encode(shape.n() - 1));
    }

    private static void output(MatmulProgram program, long c, MemorySegment out, long body) {
        MatmulShape shape = program.shape();
        MatmulType type = shape.type();
        boolean rowMajor = program.form() == Form.ROW_MAJOR;
        int m = shape.m();
        int n = shape.n();
        int atom = type.outputAtom();
        int stride = program.strideElements();
        // Spec 5.3: a row-major C is a cube one atom wide whose rows are followed by a notch; a native one has none.
        int surfacePitchBytes = rowMajor ? Soc.ATOM_BYTES : m * Soc.ATOM_BYTES;
        int in = type.input() == Precision.FP16 ? type.input().code() : 0;
        set(
                out,
                body,
                At.DATA_FORMAT,
                Block.DPU,
                DPU_DATA_FORMAT,
                DPU_DATA_FORMAT_OUT_PRECISION.encode(type.output().code())
                        | DPU_DATA_FORMAT_IN_PRECISION.encode(in)
                        | DPU_DATA_FORMAT_PROC_PRECISION.encode(in));
        set(out, body, At.DST_BASE_ADDR, Block.DPU, DPU_DST_BASE_ADDR, iova(c, "C"));
        set(
                out,
                body,
                At.DST_SURF_STRIDE,
                Block.DPU,
                DPU_DST_SURF_STRIDE,
                bytes(DPU_DST_SURF_STRIDE_DST_SURF_STRIDE, surfacePitchBytes));
        set(out, body, At.CUBE_HEIGHT, Block.DPU, DPU_DATA_CUBE_HEIGHT, DPU_DATA_CUBE_HEIGHT_HEIGHT.encode(m - 1));
        int notch = rowMajor
                ? DPU_DATA_CUBE_NOTCH_ADDR_NOTCH_ADDR_1.encode(stride / atom - 1)
                        | DPU_DATA_CUBE_NOTCH_ADDR_NOTCH_ADDR_0.encode(n / atom - 1)
                : 0;
        set(out, body, At.CUBE_NOTCH, Block.DPU, DPU_DATA_CUBE_NOTCH_ADDR, notch);
        set(
                out,
                body,
                At.CUBE_CHANNEL,
                Block.DPU,
                DPU_DATA_CUBE_CHANNEL,
                DPU_DATA_CUBE_CHANNEL_ORIG_CHANNEL.encode(stride - 1) | DPU_DATA_CUBE_CHANNEL_CHANNEL.encode(n - 1));
        set(out, body, At.BS_OW_CFG, Block.DPU, DPU_BS_OW_CFG, operandWidths(type, rowMajor));
        set(out, body, At.WDMA_SIZE_0, Block.DPU, DPU_WDMA_SIZE_0, DPU_WDMA_SIZE_0_CHANNEL_WDMA.encode(n - 1));
        set(out, body, At.WDMA_SIZE_1, Block.DPU, DPU_WDMA_SIZE_1, DPU_WDMA_SIZE_1_HEIGHT_WDMA.encode(m - 1));
        set(out, body, At.OUT_CVT_SCALE, Block.DPU, DPU_OUT_CVT_SCALE, outputScale(program));
        set(out, body, At.OUT_CVT_SHIFT, Block.DPU, DPU_OUT_CVT_SHIFT, DPU_OUT_CVT_SHIFT_SHIFT.encode(program.shift()));
        set(
                out,
                body,
                At.SURFACE_ADD,
                Block.DPU,
                DPU_SURFACE_ADD,
                bytes(DPU_SURFACE_ADD_SURF_ADD, surfacePitchBytes * type.surfacesPerGroup()));
    }

    private static void trailer(long next, int length, MemorySegment out, long at) {
        if (next == TERMINAL) {
            out.set(WORD, at, 0);
            out.set(WORD, at + 8, TERMINAL_LENGTH);
        } else {
            if ((next & (PROGRAM_ALIGNMENT - 1)) != 0) {
                throw new ProgramRefusedException("next program at 0x" + Long.toHexString(next)
                        + " is not aligned to 16 bytes: the low bits of its address have other meanings");
            }
            put(out, at, Block.PC, PC_BASE_ADDRESS, iova(next, "the next program"));
            put(out, at + 8, Block.PC, PC_REGISTER_AMOUNTS, PC_REGISTER_AMOUNTS_PC_DATA_AMOUNT.encode(length));
        }
        out.set(WORD, at + 16, RegisterCommand.word(RegisterCommand.TARGET_MARKER, 0, 0));
        out.set(WORD, at + 24, RegisterCommand.word(RegisterCommand.TARGET_ENABLE, PC_OPERATION_ENABLE, ENABLE));
    }

    private static int bankSplit(MatmulProgram program) {
        int features = program.featureBanks();
        return CNA_CBUF_CON0_WEIGHT_BANK.encode(Soc.RK3588.bufferBanks() - features)
                | CNA_CBUF_CON0_DATA_BANK.encode(features);
    }

    private static int convolution(MatmulProgram program) {
        int precision = program.shape().type().input().code();
        return CNA_CONV_CON1_GROUP_LINE_OFF.encode(program.form() == Form.ROW_MAJOR ? 1 : 0)
                | CNA_CONV_CON1_PROC_PRECISION.encode(precision)
                | CNA_CONV_CON1_IN_PRECISION.encode(precision);
    }

    private static int operandWidths(MatmulType type, boolean rowMajor) {
        int size = type.surfacesPerGroup() - 1;
        // As captured: only row-major int8 programs with 8 or 2 surfaces a group leave the operand path on.
        boolean bypass = !rowMajor || type.input() == Precision.FP16 || type == MatmulType.INT8_INT16;
        return DPU_BS_OW_CFG_SIZE_E_2.encode(size)
                | DPU_BS_OW_CFG_SIZE_E_1.encode(size)
                | DPU_BS_OW_CFG_SIZE_E_0.encode(size)
                | DPU_BS_OW_CFG_OD_BYPASS.encode(bypass ? 1 : 0);
    }

    private static int outputScale(MatmulProgram program) {
        MatmulType type = program.shape().type();
        int toFp16 = DPU_OUT_CVT_SCALE_FP32TOFP16_EN.encode(type == MatmulType.FP16_FP16 ? 1 : 0);
        return toFp16 | DPU_OUT_CVT_SCALE_SCALE.encodeSigned(type.requantises() ? program.multiplier() : 1);
    }

    private static int bytes(BitField atoms, int bytes) {
        return atoms.encode(bytes >> atoms.lsb());
    }

    private static int iova(long address, String what) {
        if (address < 0 || address > MAX_IOVA) {
            throw new ProgramRefusedException(
                    what + " at 0x" + Long.toHexString(address) + " is beyond the 32 bits of an address register");
        }
        return (int) address;
    }

    private static void set(MemorySegment out, long body, int index, Block block, int register, int value) {
        put(out, body + index * 8L, block, register, value);
    }

    private static void put(MemorySegment out, long at, Block block, int register, int value) {
        out.set(WORD, at, RegisterCommand.word(block, register, value));
    }

    /** Places in the body of the words that depend on shape or addresses. */
    private static final class At {
        static final int CONV_CON1 = indexOf(CNA_CONV_CON1);
        static final int CONV_CON2 = indexOf(CNA_CONV_CON2);
        static final int DATA_SIZE0 = indexOf(CNA_DATA_SIZE0);
        static final int DATA_SIZE1 = indexOf(CNA_DATA_SIZE1);
        static final int DATA_SIZE3 = indexOf(CNA_DATA_SIZE3);
        static final int WEIGHT_SIZE0 = indexOf(CNA_WEIGHT_SIZE0);
        static final int WEIGHT_SIZE1 = indexOf(CNA_WEIGHT_SIZE1);
        static final int WEIGHT_SIZE2 = indexOf(CNA_WEIGHT_SIZE2);
        static final int CBUF_CON0 = indexOf(CNA_CBUF_CON0);
        static final int CBUF_CON1 = indexOf(CNA_CBUF_CON1);
        static final int FEATURE_ADDR = indexOf(CNA_FEATURE_DATA_ADDR);
        static final int DMA_CON1 = indexOf(CNA_DMA_CON1);
        static final int DMA_CON2 = indexOf(CNA_DMA_CON2);
        static final int FC_DATA_SIZE0 = indexOf(CNA_FC_DATA_SIZE0);
        static final int FC_DATA_SIZE1 = indexOf(CNA_FC_DATA_SIZE1);
        static final int DCOMP_ADDR0 = indexOf(CNA_DCOMP_ADDR0);
        static final int MISC_CFG = indexOf(CORE_MISC_CFG);
        static final int DATAOUT_SIZE_0 = indexOf(CORE_DATAOUT_SIZE_0);
        static final int DATAOUT_SIZE_1 = indexOf(CORE_DATAOUT_SIZE_1);
        static final int DATA_FORMAT = indexOf(DPU_DATA_FORMAT);
        static final int DST_BASE_ADDR = indexOf(DPU_DST_BASE_ADDR);
        static final int DST_SURF_STRIDE = indexOf(DPU_DST_SURF_STRIDE);
        static final int CUBE_HEIGHT = indexOf(DPU_DATA_CUBE_HEIGHT);
        static final int CUBE_NOTCH = indexOf(DPU_DATA_CUBE_NOTCH_ADDR);
        static final int CUBE_CHANNEL = indexOf(DPU_DATA_CUBE_CHANNEL);
        static final int BS_OW_CFG = indexOf(DPU_BS_OW_CFG);
        static final int WDMA_SIZE_0 = indexOf(DPU_WDMA_SIZE_0);
        static final int WDMA_SIZE_1 = indexOf(DPU_WDMA_SIZE_1);
        static final int OUT_CVT_SCALE = indexOf(DPU_OUT_CVT_SCALE);
        static final int OUT_CVT_SHIFT = indexOf(DPU_OUT_CVT_SHIFT);
        static final int SURFACE_ADD = indexOf(DPU_SURFACE_ADD);

        private At() {}

        private static int indexOf(int register) {
            for (int i = 0; i < BODY.length; i++) {
                if (RegisterCommand.offset(BODY[i]) == register) {
                    return i;
                }
            }
            throw new AssertionError("register 0x" + Integer.toHexString(register) + " is not in the body");
        }
    }

    /** The 104 words in the order of the vendor's program (spec 4). */
    private static long[] body() {
        Body body = new Body();
        int pointers = DPU_S_POINTER_POINTER_PP_MODE.encode(1)
                | DPU_S_POINTER_EXECUTER_PP_EN.encode(1)
                | DPU_S_POINTER_POINTER_PP_EN.encode(1);
        body.put(DPU_S_POINTER, pointers);
        body.put(CNA_CONV_CON1).put(CNA_CONV_CON2);
        body.put(CNA_CONV_CON3, CNA_CONV_CON3_CONV_Y_STRIDE.encode(1) | CNA_CONV_CON3_CONV_X_STRIDE.encode(1));
        body.put(CNA_DATA_SIZE0).put(CNA_DATA_SIZE1);
        body.put(CNA_DATA_SIZE2, CNA_DATA_SIZE2_DATAOUT_WIDTH.encode(1)).put(CNA_DATA_SIZE3);
        body.put(CNA_WEIGHT_SIZE0)
                .put(CNA_WEIGHT_SIZE1)
                .put(CNA_WEIGHT_SIZE2)
                .put(CNA_CBUF_CON0)
                .put(CNA_CBUF_CON1);
        body.put(
                CNA_CVT_CON0,
                CNA_CVT_CON0_DATA_SIGN.encode(1) | CNA_CVT_CON0_CVT_TYPE.encode(1) | CNA_CVT_CON0_CVT_BYPASS.encode(1));
        body.put(CNA_CVT_CON1, CVT_SCALE_ONE).put(CNA_CVT_CON2, CVT_SCALE_ONE);
        body.put(CNA_CVT_CON3, CVT_SCALE_ONE).put(CNA_CVT_CON4, CVT_SCALE_ONE);
        body.put(CNA_FC_CON0)
                .put(CNA_FC_CON1)
                .put(CNA_PAD_CON0)
                .put(CNA_FEATURE_DATA_ADDR)
                .put(CNA_FC_CON2);
        body.put(CNA_DMA_CON0, CNA_DMA_CON0_WEIGHT_BURST_LEN.encode(15) | CNA_DMA_CON0_DATA_BURST_LEN.encode(15));
        body.put(CNA_DMA_CON1).put(CNA_DMA_CON2).put(CNA_FC_DATA_SIZE0).put(CNA_FC_DATA_SIZE1);
        body.put(CNA_DCOMP_CTRL).put(CNA_DCOMP_REGNUM).put(CNA_DCOMP_ADDR0);
        body.run(CNA_DCOMP_AMOUNT0, CNA_DCOMP_AMOUNT15).put(CNA_CVT_CON5).put(CNA_PAD_CON1);
        body.put(CORE_MISC_CFG).put(CORE_DATAOUT_SIZE_0).put(CORE_DATAOUT_SIZE_1);
        body.put(CORE_CLIP_TRUNCATE).put(CORE_3030);
        body.put(
                DPU_FEATURE_MODE_CFG,
                DPU_FEATURE_MODE_CFG_BURST_LEN.encode(15) | DPU_FEATURE_MODE_CFG_OUTPUT_MODE.encode(2));
        body.put(DPU_DATA_FORMAT).put(DPU_OFFSET_PEND).put(DPU_DST_BASE_ADDR).put(DPU_DST_SURF_STRIDE);
        body.run(DPU_DATA_CUBE_WIDTH, DPU_DATA_CUBE_CHANNEL);
        body.put(DPU_BS_CFG, MULTIPLIERS_OFF).run(DPU_BS_ALU_CFG, DPU_WDMA_SIZE_1);
        body.put(DPU_BN_CFG, MULTIPLIERS_OFF).run(DPU_BN_ALU_CFG, DPU_BN_RELUX_CMP_VALUE);
        body.put(
                DPU_EW_CFG,
                DPU_EW_CFG_RELU_BYPASS.encode(1)
                        | DPU_EW_CFG_OP_CVT_BYPASS.encode(1)
                        | DPU_EW_CFG_LUT_BYPASS.encode(1)
                        | DPU_EW_CFG_OP_BYPASS.encode(1)
                        | DPU_EW_CFG_BYPASS.encode(1));
        body.put(DPU_EW_CVT_OFFSET_VALUE);
        body.put(DPU_EW_CVT_SCALE_VALUE, DPU_EW_CVT_SCALE_VALUE_SCALE.encodeSigned(1));
        body.run(DPU_EW_RELUX_CMP_VALUE, DPU_OUT_CVT_SHIFT).run(DPU_EW_OP_VALUE_0, DPU_EW_OP_VALUE_7);
        body.put(DPU_SURFACE_ADD).put(DPU_40C4).run(DPU_LUT_ACCESS_CFG, DPU_LUT_LO_SLOPE_SHIFT);
        return body.finished();
    }

    private static final class Body {
        private final long[] words = new long[Form.NATIVE.bodyWords()];
        private int size;

        Body put(int register) {
            return put(register, 0);
        }

        Body put(int register, int value) {
            words[size++] = RegisterCommand.word(Block.ofOffset(register).orElseThrow(), register, value);
            return this;
        }

        /** Zero in every register from {@code first} to {@code last}. */
        Body run(int first, int last) {
            for (int register = first; register <= last; register += 4) {
                put(register);
            }
            return this;
        }

        long[] finished() {
            if (size != words.length) {
                throw new AssertionError("the body has " + size + " words, not " + words.length);
            }
            return words;
        }
    }
}
