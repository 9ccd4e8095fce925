package dev.portal.emulator.rk3588;

import dev.portal.emulator.Diagnostic;
import dev.portal.emulator.Diagnostic.Severity;
import dev.portal.hardware.rk3588.Block;
import dev.portal.hardware.rk3588.Precision;
import java.util.ArrayList;
import java.util.List;

/**
 * What the chip would not forgive in a program (spec 6, 16(7)). A program without findings above a note computes what it
 * says; for the others the core does what is known of the chip, wrong results included.
 */
final class StrictChecks {
    /** Code of a program that the emulator has no model of. */
    static final String UNSUPPORTED = "unsupported";

    static final String UNEQUAL_NOTCHES = "notch";
    static final String BANK_SUM = "bank-sum";
    static final String BANK_OVERFLOW = "bank-overflow";
    static final String LINE_GROUP = "line-group";
    static final String SIZE_E = "size-e";
    static final String PARTIAL_GROUP = "partial-group";
    static final String READER_TRAP = "rdma-trap";

    private static final int BANKS = 12;
    private static final int BANK_BYTES = 32_768;
    private static final int ENTRY_BYTES = 64;
    private static final int MATMUL_BLOCKS = Block.CNA.enableBit() | Block.CORE.enableBit() | Block.DPU.enableBit();

    private final MatmulTask.Cna cna;
    private final MatmulTask.Out out;
    private final int enable;
    private final List<Diagnostic> found = new ArrayList<>();

    private StrictChecks(MatmulTask task) {
        cna = task.cna();
        out = task.out();
        enable = task.enable();
    }

    /** Everything that is wrong with a program, the first finding first; empty for a good one. */
    static List<Diagnostic> of(MatmulTask task) {
        StrictChecks checks = new StrictChecks(task);
        if (checks.isModelled()) {
            checks.sizes();
            checks.banks();
            checks.features();
            checks.output();
            checks.reader();
        }
        return checks.found;
    }

    private boolean isModelled() {
        int others = enable & ~(MATMUL_BLOCKS | Block.DPU_RDMA.enableBit());
        require(
                (enable & MATMUL_BLOCKS) == MATMUL_BLOCKS && others == 0,
                Severity.FATAL,
                UNSUPPORTED,
                "enable word 0x%x; a matrix product enables CNA, CORE and DPU (0xd), with DPU_RDMA 0x1d",
                enable);
        require(
                cna.input() == Precision.INT8 || cna.input() == Precision.FP16,
                Severity.FATAL,
                UNSUPPORTED,
                "%s operands; int8 and fp16 are modelled",
                cna.input());
        require(cna.convolutionMode() == 0, Severity.FATAL, UNSUPPORTED, "convolution mode %d", cna.convolutionMode());
        require(
                out.stagesBypassed(),
                Severity.FATAL,
                UNSUPPORTED,
                "a DPU stage (BS, BN or EW) is not bypassed; write 0x53, 0x53 and 0x383");
        boolean known = cna.input() == Precision.INT8
                ? out.output() == Precision.INT32
                        || out.output() == Precision.INT8
                        || out.output() == Precision.INT16
                        || out.output() == Precision.FP32
                : out.output() == Precision.FP32 || out.output() == Precision.FP16;
        require(known, Severity.FATAL, UNSUPPORTED, "%s operands with %s output", cna.input(), out.output());
        return found.isEmpty();
    }

