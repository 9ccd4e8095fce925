package dev.portal.hardware.rk3588;

import dev.portal.hardware.rk3588.RegisterField.Access;
import dev.portal.hardware.rk3588.RegisterField.Confidence;
import dev.portal.hardware.rk3588.RegisterField.ValueType;
import java.util.List;

/** Registers of DPU. Generated from {@code dpu.tsv}; do not edit. */
public final class DpuRegisters {
    public static final int DPU_S_STATUS = 0x4000;
    /** executer 1: 0 idle, 1 operating, 2 operating with the other waiting (TRM 36; spec 7.1). */
    public static final BitField DPU_S_STATUS_STATUS_1 = new BitField("DPU_S_STATUS", "STATUS_1", 17, 16);
    /** executer 0 (TRM 36; spec 7.1). */
    public static final BitField DPU_S_STATUS_STATUS_0 = new BitField("DPU_S_STATUS", "STATUS_0", 1, 0);

    public static final int DPU_S_POINTER = 0x4004;
    /** core number, set by the driver (spec 8.3). */
    public static final BitField DPU_S_POINTER_CORE_INDEX = new BitField("DPU_S_POINTER", "CORE_INDEX", 29, 28);
    /** executer in use (TRM 36; spec 7.1). */
    public static final BitField DPU_S_POINTER_EXECUTER = new BitField("DPU_S_POINTER", "EXECUTER", 16, 16);
    /** clears the executer pointer (TRM 36; spec 7.1). */
    public static final BitField DPU_S_POINTER_EXECUTER_PP_CLEAR =
            new BitField("DPU_S_POINTER", "EXECUTER_PP_CLEAR", 5, 5);
    /** clears the pointer (TRM 36; spec 7.1). */
    public static final BitField DPU_S_POINTER_POINTER_PP_CLEAR =
            new BitField("DPU_S_POINTER", "POINTER_PP_CLEAR", 4, 4);
    /** 1 = toggle by pointer (TRM 36; spec 7.1). */
    public static final BitField DPU_S_POINTER_POINTER_PP_MODE = new BitField("DPU_S_POINTER", "POINTER_PP_MODE", 3, 3);
    /** executer ping-pong (TRM 36; spec 7.1). */
    public static final BitField DPU_S_POINTER_EXECUTER_PP_EN = new BitField("DPU_S_POINTER", "EXECUTER_PP_EN", 2, 2);
    /** pointer ping-pong (TRM 36; spec 7.1). */
    public static final BitField DPU_S_POINTER_POINTER_PP_EN = new BitField("DPU_S_POINTER", "POINTER_PP_EN", 1, 1);
    /** register group that writes go to (TRM 36; spec 7.1). */
    public static final BitField DPU_S_POINTER_POINTER = new BitField("DPU_S_POINTER", "POINTER", 0, 0);

    public static final int DPU_OPERATION_ENABLE = 0x4008;
    /** starts the block in slave mode (TRM 36). */
    public static final BitField DPU_OPERATION_ENABLE_OP_EN = new BitField("DPU_OPERATION_ENABLE", "OP_EN", 0, 0);

    public static final int DPU_FEATURE_MODE_CFG = 0x400c;
    /** burst of the write DMA (spec 4). */
    public static final BitField DPU_FEATURE_MODE_CFG_BURST_LEN =
            new BitField("DPU_FEATURE_MODE_CFG", "BURST_LEN", 8, 5);
    /** 0 = direct convolution (spec 4). */
    public static final BitField DPU_FEATURE_MODE_CFG_CONV_MODE =
            new BitField("DPU_FEATURE_MODE_CFG", "CONV_MODE", 4, 3);
    /** 2 = to memory (spec 4). */
    public static final BitField DPU_FEATURE_MODE_CFG_OUTPUT_MODE =
            new BitField("DPU_FEATURE_MODE_CFG", "OUTPUT_MODE", 2, 1);
    /** 0 = input from CORE (spec 4). */
    public static final BitField DPU_FEATURE_MODE_CFG_FLYING_MODE =
            new BitField("DPU_FEATURE_MODE_CFG", "FLYING_MODE", 0, 0);

    public static final int DPU_DATA_FORMAT = 0x4010;
    /** written elements (spec 4). */
    public static final BitField DPU_DATA_FORMAT_OUT_PRECISION =
            new BitField("DPU_DATA_FORMAT", "OUT_PRECISION", 31, 29);
    /** elementwise operand (spec 4). */
    public static final BitField DPU_DATA_FORMAT_IN_PRECISION = new BitField("DPU_DATA_FORMAT", "IN_PRECISION", 28, 26);
    /** elementwise shift (spec 4). */
    public static final BitField DPU_DATA_FORMAT_EW_TRUNCATE = new BitField("DPU_DATA_FORMAT", "EW_TRUNCATE", 25, 16);
    /** BN shift (spec 4). */
    public static final BitField DPU_DATA_FORMAT_BN_MUL_SHIFT = new BitField("DPU_DATA_FORMAT", "BN_MUL_SHIFT", 15, 10);
    /** BS shift (spec 4). */
    public static final BitField DPU_DATA_FORMAT_BS_MUL_SHIFT = new BitField("DPU_DATA_FORMAT", "BS_MUL_SHIFT", 9, 4);
    /** multi-core surfaces (spec 4). */
    public static final BitField DPU_DATA_FORMAT_MC_SURF_OUT = new BitField("DPU_DATA_FORMAT", "MC_SURF_OUT", 3, 3);
    /** arithmetic (spec 4). */
    public static final BitField DPU_DATA_FORMAT_PROC_PRECISION =
            new BitField("DPU_DATA_FORMAT", "PROC_PRECISION", 2, 0);

