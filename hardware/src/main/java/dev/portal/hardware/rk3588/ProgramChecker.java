package dev.portal.hardware.rk3588;

import static dev.portal.hardware.rk3588.CnaRegisters.*;
import static dev.portal.hardware.rk3588.CoreRegisters.*;
import static dev.portal.hardware.rk3588.DpuRdmaRegisters.*;
import static dev.portal.hardware.rk3588.DpuRegisters.*;
import static dev.portal.hardware.rk3588.PcRegisters.*;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks matrix-product programs for everything that the chip is known not to forgive (spec 16, point 7, with the quirks
 * of section 11): trailer, unknown registers, bank sum and sufficiency, entries, weight sizes, mirrors, notches, strides.
 *
 * <p>Stricter than the chip: a program that passes here has the form that works, one that fails may work by luck.
 */
public final class ProgramChecker {
    /**
     * What is wrong.
     *
     * @param index of the word, from 0
     * @param reason with the values
     */
    public record Problem(int index, String reason) {
        @Override
        public String toString() {
            return "word " + index + ": " + reason;
        }
    }

    private static final int MAX_N = 8192;

    /** Registers without which a matrix product inherits what another program left (spec 7.1). */
    private static final List<Integer> REQUIRED = List.of(
            CNA_CONV_CON1,
            CNA_DATA_SIZE0,
            CNA_DATA_SIZE1,
            CNA_WEIGHT_SIZE0,
            CNA_WEIGHT_SIZE1,
            CNA_WEIGHT_SIZE2,
            CNA_CBUF_CON0,
            CNA_CBUF_CON1,
            CNA_FEATURE_DATA_ADDR,
            CNA_DMA_CON1,
            CNA_DMA_CON2,
            CNA_FC_DATA_SIZE0,
            CNA_FC_DATA_SIZE1,
            CNA_DCOMP_ADDR0,
            CORE_MISC_CFG,
            CORE_DATAOUT_SIZE_0,
            CORE_DATAOUT_SIZE_1,
            DPU_DATA_FORMAT,
            DPU_DST_BASE_ADDR,
            DPU_DST_SURF_STRIDE,
            DPU_DATA_CUBE_WIDTH,
            DPU_DATA_CUBE_HEIGHT,
            DPU_DATA_CUBE_NOTCH_ADDR,
            DPU_DATA_CUBE_CHANNEL,
            DPU_BS_OW_CFG,
            DPU_WDMA_SIZE_0,
            DPU_WDMA_SIZE_1,
            DPU_SURFACE_ADD);

    private record Write(int index, int value) {}

    private final List<Problem> problems = new ArrayList<>();
    private final Map<Integer, Write> writes = new HashMap<>();

    private ProgramChecker() {}