    private void sizes() {
        int group = Addressing.kernelGroup(elementBytes());
        int channels = cna.channels();
        wrongUnless(
                cna.arithmetic() == cna.input()
                        && out.arithmetic() == cna.input()
                        && out.input() == cna.input()
                        && cna.coreArithmetic() == cna.input(),
                "precision",
                "CNA works in %s, CORE in %s, DPU in %s; all must be %s",
                cna.arithmetic(),
                cna.coreArithmetic(),
                out.arithmetic(),
                cna.input());
        wrongUnless(cna.width() > 0 && cna.height() > 0, "rows", "feature size %d x %d", cna.width(), cna.height());
        wrongUnless(channels > 0 && channels % 32 == 0, "channels", "K = %d is not a multiple of 32", channels);
        wrongUnless(
                cna.realChannels() == channels,
                "channels",
                "DATAIN_CHANNEL_REAL says %d channels, DATAIN_CHANNEL %d",
                cna.realChannels(),
                channels);
        wrongUnless(
                cna.kernels() > 0 && cna.kernels() % group == 0,
                out.output() == Precision.INT8 ? PARTIAL_GROUP : "kernels",
                "N = %d is not a multiple of the kernel group %d",
                cna.kernels(),
                group);
        wrongUnless(cna.kernels() <= 8192, "kernels", "N = %d is above 8192", cna.kernels());
        long kernelBytes = (long) channels * elementBytes();
        wrongUnless(
                cna.kernelBytes() == kernelBytes,
                "weight-size",
                "a kernel has %d bytes, the program says %d",
                kernelBytes,
                cna.kernelBytes());
        wrongUnless(
                cna.weightBytes() == (int) (kernelBytes * cna.kernels()),
                "weight-size",
                "the weights have %d bytes, the program says %d",
                kernelBytes * cna.kernels(),
                cna.weightBytes() & 0xffff_ffffL);
        wrongUnless(
                cna.dmaWidth() == cna.width() && cna.dmaHeight() == cna.height() && cna.dmaChannels() == channels,
                "mirror",
                "0x1084 and 0x1088 say %d x %d x %d, 0x1020 and 0x1024 say %d x %d x %d",
                cna.dmaWidth(),
                cna.dmaHeight(),
                cna.dmaChannels(),
                cna.width(),
                cna.height(),
                channels);
        wrongUnless(
                cna.outWidth() == cna.width() && cna.outAtomics() == cna.rows(),
                "mirror",
                "0x1028 and 0x102c say %d of %d positions, 0x1020 says %d of %d",
                cna.outWidth(),
                cna.outAtomics(),
                cna.width(),
                cna.rows());
        wrongUnless(
                cna.coreWidth() == cna.width()
                        && cna.coreHeight() == cna.height()
                        && cna.coreChannels() == cna.kernels(),
                "mirror",
                "CORE makes %d x %d x %d, CNA feeds %d x %d x %d",
                cna.coreWidth(),
                cna.coreHeight(),
                cna.coreChannels(),
                cna.width(),
                cna.height(),
                cna.kernels());
        wrongUnless(
                out.width() == cna.width()
                        && out.height() == cna.height()
                        && out.channels() == cna.kernels()
                        && out.writeChannels() == cna.kernels(),
                "mirror",
                "DPU writes %d x %d x %d (0x4058 says %d), CORE makes %d x %d x %d",
                out.width(),
                out.height(),
                out.channels(),
                out.writeChannels(),
                cna.width(),
                cna.height(),
                cna.kernels());
    }

    /** Spec 6.1, 6.2. */
    private void banks() {
        int sum = cna.dataBanks() + cna.weightBanks();
        wrongUnless(
                sum == BANKS && cna.dataBanks() > 0 && cna.weightBanks() > 0,
                BANK_SUM,
                "0x1040 gives %d banks to features and %d to weights; both must be at least 1 and sum to %d",
                cna.dataBanks(),
                cna.weightBanks(),
                BANKS);
        wrongUnless(
                cna.fullyConnectedBanks() == 0, "fc-bank", "FC_DATA_BANK is %d, must be 0", cna.fullyConnectedBanks());
        long rowBytes = (long) cna.channels() * elementBytes();
        long bytes = cna.rows() * rowBytes;
        wrongUnless(
                banksFor(bytes) <= cna.dataBanks(),
                BANK_OVERFLOW,
                "%d rows of %d bytes need %d data banks, the program has %d",
                cna.rows(),
                rowBytes,
                banksFor(bytes),
                cna.dataBanks());
        wrongUnless(
                rowBytes <= BANK_BYTES,
                "kernel-size",
                "a kernel of %d bytes does not fit a bank of %d",
                rowBytes,
                BANK_BYTES);
        long entries = (rowBytes + ENTRY_BYTES - 1) / ENTRY_BYTES * cna.width();
        wrongUnless(
                cna.entries() == entries,
                "entries",
                "DATA_ENTRIES is %d, a line of %d bytes takes %d",
                cna.entries(),
                rowBytes * cna.width(),
                entries);
        long padded = cna.height() * entries * ENTRY_BYTES;
        if (banksFor(bytes) <= cna.dataBanks() && banksFor(padded) > cna.dataBanks()) {
            note(
                    "bank-entries",
                    "counted in 64-byte entries the features need %d banks, the program has %d",
                    banksFor(padded),
                    cna.dataBanks());
        }
        boolean full = padded * 100 > 97L * cna.dataBanks() * BANK_BYTES;
        if (cna.input() == Precision.INT8 && !cna.groupLineOff() && full && cna.dataBanks() < BANKS - 1) {
            note(
                    "bank-slack",
                    "int8 cubes that fill their %d banks above 97 %% lost their last rows on some boards",
                    cna.dataBanks());
        }
    }