    public static final int DPU_OFFSET_PEND = 0x4014;
    /** offset (spec 4). */
    public static final BitField DPU_OFFSET_PEND_VALUE = new BitField("DPU_OFFSET_PEND", "VALUE", 31, 0);

    public static final int DPU_DST_BASE_ADDR = 0x4020;
    /** IOVA of the result: C (spec 4). */
    public static final BitField DPU_DST_BASE_ADDR_DST_BASE_ADDR =
            new BitField("DPU_DST_BASE_ADDR", "DST_BASE_ADDR", 31, 0);

    public static final int DPU_DST_SURF_STRIDE = 0x4024;
    /** between surfaces of a group, in 16-byte units (spec 4). */
    public static final BitField DPU_DST_SURF_STRIDE_DST_SURF_STRIDE =
            new BitField("DPU_DST_SURF_STRIDE", "DST_SURF_STRIDE", 31, 4);

    public static final int DPU_DATA_CUBE_WIDTH = 0x4030;
    /** output width (spec 4). */
    public static final BitField DPU_DATA_CUBE_WIDTH_WIDTH = new BitField("DPU_DATA_CUBE_WIDTH", "WIDTH", 12, 0);

    public static final int DPU_DATA_CUBE_HEIGHT = 0x4034;
    /** minimum and maximum search (spec 4). */
    public static final BitField DPU_DATA_CUBE_HEIGHT_MINMAX_CTL =
            new BitField("DPU_DATA_CUBE_HEIGHT", "MINMAX_CTL", 24, 22);
    /** output height: M (spec 4). */
    public static final BitField DPU_DATA_CUBE_HEIGHT_HEIGHT = new BitField("DPU_DATA_CUBE_HEIGHT", "HEIGHT", 12, 0);

    public static final int DPU_DATA_CUBE_NOTCH_ADDR = 0x4038;
    /** 16-byte units skipped after each row, high half (spec 4). */
    public static final BitField DPU_DATA_CUBE_NOTCH_ADDR_NOTCH_ADDR_1 =
            new BitField("DPU_DATA_CUBE_NOTCH_ADDR", "NOTCH_ADDR_1", 28, 16);
    /** 16-byte units skipped after each row, low half; both act (spec 5.3) (spec 4). */
    public static final BitField DPU_DATA_CUBE_NOTCH_ADDR_NOTCH_ADDR_0 =
            new BitField("DPU_DATA_CUBE_NOTCH_ADDR", "NOTCH_ADDR_0", 12, 0);

    public static final int DPU_DATA_CUBE_CHANNEL = 0x403c;
    /** channels of the whole result (spec 4). */
    public static final BitField DPU_DATA_CUBE_CHANNEL_ORIG_CHANNEL =
            new BitField("DPU_DATA_CUBE_CHANNEL", "ORIG_CHANNEL", 28, 16);
    /** channels of this program: N (spec 4). */
    public static final BitField DPU_DATA_CUBE_CHANNEL_CHANNEL =
            new BitField("DPU_DATA_CUBE_CHANNEL", "CHANNEL", 12, 0);

    public static final int DPU_BS_CFG = 0x4040;
    /** no ReLU (spec 4). */
    public static final BitField DPU_BS_CFG_RELU_BYPASS = new BitField("DPU_BS_CFG", "RELU_BYPASS", 6, 6);
    /** no multiplication (spec 4). */
    public static final BitField DPU_BS_CFG_MUL_BYPASS = new BitField("DPU_BS_CFG", "MUL_BYPASS", 4, 4);
    /** no addition (spec 4). */
    public static final BitField DPU_BS_CFG_ALU_BYPASS = new BitField("DPU_BS_CFG", "ALU_BYPASS", 1, 1);
    /** whole stage off (spec 4). */
    public static final BitField DPU_BS_CFG_BYPASS = new BitField("DPU_BS_CFG", "BYPASS", 0, 0);

    public static final int DPU_BS_ALU_CFG = 0x4044;
    /** operand of the addition (spec 4). */
    public static final BitField DPU_BS_ALU_CFG_VALUE = new BitField("DPU_BS_ALU_CFG", "VALUE", 31, 0);

    public static final int DPU_BS_MUL_CFG = 0x4048;
    /** operand of the multiplication (spec 4). */
    public static final BitField DPU_BS_MUL_CFG_VALUE = new BitField("DPU_BS_MUL_CFG", "VALUE", 31, 0);

    public static final int DPU_BS_RELUX_CMP_VALUE = 0x404c;
    /** upper bound of ReLU-X (spec 4). */
    public static final BitField DPU_BS_RELUX_CMP_VALUE_VALUE = new BitField("DPU_BS_RELUX_CMP_VALUE", "VALUE", 31, 0);

    public static final int DPU_BS_OW_CFG = 0x4050;
    /** transpose (spec 4). */
    public static final BitField DPU_BS_OW_CFG_TP_ORG_EN = new BitField("DPU_BS_OW_CFG", "TP_ORG_EN", 27, 27);
    /** surfaces a group (spec 4). */
    public static final BitField DPU_BS_OW_CFG_SIZE_E_2 = new BitField("DPU_BS_OW_CFG", "SIZE_E_2", 10, 8);
    /** surfaces a group (spec 4). */
    public static final BitField DPU_BS_OW_CFG_SIZE_E_1 = new BitField("DPU_BS_OW_CFG", "SIZE_E_1", 7, 5);
    /** surfaces a group: 8 int32, 4 fp32, 2 for 8 and 16 bit (spec 4). */
    public static final BitField DPU_BS_OW_CFG_SIZE_E_0 = new BitField("DPU_BS_OW_CFG", "SIZE_E_0", 4, 2);
    /** no operand (spec 4). */
    public static final BitField DPU_BS_OW_CFG_OD_BYPASS = new BitField("DPU_BS_OW_CFG", "OD_BYPASS", 1, 1);
    /** operand source (spec 4). */
    public static final BitField DPU_BS_OW_CFG_OW_SRC = new BitField("DPU_BS_OW_CFG", "OW_SRC", 0, 0);

