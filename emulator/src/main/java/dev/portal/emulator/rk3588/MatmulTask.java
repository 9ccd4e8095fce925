package dev.portal.emulator.rk3588;

import dev.portal.hardware.rk3588.CnaRegisters;
import dev.portal.hardware.rk3588.CoreRegisters;
import dev.portal.hardware.rk3588.DpuRdmaRegisters;
import dev.portal.hardware.rk3588.DpuRegisters;
import dev.portal.hardware.rk3588.Precision;

/**
 * What one program asks of the blocks, as read from a register group when the enable word arrives. Sizes are as the
 * chip's fields hold them; nothing is checked here.
 *
 * @param enable the broadcast enable word
 * @param group register group that the program uses, 0 or 1
 * @param cna feature and weight side
 * @param out output side
 */
record MatmulTask(int enable, int group, Cna cna, Out out) {

    /**
     * CNA and CORE.
     *
     * @param lineStride in bytes
     * @param surfaceStride in bytes, signed
     */
    record Cna(
            Precision input,
            Precision arithmetic,
            int convolutionMode,
            boolean groupLineOff,
            int width,
            int height,
            int channels,
            int realChannels,
            int kernels,
            int weightBytes,
            int kernelBytes,
            int weightBanks,
            int dataBanks,
            int fullyConnectedBanks,
            boolean dataReuse,
            boolean weightReuse,
            int entries,
            long feature,
            long lineStride,
            long surfaceStride,
            int dmaWidth,
            int dmaHeight,
            int dmaChannels,
            long weights,
            int outWidth,
            int outAtomics,
            Precision coreArithmetic,
            int coreWidth,
            int coreHeight,
            int coreChannels) {
        /** Feature positions: the rows of the product. */
        int rows() {
            return width * height;
        }
    }

    /**
     * DPU and its reader.
     *
     * @param surfaceStride bytes between surfaces of a group
     * @param surfaceAdd bytes between groups
     */
    record Out(
            Precision input,
            Precision output,
            Precision arithmetic,
            long destination,
            int surfaceStride,
            int surfaceAdd,
            int surfacesPerGroup,
            int width,
            int height,
            int channels,
            int writeChannels,
            int notchLow,
            int notchHigh,
            boolean stagesBypassed,
            int scale,
            int shift,
            boolean roundAway,
            int offset,
            boolean toHalf,
            int minusExponent,
            boolean convertType,
            boolean mainReaderOff,
            boolean elementReaderOff) {}

    /** Reads a group. */
    static MatmulTask of(RegisterGroups registers, int group, int enable, long dmaBase) {
        return new MatmulTask(enable, group, cna(registers, group, dmaBase), out(registers, group, dmaBase));
    }

    private static Cna cna(RegisterGroups registers, int group, long dmaBase) {
        int con1 = registers.get(group, CnaRegisters.CNA_CONV_CON1);
        int size0 = registers.get(group, CnaRegisters.CNA_DATA_SIZE0);
        int size1 = registers.get(group, CnaRegisters.CNA_DATA_SIZE1);
        int cbuf = registers.get(group, CnaRegisters.CNA_CBUF_CON0);
        int fc0 = registers.get(group, CnaRegisters.CNA_FC_DATA_SIZE0);
        int misc = registers.get(group, CoreRegisters.CORE_MISC_CFG);
        int coreSize = registers.get(group, CoreRegisters.CORE_DATAOUT_SIZE_0);
        return new Cna(
                Precision.of(CnaRegisters.CNA_CONV_CON1_IN_PRECISION.decode(con1)),
                Precision.of(CnaRegisters.CNA_CONV_CON1_PROC_PRECISION.decode(con1)),
                CnaRegisters.CNA_CONV_CON1_CONV_MODE.decode(con1),
                CnaRegisters.CNA_CONV_CON1_GROUP_LINE_OFF.isSet(con1),
                CnaRegisters.CNA_DATA_SIZE0_DATAIN_WIDTH.decode(size0),
                CnaRegisters.CNA_DATA_SIZE0_DATAIN_HEIGHT.decode(size0),
                CnaRegisters.CNA_DATA_SIZE1_DATAIN_CHANNEL.decode(size1),
                CnaRegisters.CNA_DATA_SIZE1_DATAIN_CHANNEL_REAL.decode(size1) + 1,
                CnaRegisters.CNA_WEIGHT_SIZE2_WEIGHT_KERNELS.decode(
                        registers.get(group, CnaRegisters.CNA_WEIGHT_SIZE2)),
                registers.get(group, CnaRegisters.CNA_WEIGHT_SIZE0),
                CnaRegisters.CNA_WEIGHT_SIZE1_WEIGHT_BYTES_PER_KERNEL.decode(
                        registers.get(group, CnaRegisters.CNA_WEIGHT_SIZE1)),
                CnaRegisters.CNA_CBUF_CON0_WEIGHT_BANK.decode(cbuf),
                CnaRegisters.CNA_CBUF_CON0_DATA_BANK.decode(cbuf),
                CnaRegisters.CNA_CBUF_CON0_FC_DATA_BANK.decode(cbuf),
                CnaRegisters.CNA_CBUF_CON0_DATA_REUSE.isSet(cbuf),
                CnaRegisters.CNA_CBUF_CON0_WEIGHT_REUSE.isSet(cbuf),
                CnaRegisters.CNA_CBUF_CON1_DATA_ENTRIES.decode(registers.get(group, CnaRegisters.CNA_CBUF_CON1)),
                address(registers.get(group, CnaRegisters.CNA_FEATURE_DATA_ADDR), dmaBase),
                16L * CnaRegisters.CNA_DMA_CON1_LINE_STRIDE.decode(registers.get(group, CnaRegisters.CNA_DMA_CON1)),
                16L
                        * CnaRegisters.CNA_DMA_CON2_SURF_STRIDE.decodeSigned(
                                registers.get(group, CnaRegisters.CNA_DMA_CON2)),
                CnaRegisters.CNA_FC_DATA_SIZE0_DMA_WIDTH.decode(fc0),
                CnaRegisters.CNA_FC_DATA_SIZE0_DMA_HEIGHT.decode(fc0),
                CnaRegisters.CNA_FC_DATA_SIZE1_DMA_CHANNEL.decode(registers.get(group, CnaRegisters.CNA_FC_DATA_SIZE1)),
                address(registers.get(group, CnaRegisters.CNA_DCOMP_ADDR0), dmaBase),
                CnaRegisters.CNA_DATA_SIZE2_DATAOUT_WIDTH.decode(registers.get(group, CnaRegisters.CNA_DATA_SIZE2)),
                CnaRegisters.CNA_DATA_SIZE3_DATAOUT_ATOMICS.decode(registers.get(group, CnaRegisters.CNA_DATA_SIZE3)),
                Precision.of(CoreRegisters.CORE_MISC_CFG_PROC_PRECISION.decode(misc)),
                CoreRegisters.CORE_DATAOUT_SIZE_0_DATAOUT_WIDTH.decode(coreSize) + 1,
                CoreRegisters.CORE_DATAOUT_SIZE_0_DATAOUT_HEIGHT.decode(coreSize) + 1,
                CoreRegisters.CORE_DATAOUT_SIZE_1_DATAOUT_CHANNEL.decode(
                                registers.get(group, CoreRegisters.CORE_DATAOUT_SIZE_1))
                        + 1);
    }