    private static long banksFor(long bytes) {
        return (bytes + BANK_BYTES - 1) / BANK_BYTES;
    }

    /** Groups of four lines work when they are whole, or when the surface pitch was made to fit (spec 5.1). */
    private void features() {
        if (cna.groupLineOff()) {
            return;
        }
        long pitch = 4L * cna.width() * Addressing.ATOM + cna.surfaceStride();
        boolean whole = cna.height() % 4 == 0;
        boolean fitted = cna.height() == 1 && pitch == (long) cna.width() * Addressing.ATOM;
        wrongUnless(
                whole || fitted,
                LINE_GROUP,
                "%d lines in groups of four with a surface pitch of %d bytes: boards read other rows than the packer "
                        + "wrote; use a multiple of 4 lines, or at one line SURF_STRIDE = -3 * W",
                cna.height(),
                pitch);
    }

    /** Spec 5.3, 4.1. */
    private void output() {
        int expected = out.output().bytes() == 4
                ? cna.input() == Precision.INT8 ? 8 : 4
                : out.output() == Precision.INT16 ? 4 : 2;
        wrongUnless(
                out.surfacesPerGroup() == expected,
                SIZE_E,
                "SIZE_E %d with %s operands and %s output, must be %d",
                out.surfacesPerGroup() - 1,
                cna.input(),
                out.output(),
                expected - 1);
        if (out.height() > 1) {
            wrongUnless(
                    out.notchLow() == out.notchHigh(),
                    UNEQUAL_NOTCHES,
                    "the halves of NOTCH differ (%d, %d): most of the tile stays unwritten",
                    out.notchLow(),
                    out.notchHigh());
        }
        if (out.surfaceAdd() != out.surfacesPerGroup() * out.surfaceStride()) {
            note(
                    "surface-add",
                    "SURFACE_ADD is %d, %d surfaces of %d bytes take %d",
                    out.surfaceAdd(),
                    out.surfacesPerGroup(),
                    out.surfaceStride(),
                    out.surfacesPerGroup() * out.surfaceStride());
        }
        if (out.output() == Precision.FP16) {
            wrongUnless(out.toHalf(), "fp16-out", "fp16 output without FP32TOFP16_EN in 0x4084");
        }
        if (out.convertType() || out.minusExponent() != 0) {
            note("out-convert", "CVT_TYPE or MINUS_EXP of 0x4088 is set; what they do is not modelled");
        }
    }

    /** Spec 3.2, 4.2: with the reader enabled and its main channel on, the DPU waits for ever. */
    private void reader() {
        if ((enable & Block.DPU_RDMA.enableBit()) != 0) {
            require(
                    out.mainReaderOff() && out.elementReaderOff(),
                    Severity.FATAL,
                    READER_TRAP,
                    "DPU_RDMA is enabled but 0x5044 lacks MRDMA_DISABLE or 0x5034 lacks ERDMA_DISABLE: "
                            + "the DPU never finishes");
        }
    }

    private int elementBytes() {
        return cna.input().bytes();
    }

    @SuppressWarnings("AnnotateFormatMethod")
    private void wrongUnless(boolean holds, String code, String format, Object... values) {
        require(holds, Severity.WRONG, code, format, values);
    }

    @SuppressWarnings("AnnotateFormatMethod")
    private void note(String code, String format, Object... values) {
        require(false, Severity.NOTE, code, format, values);
    }

    @SuppressWarnings("AnnotateFormatMethod")
    private void require(boolean holds, Severity severity, String code, String format, Object... values) {
        if (!holds) {
            found.add(new Diagnostic(severity, code, format.formatted(values)));
        }
    }
}