    /** All problems of one program, or of several that lie one behind the other, by index; empty when it is sound. */
    public static List<Problem> check(long[] words) {
        List<Problem> problems = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < words.length; i++) {
            if (RegisterCommand.target(words[i]) == RegisterCommand.TARGET_ENABLE) {
                ProgramChecker checker = new ProgramChecker();
                checker.program(words, start, i);
                problems.addAll(checker.problems);
                start = i + 1;
            }
        }
        if (start < words.length) {
            problems.add(new Problem(words.length - 1, "the program has no enable word: nothing starts"));
        }
        if (words.length == 0) {
            problems.add(new Problem(0, "no words"));
        }
        problems.sort((a, b) -> Integer.compare(a.index(), b.index()));
        return problems;
    }

    private void program(long[] words, int start, int enable) {
        int length = enable - start + 1;
        if (length % 2 != 0) {
            report(enable, length + " words: the controller fetches pairs, so a program needs an even number");
        }
        if (length < RegisterCommand.TRAILER_WORDS) {
            report(enable, "no room for the trailer: link address, link length, marker, enable");
            return;
        }
        int trailer = enable - RegisterCommand.TRAILER_WORDS + 1;
        for (int i = start; i < trailer; i++) {
            body(i, words[i]);
        }
        trailer(words, trailer);
        int blocks = RegisterCommand.value(words[enable]);
        enable(enable, words[enable], blocks);
        if ((blocks & Block.CNA.enableBit()) != 0) {
            matmul(enable);
        }
    }

    private void body(int index, long word) {
        int target = RegisterCommand.target(word);
        int offset = RegisterCommand.offset(word);
        if (word == 0) {
            return;
        }
        var block = Block.ofTarget(target);
        var register = RegisterMap.at(offset);
        if (target == RegisterCommand.TARGET_MARKER) {
            report(index, "marker before the trailer");
        } else if (block.isEmpty()) {
            report(index, "unknown target " + hex(target));
        } else if (register.isEmpty()) {
            report(index, "unknown register " + hex(offset) + " of " + block.get());
        } else if (register.get().block() != block.get()) {
            report(
                    index,
                    register.get().name() + " is a register of "
                            + register.get().block() + ", not of " + block.get());
        } else if (offset == CNA_S_POINTER || offset == CORE_S_POINTER) {
            report(index, register.get().name() + " belongs to the driver: a program that writes it hangs");
        } else {
            write(index, register.get(), RegisterCommand.value(word));
        }
    }

    private void write(int index, Register register, int value) {
        int unknown = value & ~register.knownBits();
        if (unknown != 0) {
            report(index, register.name() + " = " + hex(value) + " sets unknown bits " + hex(unknown));
        }
        Write before = writes.put(register.offset(), new Write(index, value));
        if (before != null && before.value() != value) {
            report(
                    index,
                    register.name() + " = " + hex(value) + " but word " + before.index() + " wrote "
                            + hex(before.value()));
        }
    }

    private void trailer(long[] words, int at) {
        long address = words[at];
        long length = words[at + 1];
        boolean linked = address != 0;
        int pc = Block.PC.target();
        if (linked && (RegisterCommand.target(address) != pc || RegisterCommand.offset(address) != PC_BASE_ADDRESS)) {
            report(at, "neither a link address nor the zero word of a terminal program");
            linked = false;
        } else if (linked && (RegisterCommand.value(address) & 0xf) != 0) {
            report(at, "next program at " + hex(RegisterCommand.value(address)) + " is not aligned to 16 bytes");
        }
        if (RegisterCommand.target(length) != pc || RegisterCommand.offset(length) != PC_REGISTER_AMOUNTS) {
            report(at + 1, "no link length where the trailer has it");
        } else {
            int amount = PC_REGISTER_AMOUNTS_PC_DATA_AMOUNT.decode(RegisterCommand.value(length));
            if (linked && amount == 0) {
                report(at + 1, "a link address with length 0: the walk ends here and the next program does not run");
            }
            if (address == 0 && amount != 0) {
                report(at + 1, "length " + amount + " without a link address: the chain stalls until the timeout");
            }
        }
        if (words[at + 2] != RegisterCommand.word(RegisterCommand.TARGET_MARKER, 0, 0)) {
            report(at + 2, "the marker is missing before the enable word");
        }
    }

    private void enable(int index, long word, int blocks) {
        if (RegisterCommand.offset(word) != PC_OPERATION_ENABLE) {
            report(index, "enable at offset " + hex(RegisterCommand.offset(word)) + " instead of 0x8");
        }
        int unknown =
                blocks & ~RegisterMap.at(PC_OPERATION_ENABLE).orElseThrow().knownBits();
        if (unknown != 0) {
            report(index, "enable mask " + hex(blocks) + " has unknown bits " + hex(unknown));
        }
        int matmul = Block.CNA.enableBit() | Block.CORE.enableBit() | Block.DPU.enableBit();
        if ((blocks & matmul) != 0 && (blocks & matmul) != matmul && (blocks & Block.DPU_RDMA.enableBit()) == 0) {
            report(index, "enable mask " + hex(blocks) + ": CNA, CORE and DPU (0xd) work together");
        }
        if ((blocks & Block.DPU_RDMA.enableBit()) != 0 && !writes.containsKey(DPU_RDMA_FEATURE_MODE_CFG)) {
            report(index, "DPU_RDMA is enabled and not programmed: the DPU waits for it for ever");
        }
    }

    private void matmul(int enable) {
        for (int offset : REQUIRED) {
            if (!writes.containsKey(offset)) {
                report(
                        enable,
                        RegisterMap.at(offset).orElseThrow().name()
                                + " is not written: it would keep what another program left there");
            }
        }
        if (writes.keySet().containsAll(REQUIRED)) {
            precisions();
            features();
            weights();
            mirrors();
            output();
        }
    }

    private void precisions() {
        int in = field(CNA_CONV_CON1, CNA_CONV_CON1_IN_PRECISION);
        same(CNA_CONV_CON1, "processing precision", field(CNA_CONV_CON1, CNA_CONV_CON1_PROC_PRECISION), in);
        same(CORE_MISC_CFG, "CORE precision", field(CORE_MISC_CFG, CORE_MISC_CFG_PROC_PRECISION), in);
        same(DPU_DATA_FORMAT, "DPU precision", field(DPU_DATA_FORMAT, DPU_DATA_FORMAT_PROC_PRECISION), in);
    }

    private void features() {
        long width = field(CNA_DATA_SIZE0, CNA_DATA_SIZE0_DATAIN_WIDTH);
        long height = field(CNA_DATA_SIZE0, CNA_DATA_SIZE0_DATAIN_HEIGHT);
        long channels = field(CNA_DATA_SIZE1, CNA_DATA_SIZE1_DATAIN_CHANNEL);
        if (width == 0 || height == 0 || channels == 0) {
            reportRegister(CNA_DATA_SIZE0, "features of " + width + " x " + height + " x " + channels + " are empty");
            return;
        }
        if (channels % 32 != 0) {
            reportRegister(CNA_DATA_SIZE1, "K = " + channels + " is not a multiple of 32");
        }
        same(CNA_DATA_SIZE1, "true channels", field(CNA_DATA_SIZE1, CNA_DATA_SIZE1_DATAIN_CHANNEL_REAL) + 1L, channels);
        long entries = Math.ceilDiv(halfBytes(width * channels), 2L * Soc.ENTRY_BYTES);
        long programmed = field(CNA_CBUF_CON1, CNA_CBUF_CON1_DATA_ENTRIES);
        same(CNA_CBUF_CON1, "entries a row", programmed, entries);
        int split = value(CNA_CBUF_CON0);
        int data = CNA_CBUF_CON0_DATA_BANK.decode(split);
        int weight = CNA_CBUF_CON0_WEIGHT_BANK.decode(split);
        long needed = Math.ceilDiv(height * entries * Soc.ENTRY_BYTES, (long) Soc.BANK_BYTES);
        if (data + weight != Soc.RK3588.bufferBanks() || data == 0 || weight == 0) {
            reportRegister(
                    CNA_CBUF_CON0, data + " feature and " + weight + " weight banks: both at least 1, 12 together");
        } else if (needed > data) {
            reportRegister(
                    CNA_CBUF_CON0,
                    data + " feature banks, but " + height + " rows of " + entries + " entries need " + needed);
        }
        if (CNA_CBUF_CON0_FC_DATA_BANK.isSet(split)) {
            reportRegister(CNA_CBUF_CON0, "FC_DATA_BANK must be 0");
        }
        boolean oneLine = CNA_CONV_CON1_GROUP_LINE_OFF.isSet(value(CNA_CONV_CON1));
        long pitch = (oneLine ? 1 : 4) * width + CNA_DMA_CON2_SURF_STRIDE.decodeSigned(value(CNA_DMA_CON2));
        if (!oneLine && pitch != width * height) {
            reportRegister(CNA_DMA_CON2, "a surface pitch of " + pitch + " atoms, but a surface has " + width * height);
        }
    }

    private void weights() {
        long channels = field(CNA_DATA_SIZE1, CNA_DATA_SIZE1_DATAIN_CHANNEL);
        int size = value(CNA_WEIGHT_SIZE2);
        long window = (long) CNA_WEIGHT_SIZE2_WEIGHT_WIDTH.decode(size) * CNA_WEIGHT_SIZE2_WEIGHT_HEIGHT.decode(size);
        long kernels = CNA_WEIGHT_SIZE2_WEIGHT_KERNELS.decode(size);
        long kernelBytes = halfBytes(channels * window) / 2;
        same(
                CNA_WEIGHT_SIZE1,
                "bytes of a kernel",
                field(CNA_WEIGHT_SIZE1, CNA_WEIGHT_SIZE1_WEIGHT_BYTES_PER_KERNEL),
                kernelBytes);
        same(
                CNA_WEIGHT_SIZE0,
                "bytes of all kernels",
                Integer.toUnsignedLong(value(CNA_WEIGHT_SIZE0)),
                kernelBytes * kernels);
        if (kernelBytes > Soc.BANK_BYTES) {
            reportRegister(CNA_WEIGHT_SIZE1, "a kernel of " + kernelBytes + " bytes does not fit a bank of 32768");
        }
        int group = kernelGroup();
        if (kernels % group != 0 || kernels == 0) {
            reportRegister(CNA_WEIGHT_SIZE2, "N = " + kernels + " is not a multiple of the kernel group, " + group);
        }
        if (kernels > MAX_N) {
            reportRegister(CNA_WEIGHT_SIZE2, "N = " + kernels + " is above 8192: the results would be wrong");
        }
    }

    private void mirrors() {
        if (value(CNA_FC_DATA_SIZE0) != value(CNA_DATA_SIZE0)) {
            reportRegister(
                    CNA_FC_DATA_SIZE0,
                    "DMA size " + hex(value(CNA_FC_DATA_SIZE0)) + " differs from the feature size "
                            + hex(value(CNA_DATA_SIZE0)));
        }
        same(
                CNA_FC_DATA_SIZE1,
                "DMA channels",
                field(CNA_FC_DATA_SIZE1, CNA_FC_DATA_SIZE1_DMA_CHANNEL),
                field(CNA_DATA_SIZE1, CNA_DATA_SIZE1_DATAIN_CHANNEL));
        long width = field(CNA_DATA_SIZE0, CNA_DATA_SIZE0_DATAIN_WIDTH);
        long height = field(CNA_DATA_SIZE0, CNA_DATA_SIZE0_DATAIN_HEIGHT);
        long kernels = field(CNA_WEIGHT_SIZE2, CNA_WEIGHT_SIZE2_WEIGHT_KERNELS);
        int core = value(CORE_DATAOUT_SIZE_0);
        same(CORE_DATAOUT_SIZE_0, "CORE rows", CORE_DATAOUT_SIZE_0_DATAOUT_HEIGHT.decode(core) + 1L, height);
        same(CORE_DATAOUT_SIZE_0, "CORE width", CORE_DATAOUT_SIZE_0_DATAOUT_WIDTH.decode(core) + 1L, width);
        same(CORE_DATAOUT_SIZE_1, "CORE channels", value(CORE_DATAOUT_SIZE_1) + 1L, kernels);
        same(DPU_DATA_CUBE_HEIGHT, "DPU rows", field(DPU_DATA_CUBE_HEIGHT, DPU_DATA_CUBE_HEIGHT_HEIGHT) + 1L, height);
        same(DPU_DATA_CUBE_WIDTH, "DPU width", field(DPU_DATA_CUBE_WIDTH, DPU_DATA_CUBE_WIDTH_WIDTH) + 1L, width);
        same(
                DPU_DATA_CUBE_CHANNEL,
                "DPU channels",
                field(DPU_DATA_CUBE_CHANNEL, DPU_DATA_CUBE_CHANNEL_CHANNEL) + 1L,
                kernels);
        same(DPU_WDMA_SIZE_0, "channels written", field(DPU_WDMA_SIZE_0, DPU_WDMA_SIZE_0_CHANNEL_WDMA) + 1L, kernels);
        int written = value(DPU_WDMA_SIZE_1);
        same(DPU_WDMA_SIZE_1, "rows written", DPU_WDMA_SIZE_1_HEIGHT_WDMA.decode(written) + 1L, height);
        same(DPU_WDMA_SIZE_1, "width written", DPU_WDMA_SIZE_1_WIDTH_WDMA.decode(written) + 1L, width);
    }

    private void output() {
        int notch = value(DPU_DATA_CUBE_NOTCH_ADDR);
        int high = DPU_DATA_CUBE_NOTCH_ADDR_NOTCH_ADDR_1.decode(notch);
        int low = DPU_DATA_CUBE_NOTCH_ADDR_NOTCH_ADDR_0.decode(notch);
        boolean oneRow = field(DPU_DATA_CUBE_HEIGHT, DPU_DATA_CUBE_HEIGHT_HEIGHT) == 0;
        if (high != low && !oneRow) {
            reportRegister(
                    DPU_DATA_CUBE_NOTCH_ADDR,
                    "notch halves " + high + " and " + low + " differ: most of the tile stays unwritten");
        }
        int sizes = value(DPU_BS_OW_CFG);
        int group = DPU_BS_OW_CFG_SIZE_E_0.decode(sizes);
        if (group != DPU_BS_OW_CFG_SIZE_E_1.decode(sizes) || group != DPU_BS_OW_CFG_SIZE_E_2.decode(sizes)) {
            reportRegister(DPU_BS_OW_CFG, "the three SIZE_E fields of " + hex(sizes) + " differ");
        }
        long surface = Integer.toUnsignedLong(value(DPU_DST_SURF_STRIDE));
        same(
                DPU_SURFACE_ADD,
                "bytes between groups of " + (group + 1) + " surfaces of " + surface,
                Integer.toUnsignedLong(value(DPU_SURFACE_ADD)),
                (group + 1) * surface);
        Precision in = Precision.of(field(CNA_CONV_CON1, CNA_CONV_CON1_IN_PRECISION));
        Precision out = Precision.of(field(DPU_DATA_FORMAT, DPU_DATA_FORMAT_OUT_PRECISION));
        boolean integerInput = in == Precision.INT8 || in == Precision.INT4;
        if (integerInput && out.bytes() == 4 && group != 7) {
            reportRegister(DPU_BS_OW_CFG, "SIZE_E " + group + " with " + in + " input and 4-byte output: it must be 7");
        }
    }

    private int kernelGroup() {
        return switch (Precision.of(field(CNA_CONV_CON1, CNA_CONV_CON1_IN_PRECISION))) {
            case INT8 -> 32;
            case INT4 -> 64;
            case INT16, FP16, BF16, TF32, INT32, FP32 -> 16;
        };
    }

    /** Twice the bytes of so many input elements, so that int4 stays whole. */
    private long halfBytes(long elements) {
        Precision in = Precision.of(field(CNA_CONV_CON1, CNA_CONV_CON1_IN_PRECISION));
        return in == Precision.INT4 ? elements : 2 * elements * in.bytes();
    }

    private int value(int register) {
        Write write = writes.get(register);
        return write == null ? 0 : write.value();
    }

    private int field(int register, BitField field) {
        return field.decode(value(register));
    }

    private void same(int register, String what, long found, long expected) {
        if (found != expected) {
            reportRegister(register, what + " " + found + ", expected " + expected);
        }
    }

    private void reportRegister(int register, String reason) {
        Write write = writes.get(register);
        report(
                write == null ? 0 : write.index(),
                RegisterMap.at(register).orElseThrow().name() + ": " + reason);
    }

    private void report(int index, String reason) {
        problems.add(new Problem(index, reason));
    }

    private static String hex(int value) {
        return "0x" + Integer.toHexString(value);
    }
}