    public static final int DPU_BS_OW_OP = 0x4054;
    /** operand (spec 4). */
    public static final BitField DPU_BS_OW_OP_VALUE = new BitField("DPU_BS_OW_OP", "VALUE", 31, 0);

    public static final int DPU_WDMA_SIZE_0 = 0x4058;
    /** transpose precision (spec 4). */
    public static final BitField DPU_WDMA_SIZE_0_TP_PRECISION = new BitField("DPU_WDMA_SIZE_0", "TP_PRECISION", 27, 27);
    /** channel size (spec 4). */
    public static final BitField DPU_WDMA_SIZE_0_SIZE_C = new BitField("DPU_WDMA_SIZE_0", "SIZE_C", 26, 16);
    /** channels written: N (spec 4). */
    public static final BitField DPU_WDMA_SIZE_0_CHANNEL_WDMA = new BitField("DPU_WDMA_SIZE_0", "CHANNEL_WDMA", 12, 0);

    public static final int DPU_WDMA_SIZE_1 = 0x405c;
    /** rows written: M (spec 4). */
    public static final BitField DPU_WDMA_SIZE_1_HEIGHT_WDMA = new BitField("DPU_WDMA_SIZE_1", "HEIGHT_WDMA", 28, 16);
    /** width written (spec 4). */
    public static final BitField DPU_WDMA_SIZE_1_WIDTH_WDMA = new BitField("DPU_WDMA_SIZE_1", "WIDTH_WDMA", 12, 0);

    public static final int DPU_BN_CFG = 0x4060;
    /** no ReLU (spec 4). */
    public static final BitField DPU_BN_CFG_RELU_BYPASS = new BitField("DPU_BN_CFG", "RELU_BYPASS", 6, 6);
    /** no multiplication (spec 4). */
    public static final BitField DPU_BN_CFG_MUL_BYPASS = new BitField("DPU_BN_CFG", "MUL_BYPASS", 4, 4);
    /** no addition (spec 4). */
    public static final BitField DPU_BN_CFG_ALU_BYPASS = new BitField("DPU_BN_CFG", "ALU_BYPASS", 1, 1);
    /** whole stage off (spec 4). */
    public static final BitField DPU_BN_CFG_BYPASS = new BitField("DPU_BN_CFG", "BYPASS", 0, 0);

    public static final int DPU_BN_ALU_CFG = 0x4064;
    /** operand of the addition (spec 4). */
    public static final BitField DPU_BN_ALU_CFG_VALUE = new BitField("DPU_BN_ALU_CFG", "VALUE", 31, 0);

    public static final int DPU_BN_MUL_CFG = 0x4068;
    /** operand of the multiplication (spec 4). */
    public static final BitField DPU_BN_MUL_CFG_VALUE = new BitField("DPU_BN_MUL_CFG", "VALUE", 31, 0);

    public static final int DPU_BN_RELUX_CMP_VALUE = 0x406c;
    /** upper bound of ReLU-X (spec 4). */
    public static final BitField DPU_BN_RELUX_CMP_VALUE_VALUE = new BitField("DPU_BN_RELUX_CMP_VALUE", "VALUE", 31, 0);

    public static final int DPU_EW_CFG = 0x4070;
    /** operand mode (spec 4). */
    public static final BitField DPU_EW_CFG_DATA_MODE = new BitField("DPU_EW_CFG", "DATA_MODE", 28, 28);
    /** operand size (spec 4). */
    public static final BitField DPU_EW_CFG_EDATA_SIZE = new BitField("DPU_EW_CFG", "EDATA_SIZE", 23, 22);
    /** operation (spec 4). */
    public static final BitField DPU_EW_CFG_ALU_ALGO = new BitField("DPU_EW_CFG", "ALU_ALGO", 17, 16);
    /** no ReLU (spec 4). */
    public static final BitField DPU_EW_CFG_RELU_BYPASS = new BitField("DPU_EW_CFG", "RELU_BYPASS", 9, 9);
    /** no operand conversion (spec 4). */
    public static final BitField DPU_EW_CFG_OP_CVT_BYPASS = new BitField("DPU_EW_CFG", "OP_CVT_BYPASS", 8, 8);
    /** no lookup table (spec 4). */
    public static final BitField DPU_EW_CFG_LUT_BYPASS = new BitField("DPU_EW_CFG", "LUT_BYPASS", 7, 7);
    /** 1 = operand from DPU_RDMA (spec 4). */
    public static final BitField DPU_EW_CFG_OP_SRC = new BitField("DPU_EW_CFG", "OP_SRC", 6, 6);
    /** 1 = multiplication (spec 4). */
    public static final BitField DPU_EW_CFG_OP_TYPE = new BitField("DPU_EW_CFG", "OP_TYPE", 2, 2);
    /** no operation (spec 4). */
    public static final BitField DPU_EW_CFG_OP_BYPASS = new BitField("DPU_EW_CFG", "OP_BYPASS", 1, 1);
    /** whole stage off (spec 4). */
    public static final BitField DPU_EW_CFG_BYPASS = new BitField("DPU_EW_CFG", "BYPASS", 0, 0);