    private static Out out(RegisterGroups registers, int group, long dmaBase) {
        int format = registers.get(group, DpuRegisters.DPU_DATA_FORMAT);
        int notch = registers.get(group, DpuRegisters.DPU_DATA_CUBE_NOTCH_ADDR);
        int scale = registers.get(group, DpuRegisters.DPU_OUT_CVT_SCALE);
        int shift = registers.get(group, DpuRegisters.DPU_OUT_CVT_SHIFT);
        boolean bypassed = (registers.get(group, DpuRegisters.DPU_BS_CFG) & 1) != 0
                && (registers.get(group, DpuRegisters.DPU_BN_CFG) & 1) != 0
                && (registers.get(group, DpuRegisters.DPU_EW_CFG) & 1) != 0;
        return new Out(
                Precision.of(DpuRegisters.DPU_DATA_FORMAT_IN_PRECISION.decode(format)),
                Precision.of(DpuRegisters.DPU_DATA_FORMAT_OUT_PRECISION.decode(format)),
                Precision.of(DpuRegisters.DPU_DATA_FORMAT_PROC_PRECISION.decode(format)),
                address(registers.get(group, DpuRegisters.DPU_DST_BASE_ADDR), dmaBase),
                registers.get(group, DpuRegisters.DPU_DST_SURF_STRIDE) & ~15,
                registers.get(group, DpuRegisters.DPU_SURFACE_ADD) & ~15,
                DpuRegisters.DPU_BS_OW_CFG_SIZE_E_0.decode(registers.get(group, DpuRegisters.DPU_BS_OW_CFG)) + 1,
                DpuRegisters.DPU_DATA_CUBE_WIDTH_WIDTH.decode(registers.get(group, DpuRegisters.DPU_DATA_CUBE_WIDTH))
                        + 1,
                DpuRegisters.DPU_DATA_CUBE_HEIGHT_HEIGHT.decode(registers.get(group, DpuRegisters.DPU_DATA_CUBE_HEIGHT))
                        + 1,
                DpuRegisters.DPU_DATA_CUBE_CHANNEL_CHANNEL.decode(
                                registers.get(group, DpuRegisters.DPU_DATA_CUBE_CHANNEL))
                        + 1,
                DpuRegisters.DPU_WDMA_SIZE_0_CHANNEL_WDMA.decode(registers.get(group, DpuRegisters.DPU_WDMA_SIZE_0))
                        + 1,
                DpuRegisters.DPU_DATA_CUBE_NOTCH_ADDR_NOTCH_ADDR_0.decode(notch),
                DpuRegisters.DPU_DATA_CUBE_NOTCH_ADDR_NOTCH_ADDR_1.decode(notch),
                bypassed,
                DpuRegisters.DPU_OUT_CVT_SCALE_SCALE.decodeSigned(scale),
                DpuRegisters.DPU_OUT_CVT_SHIFT_SHIFT.decode(shift) & 63,
                DpuRegisters.DPU_OUT_CVT_SHIFT_CVT_ROUND.isSet(shift),
                registers.get(group, DpuRegisters.DPU_OUT_CVT_OFFSET),
                DpuRegisters.DPU_OUT_CVT_SCALE_FP32TOFP16_EN.isSet(scale),
                DpuRegisters.DPU_OUT_CVT_SHIFT_MINUS_EXP.decode(shift),
                DpuRegisters.DPU_OUT_CVT_SHIFT_CVT_TYPE.isSet(shift),
                DpuRdmaRegisters.DPU_RDMA_FEATURE_MODE_CFG_MRDMA_DISABLE.isSet(
                        registers.get(group, DpuRdmaRegisters.DPU_RDMA_FEATURE_MODE_CFG)),
                DpuRdmaRegisters.DPU_RDMA_ERDMA_CFG_ERDMA_DISABLE.isSet(
                        registers.get(group, DpuRdmaRegisters.DPU_RDMA_ERDMA_CFG)));
    }

    private static long address(int register, long dmaBase) {
        return ((register & 0xffff_ffffL) + dmaBase) & 0xffff_ffffL;
    }
}