    public static final int DPU_EW_CVT_OFFSET_VALUE = 0x4074;
    /** operand conversion: offset (spec 4). */
    public static final BitField DPU_EW_CVT_OFFSET_VALUE_VALUE =
            new BitField("DPU_EW_CVT_OFFSET_VALUE", "VALUE", 31, 0);

    public static final int DPU_EW_CVT_SCALE_VALUE = 0x4078;
    /** operand conversion: shift (spec 4). */
    public static final BitField DPU_EW_CVT_SCALE_VALUE_SHIFT = new BitField("DPU_EW_CVT_SCALE_VALUE", "SHIFT", 21, 16);
    /** operand conversion: scale (spec 4). */
    public static final BitField DPU_EW_CVT_SCALE_VALUE_SCALE = new BitField("DPU_EW_CVT_SCALE_VALUE", "SCALE", 15, 0);

    public static final int DPU_EW_RELUX_CMP_VALUE = 0x407c;
    /** upper bound of ReLU-X (spec 4). */
    public static final BitField DPU_EW_RELUX_CMP_VALUE_VALUE = new BitField("DPU_EW_RELUX_CMP_VALUE", "VALUE", 31, 0);

    public static final int DPU_OUT_CVT_OFFSET = 0x4080;
    /** added after scaling and rounding, before saturation (spec 4.1). */
    public static final BitField DPU_OUT_CVT_OFFSET_VALUE = new BitField("DPU_OUT_CVT_OFFSET", "VALUE", 31, 0);

    public static final int DPU_OUT_CVT_SCALE = 0x4084;
    /** write fp16 (spec 4, 4.1). */
    public static final BitField DPU_OUT_CVT_SCALE_FP32TOFP16_EN =
            new BitField("DPU_OUT_CVT_SCALE", "FP32TOFP16_EN", 16, 16);
    /** multiplier, signed (spec 4, 4.1). */
    public static final BitField DPU_OUT_CVT_SCALE_SCALE = new BitField("DPU_OUT_CVT_SCALE", "SCALE", 15, 0);

    public static final int DPU_OUT_CVT_SHIFT = 0x4088;
    /** order of scale and offset (spec 4, 4.1). */
    public static final BitField DPU_OUT_CVT_SHIFT_CVT_TYPE = new BitField("DPU_OUT_CVT_SHIFT", "CVT_TYPE", 31, 31);
    /** 0 = ties to even, 1 = ties away from zero (spec 4.1). */
    public static final BitField DPU_OUT_CVT_SHIFT_CVT_ROUND = new BitField("DPU_OUT_CVT_SHIFT", "CVT_ROUND", 30, 30);
    /** exponent correction (spec 4, 4.1). */
    public static final BitField DPU_OUT_CVT_SHIFT_MINUS_EXP = new BitField("DPU_OUT_CVT_SHIFT", "MINUS_EXP", 19, 12);
    /** right shift; 6 bits used (spec 4, 4.1). */
    public static final BitField DPU_OUT_CVT_SHIFT_SHIFT = new BitField("DPU_OUT_CVT_SHIFT", "SHIFT", 11, 0);

    public static final int DPU_EW_OP_VALUE_0 = 0x4090;
    /** elementwise operand from a register (spec 4). */
    public static final BitField DPU_EW_OP_VALUE_0_VALUE = new BitField("DPU_EW_OP_VALUE_0", "VALUE", 31, 0);

    public static final int DPU_EW_OP_VALUE_1 = 0x4094;
    /** elementwise operand from a register (spec 4). */
    public static final BitField DPU_EW_OP_VALUE_1_VALUE = new BitField("DPU_EW_OP_VALUE_1", "VALUE", 31, 0);

    public static final int DPU_EW_OP_VALUE_2 = 0x4098;
    /** elementwise operand from a register (spec 4). */
    public static final BitField DPU_EW_OP_VALUE_2_VALUE = new BitField("DPU_EW_OP_VALUE_2", "VALUE", 31, 0);

    public static final int DPU_EW_OP_VALUE_3 = 0x409c;
    /** elementwise operand from a register (spec 4). */
    public static final BitField DPU_EW_OP_VALUE_3_VALUE = new BitField("DPU_EW_OP_VALUE_3", "VALUE", 31, 0);

    public static final int DPU_EW_OP_VALUE_4 = 0x40a0;
    /** elementwise operand from a register (spec 4). */
    public static final BitField DPU_EW_OP_VALUE_4_VALUE = new BitField("DPU_EW_OP_VALUE_4", "VALUE", 31, 0);

    public static final int DPU_EW_OP_VALUE_5 = 0x40a4;
    /** elementwise operand from a register (spec 4). */
    public static final BitField DPU_EW_OP_VALUE_5_VALUE = new BitField("DPU_EW_OP_VALUE_5", "VALUE", 31, 0);

    public static final int DPU_EW_OP_VALUE_6 = 0x40a8;
    /** elementwise operand from a register (spec 4). */
    public static final BitField DPU_EW_OP_VALUE_6_VALUE = new BitField("DPU_EW_OP_VALUE_6", "VALUE", 31, 0);

    public static final int DPU_EW_OP_VALUE_7 = 0x40ac;
    /** elementwise operand from a register (spec 4). */
    public static final BitField DPU_EW_OP_VALUE_7_VALUE = new BitField("DPU_EW_OP_VALUE_7", "VALUE", 31, 0);

    public static final int DPU_SURFACE_ADD = 0x40c0;
    /** between groups of SIZE_E + 1 surfaces, in 16-byte units (spec 4). */
    public static final BitField DPU_SURFACE_ADD_SURF_ADD = new BitField("DPU_SURFACE_ADD", "SURF_ADD", 31, 4);

    public static final int DPU_40C4 = 0x40c4;
    /** undocumented, always written as 0 (spec 4). */
    public static final BitField DPU_40C4_UNKNOWN = new BitField("DPU_40C4", "UNKNOWN", 31, 0);

    public static final int DPU_LUT_ACCESS_CFG = 0x4100;
    /** lookup table (spec 4). */
    public static final BitField DPU_LUT_ACCESS_CFG_VALUE = new BitField("DPU_LUT_ACCESS_CFG", "VALUE", 31, 0);

    public static final int DPU_LUT_ACCESS_DATA = 0x4104;
    /** lookup table (spec 4). */
    public static final BitField DPU_LUT_ACCESS_DATA_VALUE = new BitField("DPU_LUT_ACCESS_DATA", "VALUE", 31, 0);

    public static final int DPU_LUT_CFG = 0x4108;
    /** lookup table (spec 4). */
    public static final BitField DPU_LUT_CFG_VALUE = new BitField("DPU_LUT_CFG", "VALUE", 31, 0);

    public static final int DPU_LUT_INFO = 0x410c;
    /** lookup table (spec 4). */
    public static final BitField DPU_LUT_INFO_VALUE = new BitField("DPU_LUT_INFO", "VALUE", 31, 0);

    public static final int DPU_LUT_LE_START = 0x4110;
    /** lookup table (spec 4). */
    public static final BitField DPU_LUT_LE_START_VALUE = new BitField("DPU_LUT_LE_START", "VALUE", 31, 0);

    public static final int DPU_LUT_LE_END = 0x4114;
    /** lookup table (spec 4). */
    public static final BitField DPU_LUT_LE_END_VALUE = new BitField("DPU_LUT_LE_END", "VALUE", 31, 0);

    public static final int DPU_LUT_LO_START = 0x4118;
    /** lookup table (spec 4). */
    public static final BitField DPU_LUT_LO_START_VALUE = new BitField("DPU_LUT_LO_START", "VALUE", 31, 0);

    public static final int DPU_LUT_LO_END = 0x411c;
    /** lookup table (spec 4). */
    public static final BitField DPU_LUT_LO_END_VALUE = new BitField("DPU_LUT_LO_END", "VALUE", 31, 0);

    public static final int DPU_LUT_LE_SLOPE_SCALE = 0x4120;
    /** lookup table (spec 4). */
    public static final BitField DPU_LUT_LE_SLOPE_SCALE_VALUE = new BitField("DPU_LUT_LE_SLOPE_SCALE", "VALUE", 31, 0);

    public static final int DPU_LUT_LE_SLOPE_SHIFT = 0x4124;
    /** lookup table (spec 4). */
    public static final BitField DPU_LUT_LE_SLOPE_SHIFT_VALUE = new BitField("DPU_LUT_LE_SLOPE_SHIFT", "VALUE", 31, 0);

    public static final int DPU_LUT_LO_SLOPE_SCALE = 0x4128;
    /** lookup table (spec 4). */
    public static final BitField DPU_LUT_LO_SLOPE_SCALE_VALUE = new BitField("DPU_LUT_LO_SLOPE_SCALE", "VALUE", 31, 0);

    public static final int DPU_LUT_LO_SLOPE_SHIFT = 0x412c;
    /** lookup table (spec 4). */
    public static final BitField DPU_LUT_LO_SLOPE_SHIFT_VALUE = new BitField("DPU_LUT_LO_SLOPE_SHIFT", "VALUE", 31, 0);

    static final List<Register> ALL = List.of(
            new Register(
                    Block.DPU,
                    DPU_S_STATUS,
                    "DPU_S_STATUS",
                    List.of(
                            new RegisterField(
                                    DPU_S_STATUS_STATUS_1,
                                    Access.RO,
                                    ValueType.UINT,
                                    "executer 1: 0 idle, 1 operating, 2 operating with the other waiting",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_S_STATUS_STATUS_0,
                                    Access.RO,
                                    ValueType.UINT,
                                    "executer 0",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_S_POINTER,
                    "DPU_S_POINTER",
                    List.of(
                            new RegisterField(
                                    DPU_S_POINTER_CORE_INDEX,
                                    Access.RW,
                                    ValueType.UINT,
                                    "core number, set by the driver",
                                    "spec 8.3",
                                    Confidence.OBSERVED),
                            new RegisterField(
                                    DPU_S_POINTER_EXECUTER,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "executer in use",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_S_POINTER_EXECUTER_PP_CLEAR,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "clears the executer pointer",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_S_POINTER_POINTER_PP_CLEAR,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "clears the pointer",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_S_POINTER_POINTER_PP_MODE,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = toggle by pointer",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_S_POINTER_EXECUTER_PP_EN,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "executer ping-pong",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_S_POINTER_POINTER_PP_EN,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "pointer ping-pong",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_S_POINTER_POINTER,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "register group that writes go to",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_OPERATION_ENABLE,
                    "DPU_OPERATION_ENABLE",
                    List.of(new RegisterField(
                            DPU_OPERATION_ENABLE_OP_EN,
                            Access.RW,
                            ValueType.FLAG,
                            "starts the block in slave mode",
                            "TRM 36",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_FEATURE_MODE_CFG,
                    "DPU_FEATURE_MODE_CFG",
                    List.of(
                            new RegisterField(
                                    DPU_FEATURE_MODE_CFG_BURST_LEN,
                                    Access.RW,
                                    ValueType.UINT,
                                    "burst of the write DMA",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_FEATURE_MODE_CFG_CONV_MODE,
                                    Access.RW,
                                    ValueType.UINT,
                                    "0 = direct convolution",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_FEATURE_MODE_CFG_OUTPUT_MODE,
                                    Access.RW,
                                    ValueType.UINT,
                                    "2 = to memory",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_FEATURE_MODE_CFG_FLYING_MODE,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "0 = input from CORE",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_DATA_FORMAT,
                    "DPU_DATA_FORMAT",
                    List.of(
                            new RegisterField(
                                    DPU_DATA_FORMAT_OUT_PRECISION,
                                    Access.RW,
                                    ValueType.PRECISION,
                                    "written elements",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_DATA_FORMAT_IN_PRECISION,
                                    Access.RW,
                                    ValueType.PRECISION,
                                    "elementwise operand",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_DATA_FORMAT_EW_TRUNCATE,
                                    Access.RW,
                                    ValueType.UINT,
                                    "elementwise shift",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_DATA_FORMAT_BN_MUL_SHIFT,
                                    Access.RW,
                                    ValueType.UINT,
                                    "BN shift",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_DATA_FORMAT_BS_MUL_SHIFT,
                                    Access.RW,
                                    ValueType.UINT,
                                    "BS shift",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_DATA_FORMAT_MC_SURF_OUT,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "multi-core surfaces",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_DATA_FORMAT_PROC_PRECISION,
                                    Access.RW,
                                    ValueType.PRECISION,
                                    "arithmetic",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_OFFSET_PEND,
                    "DPU_OFFSET_PEND",
                    List.of(new RegisterField(
                            DPU_OFFSET_PEND_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "offset",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_DST_BASE_ADDR,
                    "DPU_DST_BASE_ADDR",
                    List.of(new RegisterField(
                            DPU_DST_BASE_ADDR_DST_BASE_ADDR,
                            Access.RW,
                            ValueType.ADDR,
                            "IOVA of the result: C",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_DST_SURF_STRIDE,
                    "DPU_DST_SURF_STRIDE",
                    List.of(new RegisterField(
                            DPU_DST_SURF_STRIDE_DST_SURF_STRIDE,
                            Access.RW,
                            ValueType.STRIDE,
                            "between surfaces of a group, in 16-byte units",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_DATA_CUBE_WIDTH,
                    "DPU_DATA_CUBE_WIDTH",
                    List.of(new RegisterField(
                            DPU_DATA_CUBE_WIDTH_WIDTH,
                            Access.RW,
                            ValueType.MINUS1,
                            "output width",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_DATA_CUBE_HEIGHT,
                    "DPU_DATA_CUBE_HEIGHT",
                    List.of(
                            new RegisterField(
                                    DPU_DATA_CUBE_HEIGHT_MINMAX_CTL,
                                    Access.RW,
                                    ValueType.UINT,
                                    "minimum and maximum search",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_DATA_CUBE_HEIGHT_HEIGHT,
                                    Access.RW,
                                    ValueType.MINUS1,
                                    "output height: M",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_DATA_CUBE_NOTCH_ADDR,
                    "DPU_DATA_CUBE_NOTCH_ADDR",
                    List.of(
                            new RegisterField(
                                    DPU_DATA_CUBE_NOTCH_ADDR_NOTCH_ADDR_1,
                                    Access.RW,
                                    ValueType.UINT,
                                    "16-byte units skipped after each row, high half",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_DATA_CUBE_NOTCH_ADDR_NOTCH_ADDR_0,
                                    Access.RW,
                                    ValueType.UINT,
                                    "16-byte units skipped after each row, low half; both act (spec 5.3)",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_DATA_CUBE_CHANNEL,
                    "DPU_DATA_CUBE_CHANNEL",
                    List.of(
                            new RegisterField(
                                    DPU_DATA_CUBE_CHANNEL_ORIG_CHANNEL,
                                    Access.RW,
                                    ValueType.MINUS1,
                                    "channels of the whole result",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_DATA_CUBE_CHANNEL_CHANNEL,
                                    Access.RW,
                                    ValueType.MINUS1,
                                    "channels of this program: N",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_BS_CFG,
                    "DPU_BS_CFG",
                    List.of(
                            new RegisterField(
                                    DPU_BS_CFG_RELU_BYPASS,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "no ReLU",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_BS_CFG_MUL_BYPASS,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "no multiplication",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_BS_CFG_ALU_BYPASS,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "no addition",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_BS_CFG_BYPASS,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "whole stage off",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_BS_ALU_CFG,
                    "DPU_BS_ALU_CFG",
                    List.of(new RegisterField(
                            DPU_BS_ALU_CFG_VALUE,
                            Access.RW,
                            ValueType.INT,
                            "operand of the addition",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_BS_MUL_CFG,
                    "DPU_BS_MUL_CFG",
                    List.of(new RegisterField(
                            DPU_BS_MUL_CFG_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "operand of the multiplication",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_BS_RELUX_CMP_VALUE,
                    "DPU_BS_RELUX_CMP_VALUE",
                    List.of(new RegisterField(
                            DPU_BS_RELUX_CMP_VALUE_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "upper bound of ReLU-X",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_BS_OW_CFG,
                    "DPU_BS_OW_CFG",
                    List.of(
                            new RegisterField(
                                    DPU_BS_OW_CFG_TP_ORG_EN,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "transpose",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_BS_OW_CFG_SIZE_E_2,
                                    Access.RW,
                                    ValueType.MINUS1,
                                    "surfaces a group",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_BS_OW_CFG_SIZE_E_1,
                                    Access.RW,
                                    ValueType.MINUS1,
                                    "surfaces a group",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_BS_OW_CFG_SIZE_E_0,
                                    Access.RW,
                                    ValueType.MINUS1,
                                    "surfaces a group: 8 int32, 4 fp32, 2 for 8 and 16 bit",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_BS_OW_CFG_OD_BYPASS,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "no operand",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_BS_OW_CFG_OW_SRC,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "operand source",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_BS_OW_OP,
                    "DPU_BS_OW_OP",
                    List.of(new RegisterField(
                            DPU_BS_OW_OP_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "operand",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_WDMA_SIZE_0,
                    "DPU_WDMA_SIZE_0",
                    List.of(
                            new RegisterField(
                                    DPU_WDMA_SIZE_0_TP_PRECISION,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "transpose precision",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_WDMA_SIZE_0_SIZE_C,
                                    Access.RW,
                                    ValueType.UINT,
                                    "channel size",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_WDMA_SIZE_0_CHANNEL_WDMA,
                                    Access.RW,
                                    ValueType.MINUS1,
                                    "channels written: N",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_WDMA_SIZE_1,
                    "DPU_WDMA_SIZE_1",
                    List.of(
                            new RegisterField(
                                    DPU_WDMA_SIZE_1_HEIGHT_WDMA,
                                    Access.RW,
                                    ValueType.MINUS1,
                                    "rows written: M",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_WDMA_SIZE_1_WIDTH_WDMA,
                                    Access.RW,
                                    ValueType.MINUS1,
                                    "width written",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_BN_CFG,
                    "DPU_BN_CFG",
                    List.of(
                            new RegisterField(
                                    DPU_BN_CFG_RELU_BYPASS,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "no ReLU",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_BN_CFG_MUL_BYPASS,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "no multiplication",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_BN_CFG_ALU_BYPASS,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "no addition",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_BN_CFG_BYPASS,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "whole stage off",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_BN_ALU_CFG,
                    "DPU_BN_ALU_CFG",
                    List.of(new RegisterField(
                            DPU_BN_ALU_CFG_VALUE,
                            Access.RW,
                            ValueType.INT,
                            "operand of the addition",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_BN_MUL_CFG,
                    "DPU_BN_MUL_CFG",
                    List.of(new RegisterField(
                            DPU_BN_MUL_CFG_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "operand of the multiplication",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_BN_RELUX_CMP_VALUE,
                    "DPU_BN_RELUX_CMP_VALUE",
                    List.of(new RegisterField(
                            DPU_BN_RELUX_CMP_VALUE_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "upper bound of ReLU-X",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_EW_CFG,
                    "DPU_EW_CFG",
                    List.of(
                            new RegisterField(
                                    DPU_EW_CFG_DATA_MODE,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "operand mode",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_EW_CFG_EDATA_SIZE,
                                    Access.RW,
                                    ValueType.UINT,
                                    "operand size",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_EW_CFG_ALU_ALGO,
                                    Access.RW,
                                    ValueType.UINT,
                                    "operation",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_EW_CFG_RELU_BYPASS,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "no ReLU",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_EW_CFG_OP_CVT_BYPASS,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "no operand conversion",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_EW_CFG_LUT_BYPASS,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "no lookup table",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_EW_CFG_OP_SRC,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = operand from DPU_RDMA",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_EW_CFG_OP_TYPE,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = multiplication",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_EW_CFG_OP_BYPASS,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "no operation",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_EW_CFG_BYPASS,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "whole stage off",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_EW_CVT_OFFSET_VALUE,
                    "DPU_EW_CVT_OFFSET_VALUE",
                    List.of(new RegisterField(
                            DPU_EW_CVT_OFFSET_VALUE_VALUE,
                            Access.RW,
                            ValueType.INT,
                            "operand conversion: offset",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_EW_CVT_SCALE_VALUE,
                    "DPU_EW_CVT_SCALE_VALUE",
                    List.of(
                            new RegisterField(
                                    DPU_EW_CVT_SCALE_VALUE_SHIFT,
                                    Access.RW,
                                    ValueType.UINT,
                                    "operand conversion: shift",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_EW_CVT_SCALE_VALUE_SCALE,
                                    Access.RW,
                                    ValueType.INT,
                                    "operand conversion: scale",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_EW_RELUX_CMP_VALUE,
                    "DPU_EW_RELUX_CMP_VALUE",
                    List.of(new RegisterField(
                            DPU_EW_RELUX_CMP_VALUE_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "upper bound of ReLU-X",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_OUT_CVT_OFFSET,
                    "DPU_OUT_CVT_OFFSET",
                    List.of(new RegisterField(
                            DPU_OUT_CVT_OFFSET_VALUE,
                            Access.RW,
                            ValueType.INT,
                            "added after scaling and rounding, before saturation",
                            "spec 4.1",
                            Confidence.OBSERVED))),
            new Register(
                    Block.DPU,
                    DPU_OUT_CVT_SCALE,
                    "DPU_OUT_CVT_SCALE",
                    List.of(
                            new RegisterField(
                                    DPU_OUT_CVT_SCALE_FP32TOFP16_EN,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "write fp16",
                                    "spec 4, 4.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_OUT_CVT_SCALE_SCALE,
                                    Access.RW,
                                    ValueType.INT,
                                    "multiplier, signed",
                                    "spec 4, 4.1",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_OUT_CVT_SHIFT,
                    "DPU_OUT_CVT_SHIFT",
                    List.of(
                            new RegisterField(
                                    DPU_OUT_CVT_SHIFT_CVT_TYPE,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "order of scale and offset",
                                    "spec 4, 4.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_OUT_CVT_SHIFT_CVT_ROUND,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "0 = ties to even, 1 = ties away from zero",
                                    "spec 4.1",
                                    Confidence.OBSERVED),
                            new RegisterField(
                                    DPU_OUT_CVT_SHIFT_MINUS_EXP,
                                    Access.RW,
                                    ValueType.UINT,
                                    "exponent correction",
                                    "spec 4, 4.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_OUT_CVT_SHIFT_SHIFT,
                                    Access.RW,
                                    ValueType.UINT,
                                    "right shift; 6 bits used",
                                    "spec 4, 4.1",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_EW_OP_VALUE_0,
                    "DPU_EW_OP_VALUE_0",
                    List.of(new RegisterField(
                            DPU_EW_OP_VALUE_0_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "elementwise operand from a register",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_EW_OP_VALUE_1,
                    "DPU_EW_OP_VALUE_1",
                    List.of(new RegisterField(
                            DPU_EW_OP_VALUE_1_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "elementwise operand from a register",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_EW_OP_VALUE_2,
                    "DPU_EW_OP_VALUE_2",
                    List.of(new RegisterField(
                            DPU_EW_OP_VALUE_2_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "elementwise operand from a register",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_EW_OP_VALUE_3,
                    "DPU_EW_OP_VALUE_3",
                    List.of(new RegisterField(
                            DPU_EW_OP_VALUE_3_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "elementwise operand from a register",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_EW_OP_VALUE_4,
                    "DPU_EW_OP_VALUE_4",
                    List.of(new RegisterField(
                            DPU_EW_OP_VALUE_4_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "elementwise operand from a register",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_EW_OP_VALUE_5,
                    "DPU_EW_OP_VALUE_5",
                    List.of(new RegisterField(
                            DPU_EW_OP_VALUE_5_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "elementwise operand from a register",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_EW_OP_VALUE_6,
                    "DPU_EW_OP_VALUE_6",
                    List.of(new RegisterField(
                            DPU_EW_OP_VALUE_6_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "elementwise operand from a register",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_EW_OP_VALUE_7,
                    "DPU_EW_OP_VALUE_7",
                    List.of(new RegisterField(
                            DPU_EW_OP_VALUE_7_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "elementwise operand from a register",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_SURFACE_ADD,
                    "DPU_SURFACE_ADD",
                    List.of(new RegisterField(
                            DPU_SURFACE_ADD_SURF_ADD,
                            Access.RW,
                            ValueType.STRIDE,
                            "between groups of SIZE_E + 1 surfaces, in 16-byte units",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_40C4,
                    "DPU_40C4",
                    List.of(new RegisterField(
                            DPU_40C4_UNKNOWN,
                            Access.RW,
                            ValueType.UINT,
                            "undocumented, always written as 0",
                            "spec 4",
                            Confidence.UNKNOWN))),
            new Register(
                    Block.DPU,
                    DPU_LUT_ACCESS_CFG,
                    "DPU_LUT_ACCESS_CFG",
                    List.of(new RegisterField(
                            DPU_LUT_ACCESS_CFG_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "lookup table",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_LUT_ACCESS_DATA,
                    "DPU_LUT_ACCESS_DATA",
                    List.of(new RegisterField(
                            DPU_LUT_ACCESS_DATA_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "lookup table",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_LUT_CFG,
                    "DPU_LUT_CFG",
                    List.of(new RegisterField(
                            DPU_LUT_CFG_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "lookup table",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_LUT_INFO,
                    "DPU_LUT_INFO",
                    List.of(new RegisterField(
                            DPU_LUT_INFO_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "lookup table",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_LUT_LE_START,
                    "DPU_LUT_LE_START",
                    List.of(new RegisterField(
                            DPU_LUT_LE_START_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "lookup table",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_LUT_LE_END,
                    "DPU_LUT_LE_END",
                    List.of(new RegisterField(
                            DPU_LUT_LE_END_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "lookup table",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_LUT_LO_START,
                    "DPU_LUT_LO_START",
                    List.of(new RegisterField(
                            DPU_LUT_LO_START_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "lookup table",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_LUT_LO_END,
                    "DPU_LUT_LO_END",
                    List.of(new RegisterField(
                            DPU_LUT_LO_END_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "lookup table",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_LUT_LE_SLOPE_SCALE,
                    "DPU_LUT_LE_SLOPE_SCALE",
                    List.of(new RegisterField(
                            DPU_LUT_LE_SLOPE_SCALE_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "lookup table",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_LUT_LE_SLOPE_SHIFT,
                    "DPU_LUT_LE_SLOPE_SHIFT",
                    List.of(new RegisterField(
                            DPU_LUT_LE_SLOPE_SHIFT_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "lookup table",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_LUT_LO_SLOPE_SCALE,
                    "DPU_LUT_LO_SLOPE_SCALE",
                    List.of(new RegisterField(
                            DPU_LUT_LO_SLOPE_SCALE_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "lookup table",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU,
                    DPU_LUT_LO_SLOPE_SHIFT,
                    "DPU_LUT_LO_SLOPE_SHIFT",
                    List.of(new RegisterField(
                            DPU_LUT_LO_SLOPE_SHIFT_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "lookup table",
                            "spec 4",
                            Confidence.DOCUMENTED))));

    private DpuRegisters() {}
}
