package dev.portal.hardware.rk3588;

import dev.portal.hardware.rk3588.RegisterField.Access;
import dev.portal.hardware.rk3588.RegisterField.Confidence;
import dev.portal.hardware.rk3588.RegisterField.ValueType;
import java.util.List;

/** Registers of CNA. Generated from {@code cna.tsv}; do not edit. */
public final class CnaRegisters {
    public static final int CNA_S_STATUS = 0x1000;
    /** executer 1: 0 idle, 1 operating, 2 operating with the other waiting (TRM 36; spec 7.1). */
    public static final BitField CNA_S_STATUS_STATUS_1 = new BitField("CNA_S_STATUS", "STATUS_1", 17, 16);
    /** executer 0 (TRM 36; spec 7.1). */
    public static final BitField CNA_S_STATUS_STATUS_0 = new BitField("CNA_S_STATUS", "STATUS_0", 1, 0);

    public static final int CNA_S_POINTER = 0x1004;
    /** core number, set by the driver (spec 8.3). */
    public static final BitField CNA_S_POINTER_CORE_INDEX = new BitField("CNA_S_POINTER", "CORE_INDEX", 29, 28);
    /** executer in use (TRM 36; spec 7.1). */
    public static final BitField CNA_S_POINTER_EXECUTER = new BitField("CNA_S_POINTER", "EXECUTER", 16, 16);
    /** clears the executer pointer (TRM 36; spec 7.1). */
    public static final BitField CNA_S_POINTER_EXECUTER_PP_CLEAR =
            new BitField("CNA_S_POINTER", "EXECUTER_PP_CLEAR", 5, 5);
    /** clears the pointer (TRM 36; spec 7.1). */
    public static final BitField CNA_S_POINTER_POINTER_PP_CLEAR =
            new BitField("CNA_S_POINTER", "POINTER_PP_CLEAR", 4, 4);
    /** 1 = toggle by pointer (TRM 36; spec 7.1). */
    public static final BitField CNA_S_POINTER_POINTER_PP_MODE = new BitField("CNA_S_POINTER", "POINTER_PP_MODE", 3, 3);
    /** executer ping-pong (TRM 36; spec 7.1). */
    public static final BitField CNA_S_POINTER_EXECUTER_PP_EN = new BitField("CNA_S_POINTER", "EXECUTER_PP_EN", 2, 2);
    /** pointer ping-pong (TRM 36; spec 7.1). */
    public static final BitField CNA_S_POINTER_POINTER_PP_EN = new BitField("CNA_S_POINTER", "POINTER_PP_EN", 1, 1);
    /** register group that writes go to (TRM 36; spec 7.1). */
    public static final BitField CNA_S_POINTER_POINTER = new BitField("CNA_S_POINTER", "POINTER", 0, 0);

    public static final int CNA_OPERATION_ENABLE = 0x1008;
    /** starts the block in slave mode (TRM 36). */
    public static final BitField CNA_OPERATION_ENABLE_OP_EN = new BitField("CNA_OPERATION_ENABLE", "OP_EN", 0, 0);

    public static final int CNA_CONV_CON1 = 0x100c;
    /** feature DMA without alignment (spec 4). */
    public static final BitField CNA_CONV_CON1_NONALIGN_DMA = new BitField("CNA_CONV_CON1", "NONALIGN_DMA", 30, 30);
    /** 1 = one line a group, 0 = four (spec 5.1) (spec 4). */
    public static final BitField CNA_CONV_CON1_GROUP_LINE_OFF = new BitField("CNA_CONV_CON1", "GROUP_LINE_OFF", 29, 29);
    /** deconvolution (spec 4). */
    public static final BitField CNA_CONV_CON1_DECONV = new BitField("CNA_CONV_CON1", "DECONV", 16, 16);
    /** image input (spec 4). */
    public static final BitField CNA_CONV_CON1_ARGB_IN = new BitField("CNA_CONV_CON1", "ARGB_IN", 15, 12);
    /** precision of the arithmetic (spec 4). */
    public static final BitField CNA_CONV_CON1_PROC_PRECISION = new BitField("CNA_CONV_CON1", "PROC_PRECISION", 9, 7);
    /** precision of features and weights (spec 4). */
    public static final BitField CNA_CONV_CON1_IN_PRECISION = new BitField("CNA_CONV_CON1", "IN_PRECISION", 6, 4);
    /** 0 = direct convolution (spec 4). */
    public static final BitField CNA_CONV_CON1_CONV_MODE = new BitField("CNA_CONV_CON1", "CONV_MODE", 3, 0);

    public static final int CNA_CONV_CON2 = 0x1010;
    /** kernel group (spec 4). */
    public static final BitField CNA_CONV_CON2_KERNEL_GROUP = new BitField("CNA_CONV_CON2", "KERNEL_GROUP", 23, 16);
    /** rows buffered before the array starts; a hint (spec 6.2) (spec 4). */
    public static final BitField CNA_CONV_CON2_FEATURE_GRAINS = new BitField("CNA_CONV_CON2", "FEATURE_GRAINS", 13, 4);
    /** resets the command FIFO (spec 4). */
    public static final BitField CNA_CONV_CON2_CMD_FIFO_SRST = new BitField("CNA_CONV_CON2", "CMD_FIFO_SRST", 0, 0);

    public static final int CNA_CONV_CON3 = 0x1014;
    /** co-work of cores (spec 4). */
    public static final BitField CNA_CONV_CON3_NN_MODE = new BitField("CNA_CONV_CON3", "NN_MODE", 30, 28);
    /** stride in y (spec 4). */
    public static final BitField CNA_CONV_CON3_CONV_Y_STRIDE = new BitField("CNA_CONV_CON3", "CONV_Y_STRIDE", 5, 3);
    /** stride in x (spec 4). */
    public static final BitField CNA_CONV_CON3_CONV_X_STRIDE = new BitField("CNA_CONV_CON3", "CONV_X_STRIDE", 2, 0);

    public static final int CNA_DATA_SIZE0 = 0x1020;
    /** feature width W (spec 4). */
    public static final BitField CNA_DATA_SIZE0_DATAIN_WIDTH = new BitField("CNA_DATA_SIZE0", "DATAIN_WIDTH", 26, 16);
    /** feature height H: M of a matrix product (spec 4). */
    public static final BitField CNA_DATA_SIZE0_DATAIN_HEIGHT = new BitField("CNA_DATA_SIZE0", "DATAIN_HEIGHT", 10, 0);

    public static final int CNA_DATA_SIZE1 = 0x1024;
    /** true channels: K (spec 4). */
    public static final BitField CNA_DATA_SIZE1_DATAIN_CHANNEL_REAL =
            new BitField("CNA_DATA_SIZE1", "DATAIN_CHANNEL_REAL", 29, 16);
    /** channels with padding (spec 4). */
    public static final BitField CNA_DATA_SIZE1_DATAIN_CHANNEL =
            new BitField("CNA_DATA_SIZE1", "DATAIN_CHANNEL", 15, 0);

    public static final int CNA_DATA_SIZE2 = 0x1028;
    /** output width (spec 4). */
    public static final BitField CNA_DATA_SIZE2_DATAOUT_WIDTH = new BitField("CNA_DATA_SIZE2", "DATAOUT_WIDTH", 10, 0);

    public static final int CNA_DATA_SIZE3 = 0x102c;
    /** surface mode (spec 4). */
    public static final BitField CNA_DATA_SIZE3_SURF_MODE = new BitField("CNA_DATA_SIZE3", "SURF_MODE", 23, 22);
    /** output width times height (spec 4). */
    public static final BitField CNA_DATA_SIZE3_DATAOUT_ATOMICS =
            new BitField("CNA_DATA_SIZE3", "DATAOUT_ATOMICS", 21, 0);

    public static final int CNA_WEIGHT_SIZE0 = 0x1030;
    /** bytes of all kernels (spec 4). */
    public static final BitField CNA_WEIGHT_SIZE0_WEIGHT_BYTES =
            new BitField("CNA_WEIGHT_SIZE0", "WEIGHT_BYTES", 31, 0);

    public static final int CNA_WEIGHT_SIZE1 = 0x1034;
    /** bytes of one kernel (spec 4). */
    public static final BitField CNA_WEIGHT_SIZE1_WEIGHT_BYTES_PER_KERNEL =
            new BitField("CNA_WEIGHT_SIZE1", "WEIGHT_BYTES_PER_KERNEL", 18, 0);

    public static final int CNA_WEIGHT_SIZE2 = 0x1038;
    /** kernel width (spec 4). */
    public static final BitField CNA_WEIGHT_SIZE2_WEIGHT_WIDTH =
            new BitField("CNA_WEIGHT_SIZE2", "WEIGHT_WIDTH", 28, 24);
    /** kernel height (spec 4). */
    public static final BitField CNA_WEIGHT_SIZE2_WEIGHT_HEIGHT =
            new BitField("CNA_WEIGHT_SIZE2", "WEIGHT_HEIGHT", 20, 16);
    /** kernels: N (spec 4). */
    public static final BitField CNA_WEIGHT_SIZE2_WEIGHT_KERNELS =
            new BitField("CNA_WEIGHT_SIZE2", "WEIGHT_KERNELS", 13, 0);

    public static final int CNA_CBUF_CON0 = 0x1040;
    /** keep the weights of the program before (spec 4). */
    public static final BitField CNA_CBUF_CON0_WEIGHT_REUSE = new BitField("CNA_CBUF_CON0", "WEIGHT_REUSE", 13, 13);
    /** keep the features of the program before (spec 4). */
    public static final BitField CNA_CBUF_CON0_DATA_REUSE = new BitField("CNA_CBUF_CON0", "DATA_REUSE", 12, 12);
    /** must be 0 (spec 6) (spec 4). */
    public static final BitField CNA_CBUF_CON0_FC_DATA_BANK = new BitField("CNA_CBUF_CON0", "FC_DATA_BANK", 10, 8);
    /** banks for weights (spec 4). */
    public static final BitField CNA_CBUF_CON0_WEIGHT_BANK = new BitField("CNA_CBUF_CON0", "WEIGHT_BANK", 7, 4);
    /** banks for features; the two sum to 12 (spec 4). */
    public static final BitField CNA_CBUF_CON0_DATA_BANK = new BitField("CNA_CBUF_CON0", "DATA_BANK", 3, 0);

    public static final int CNA_CBUF_CON1 = 0x1044;
    /** 64-byte entries a feature row takes (spec 4). */
    public static final BitField CNA_CBUF_CON1_DATA_ENTRIES = new BitField("CNA_CBUF_CON1", "DATA_ENTRIES", 12, 0);

    public static final int CNA_CVT_CON0 = 0x104c;
    /** shift of channel 3 (spec 4). */
    public static final BitField CNA_CVT_CON0_CVT_TRUNCATE_3 = new BitField("CNA_CVT_CON0", "CVT_TRUNCATE_3", 27, 22);
    /** shift of channel 2 (spec 4). */
    public static final BitField CNA_CVT_CON0_CVT_TRUNCATE_2 = new BitField("CNA_CVT_CON0", "CVT_TRUNCATE_2", 21, 16);
    /** shift of channel 1 (spec 4). */
    public static final BitField CNA_CVT_CON0_CVT_TRUNCATE_1 = new BitField("CNA_CVT_CON0", "CVT_TRUNCATE_1", 15, 10);
    /** shift of channel 0 (spec 4). */
    public static final BitField CNA_CVT_CON0_CVT_TRUNCATE_0 = new BitField("CNA_CVT_CON0", "CVT_TRUNCATE_0", 9, 4);
    /** signed input (spec 4). */
    public static final BitField CNA_CVT_CON0_DATA_SIGN = new BitField("CNA_CVT_CON0", "DATA_SIGN", 3, 3);
    /** rounding (spec 4). */
    public static final BitField CNA_CVT_CON0_ROUND_TYPE = new BitField("CNA_CVT_CON0", "ROUND_TYPE", 2, 2);
    /** order of scale and offset (spec 4). */
    public static final BitField CNA_CVT_CON0_CVT_TYPE = new BitField("CNA_CVT_CON0", "CVT_TYPE", 1, 1);
    /** no conversion (spec 4). */
    public static final BitField CNA_CVT_CON0_CVT_BYPASS = new BitField("CNA_CVT_CON0", "CVT_BYPASS", 0, 0);

    public static final int CNA_CVT_CON1 = 0x1050;
    /** scale of channel 0 (spec 4). */
    public static final BitField CNA_CVT_CON1_CVT_SCALE = new BitField("CNA_CVT_CON1", "CVT_SCALE", 31, 16);
    /** offset of channel 0 (spec 4). */
    public static final BitField CNA_CVT_CON1_CVT_OFFSET = new BitField("CNA_CVT_CON1", "CVT_OFFSET", 15, 0);

    public static final int CNA_CVT_CON2 = 0x1054;
    /** scale of channel 1 (spec 4). */
    public static final BitField CNA_CVT_CON2_CVT_SCALE = new BitField("CNA_CVT_CON2", "CVT_SCALE", 31, 16);
    /** offset of channel 1 (spec 4). */
    public static final BitField CNA_CVT_CON2_CVT_OFFSET = new BitField("CNA_CVT_CON2", "CVT_OFFSET", 15, 0);

    public static final int CNA_CVT_CON3 = 0x1058;
    /** scale of channel 2 (spec 4). */
    public static final BitField CNA_CVT_CON3_CVT_SCALE = new BitField("CNA_CVT_CON3", "CVT_SCALE", 31, 16);
    /** offset of channel 2 (spec 4). */
    public static final BitField CNA_CVT_CON3_CVT_OFFSET = new BitField("CNA_CVT_CON3", "CVT_OFFSET", 15, 0);

    public static final int CNA_CVT_CON4 = 0x105c;
    /** scale of channel 3 (spec 4). */
    public static final BitField CNA_CVT_CON4_CVT_SCALE = new BitField("CNA_CVT_CON4", "CVT_SCALE", 31, 16);
    /** offset of channel 3 (spec 4). */
    public static final BitField CNA_CVT_CON4_CVT_OFFSET = new BitField("CNA_CVT_CON4", "CVT_OFFSET", 15, 0);

    public static final int CNA_FC_CON0 = 0x1060;
    /** full-connect skip enable (spec 4). */
    public static final BitField CNA_FC_CON0_VALUE = new BitField("CNA_FC_CON0", "VALUE", 31, 0);

    public static final int CNA_FC_CON1 = 0x1064;
    /** full-connect data offset (spec 4). */
    public static final BitField CNA_FC_CON1_VALUE = new BitField("CNA_FC_CON1", "VALUE", 31, 0);

    public static final int CNA_PAD_CON0 = 0x1068;
    /** padding left (spec 4). */
    public static final BitField CNA_PAD_CON0_PAD_LEFT = new BitField("CNA_PAD_CON0", "PAD_LEFT", 7, 4);
    /** padding above (spec 4). */
    public static final BitField CNA_PAD_CON0_PAD_TOP = new BitField("CNA_PAD_CON0", "PAD_TOP", 3, 0);

    public static final int CNA_FEATURE_DATA_ADDR = 0x1070;
    /** IOVA of the features: A (spec 4). */
    public static final BitField CNA_FEATURE_DATA_ADDR_FEATURE_BASE_ADDR =
            new BitField("CNA_FEATURE_DATA_ADDR", "FEATURE_BASE_ADDR", 31, 0);

    public static final int CNA_FC_CON2 = 0x1074;
    /** full-connect weight offset (spec 4). */
    public static final BitField CNA_FC_CON2_VALUE = new BitField("CNA_FC_CON2", "VALUE", 31, 0);

    public static final int CNA_DMA_CON0 = 0x1078;
    /** bursts may cross 4 KiB (spec 4). */
    public static final BitField CNA_DMA_CON0_OV4K_BYPASS = new BitField("CNA_DMA_CON0", "OV4K_BYPASS", 31, 31);
    /** burst of the weight DMA (spec 4). */
    public static final BitField CNA_DMA_CON0_WEIGHT_BURST_LEN =
            new BitField("CNA_DMA_CON0", "WEIGHT_BURST_LEN", 19, 16);
    /** burst of the feature DMA (spec 4). */
    public static final BitField CNA_DMA_CON0_DATA_BURST_LEN = new BitField("CNA_DMA_CON0", "DATA_BURST_LEN", 3, 0);

    public static final int CNA_DMA_CON1 = 0x107c;
    /** from one line group to the next, in 16-byte units (spec 4). */
    public static final BitField CNA_DMA_CON1_LINE_STRIDE = new BitField("CNA_DMA_CON1", "LINE_STRIDE", 27, 0);

    public static final int CNA_DMA_CON2 = 0x1080;
    /** added to the surface pitch, in 16-byte units (spec 4). */
    public static final BitField CNA_DMA_CON2_SURF_STRIDE = new BitField("CNA_DMA_CON2", "SURF_STRIDE", 27, 0);

    public static final int CNA_FC_DATA_SIZE0 = 0x1084;
    /** mirror of DATAIN_WIDTH (spec 4). */
    public static final BitField CNA_FC_DATA_SIZE0_DMA_WIDTH = new BitField("CNA_FC_DATA_SIZE0", "DMA_WIDTH", 26, 16);
    /** mirror of DATAIN_HEIGHT (spec 4). */
    public static final BitField CNA_FC_DATA_SIZE0_DMA_HEIGHT = new BitField("CNA_FC_DATA_SIZE0", "DMA_HEIGHT", 10, 0);

    public static final int CNA_FC_DATA_SIZE1 = 0x1088;
    /** mirror of the channels (spec 4). */
    public static final BitField CNA_FC_DATA_SIZE1_DMA_CHANNEL =
            new BitField("CNA_FC_DATA_SIZE1", "DMA_CHANNEL", 15, 0);

    public static final int CNA_DCOMP_CTRL = 0x1100;
    /** weight decompression (spec 4). */
    public static final BitField CNA_DCOMP_CTRL_VALUE = new BitField("CNA_DCOMP_CTRL", "VALUE", 31, 0);

    public static final int CNA_DCOMP_REGNUM = 0x1104;
    /** weight decompression (spec 4). */
    public static final BitField CNA_DCOMP_REGNUM_VALUE = new BitField("CNA_DCOMP_REGNUM", "VALUE", 31, 0);

    public static final int CNA_DCOMP_ADDR0 = 0x1110;
    /** IOVA of the weights: B (spec 4). */
    public static final BitField CNA_DCOMP_ADDR0_DECOMPRESS_ADDR0 =
            new BitField("CNA_DCOMP_ADDR0", "DECOMPRESS_ADDR0", 31, 0);

    public static final int CNA_DCOMP_AMOUNT0 = 0x1140;
    /** weight decompression (spec 4). */
    public static final BitField CNA_DCOMP_AMOUNT0_VALUE = new BitField("CNA_DCOMP_AMOUNT0", "VALUE", 31, 0);

    public static final int CNA_DCOMP_AMOUNT1 = 0x1144;
    /** weight decompression (spec 4). */
    public static final BitField CNA_DCOMP_AMOUNT1_VALUE = new BitField("CNA_DCOMP_AMOUNT1", "VALUE", 31, 0);

    public static final int CNA_DCOMP_AMOUNT2 = 0x1148;
    /** weight decompression (spec 4). */
    public static final BitField CNA_DCOMP_AMOUNT2_VALUE = new BitField("CNA_DCOMP_AMOUNT2", "VALUE", 31, 0);

    public static final int CNA_DCOMP_AMOUNT3 = 0x114c;
    /** weight decompression (spec 4). */
    public static final BitField CNA_DCOMP_AMOUNT3_VALUE = new BitField("CNA_DCOMP_AMOUNT3", "VALUE", 31, 0);

    public static final int CNA_DCOMP_AMOUNT4 = 0x1150;
    /** weight decompression (spec 4). */
    public static final BitField CNA_DCOMP_AMOUNT4_VALUE = new BitField("CNA_DCOMP_AMOUNT4", "VALUE", 31, 0);

    public static final int CNA_DCOMP_AMOUNT5 = 0x1154;
    /** weight decompression (spec 4). */
    public static final BitField CNA_DCOMP_AMOUNT5_VALUE = new BitField("CNA_DCOMP_AMOUNT5", "VALUE", 31, 0);

    public static final int CNA_DCOMP_AMOUNT6 = 0x1158;
    /** weight decompression (spec 4). */
    public static final BitField CNA_DCOMP_AMOUNT6_VALUE = new BitField("CNA_DCOMP_AMOUNT6", "VALUE", 31, 0);

    public static final int CNA_DCOMP_AMOUNT7 = 0x115c;
    /** weight decompression (spec 4). */
    public static final BitField CNA_DCOMP_AMOUNT7_VALUE = new BitField("CNA_DCOMP_AMOUNT7", "VALUE", 31, 0);

    public static final int CNA_DCOMP_AMOUNT8 = 0x1160;
    /** weight decompression (spec 4). */
    public static final BitField CNA_DCOMP_AMOUNT8_VALUE = new BitField("CNA_DCOMP_AMOUNT8", "VALUE", 31, 0);

    public static final int CNA_DCOMP_AMOUNT9 = 0x1164;
    /** weight decompression (spec 4). */
    public static final BitField CNA_DCOMP_AMOUNT9_VALUE = new BitField("CNA_DCOMP_AMOUNT9", "VALUE", 31, 0);

    public static final int CNA_DCOMP_AMOUNT10 = 0x1168;
    /** weight decompression (spec 4). */
    public static final BitField CNA_DCOMP_AMOUNT10_VALUE = new BitField("CNA_DCOMP_AMOUNT10", "VALUE", 31, 0);

    public static final int CNA_DCOMP_AMOUNT11 = 0x116c;
    /** weight decompression (spec 4). */
    public static final BitField CNA_DCOMP_AMOUNT11_VALUE = new BitField("CNA_DCOMP_AMOUNT11", "VALUE", 31, 0);

    public static final int CNA_DCOMP_AMOUNT12 = 0x1170;
    /** weight decompression (spec 4). */
    public static final BitField CNA_DCOMP_AMOUNT12_VALUE = new BitField("CNA_DCOMP_AMOUNT12", "VALUE", 31, 0);

    public static final int CNA_DCOMP_AMOUNT13 = 0x1174;
    /** weight decompression (spec 4). */
    public static final BitField CNA_DCOMP_AMOUNT13_VALUE = new BitField("CNA_DCOMP_AMOUNT13", "VALUE", 31, 0);

    public static final int CNA_DCOMP_AMOUNT14 = 0x1178;
    /** weight decompression (spec 4). */
    public static final BitField CNA_DCOMP_AMOUNT14_VALUE = new BitField("CNA_DCOMP_AMOUNT14", "VALUE", 31, 0);

    public static final int CNA_DCOMP_AMOUNT15 = 0x117c;
    /** weight decompression (spec 4). */
    public static final BitField CNA_DCOMP_AMOUNT15_VALUE = new BitField("CNA_DCOMP_AMOUNT15", "VALUE", 31, 0);

    public static final int CNA_CVT_CON5 = 0x1180;
    /** per-channel conversion enable (spec 4). */
    public static final BitField CNA_CVT_CON5_VALUE = new BitField("CNA_CVT_CON5", "VALUE", 31, 0);

    public static final int CNA_PAD_CON1 = 0x1184;
    /** value of padded elements (spec 4). */
    public static final BitField CNA_PAD_CON1_VALUE = new BitField("CNA_PAD_CON1", "VALUE", 31, 0);

    static final List<Register> ALL = List.of(
            new Register(
                    Block.CNA,
                    CNA_S_STATUS,
                    "CNA_S_STATUS",
                    List.of(
                            new RegisterField(
                                    CNA_S_STATUS_STATUS_1,
                                    Access.RO,
                                    ValueType.UINT,
                                    "executer 1: 0 idle, 1 operating, 2 operating with the other waiting",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_S_STATUS_STATUS_0,
                                    Access.RO,
                                    ValueType.UINT,
                                    "executer 0",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_S_POINTER,
                    "CNA_S_POINTER",
                    List.of(
                            new RegisterField(
                                    CNA_S_POINTER_CORE_INDEX,
                                    Access.RW,
                                    ValueType.UINT,
                                    "core number, set by the driver",
                                    "spec 8.3",
                                    Confidence.OBSERVED),
                            new RegisterField(
                                    CNA_S_POINTER_EXECUTER,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "executer in use",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_S_POINTER_EXECUTER_PP_CLEAR,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "clears the executer pointer",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_S_POINTER_POINTER_PP_CLEAR,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "clears the pointer",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_S_POINTER_POINTER_PP_MODE,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = toggle by pointer",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_S_POINTER_EXECUTER_PP_EN,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "executer ping-pong",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_S_POINTER_POINTER_PP_EN,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "pointer ping-pong",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_S_POINTER_POINTER,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "register group that writes go to",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_OPERATION_ENABLE,
                    "CNA_OPERATION_ENABLE",
                    List.of(new RegisterField(
                            CNA_OPERATION_ENABLE_OP_EN,
                            Access.RW,
                            ValueType.FLAG,
                            "starts the block in slave mode",
                            "TRM 36",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_CONV_CON1,
                    "CNA_CONV_CON1",
                    List.of(
                            new RegisterField(
                                    CNA_CONV_CON1_NONALIGN_DMA,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "feature DMA without alignment",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CONV_CON1_GROUP_LINE_OFF,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = one line a group, 0 = four (spec 5.1)",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CONV_CON1_DECONV,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "deconvolution",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CONV_CON1_ARGB_IN,
                                    Access.RW,
                                    ValueType.UINT,
                                    "image input",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CONV_CON1_PROC_PRECISION,
                                    Access.RW,
                                    ValueType.PRECISION,
                                    "precision of the arithmetic",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CONV_CON1_IN_PRECISION,
                                    Access.RW,
                                    ValueType.PRECISION,
                                    "precision of features and weights",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CONV_CON1_CONV_MODE,
                                    Access.RW,
                                    ValueType.UINT,
                                    "0 = direct convolution",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_CONV_CON2,
                    "CNA_CONV_CON2",
                    List.of(
                            new RegisterField(
                                    CNA_CONV_CON2_KERNEL_GROUP,
                                    Access.RW,
                                    ValueType.UINT,
                                    "kernel group",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CONV_CON2_FEATURE_GRAINS,
                                    Access.RW,
                                    ValueType.UINT,
                                    "rows buffered before the array starts; a hint (spec 6.2)",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CONV_CON2_CMD_FIFO_SRST,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "resets the command FIFO",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_CONV_CON3,
                    "CNA_CONV_CON3",
                    List.of(
                            new RegisterField(
                                    CNA_CONV_CON3_NN_MODE,
                                    Access.RW,
                                    ValueType.UINT,
                                    "co-work of cores",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CONV_CON3_CONV_Y_STRIDE,
                                    Access.RW,
                                    ValueType.UINT,
                                    "stride in y",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CONV_CON3_CONV_X_STRIDE,
                                    Access.RW,
                                    ValueType.UINT,
                                    "stride in x",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DATA_SIZE0,
                    "CNA_DATA_SIZE0",
                    List.of(
                            new RegisterField(
                                    CNA_DATA_SIZE0_DATAIN_WIDTH,
                                    Access.RW,
                                    ValueType.UINT,
                                    "feature width W",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_DATA_SIZE0_DATAIN_HEIGHT,
                                    Access.RW,
                                    ValueType.UINT,
                                    "feature height H: M of a matrix product",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DATA_SIZE1,
                    "CNA_DATA_SIZE1",
                    List.of(
                            new RegisterField(
                                    CNA_DATA_SIZE1_DATAIN_CHANNEL_REAL,
                                    Access.RW,
                                    ValueType.MINUS1,
                                    "true channels: K",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_DATA_SIZE1_DATAIN_CHANNEL,
                                    Access.RW,
                                    ValueType.UINT,
                                    "channels with padding",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DATA_SIZE2,
                    "CNA_DATA_SIZE2",
                    List.of(new RegisterField(
                            CNA_DATA_SIZE2_DATAOUT_WIDTH,
                            Access.RW,
                            ValueType.UINT,
                            "output width",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DATA_SIZE3,
                    "CNA_DATA_SIZE3",
                    List.of(
                            new RegisterField(
                                    CNA_DATA_SIZE3_SURF_MODE,
                                    Access.RW,
                                    ValueType.UINT,
                                    "surface mode",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_DATA_SIZE3_DATAOUT_ATOMICS,
                                    Access.RW,
                                    ValueType.UINT,
                                    "output width times height",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_WEIGHT_SIZE0,
                    "CNA_WEIGHT_SIZE0",
                    List.of(new RegisterField(
                            CNA_WEIGHT_SIZE0_WEIGHT_BYTES,
                            Access.RW,
                            ValueType.UINT,
                            "bytes of all kernels",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_WEIGHT_SIZE1,
                    "CNA_WEIGHT_SIZE1",
                    List.of(new RegisterField(
                            CNA_WEIGHT_SIZE1_WEIGHT_BYTES_PER_KERNEL,
                            Access.RW,
                            ValueType.UINT,
                            "bytes of one kernel",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_WEIGHT_SIZE2,
                    "CNA_WEIGHT_SIZE2",
                    List.of(
                            new RegisterField(
                                    CNA_WEIGHT_SIZE2_WEIGHT_WIDTH,
                                    Access.RW,
                                    ValueType.UINT,
                                    "kernel width",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_WEIGHT_SIZE2_WEIGHT_HEIGHT,
                                    Access.RW,
                                    ValueType.UINT,
                                    "kernel height",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_WEIGHT_SIZE2_WEIGHT_KERNELS,
                                    Access.RW,
                                    ValueType.UINT,
                                    "kernels: N",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_CBUF_CON0,
                    "CNA_CBUF_CON0",
                    List.of(
                            new RegisterField(
                                    CNA_CBUF_CON0_WEIGHT_REUSE,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "keep the weights of the program before",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CBUF_CON0_DATA_REUSE,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "keep the features of the program before",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CBUF_CON0_FC_DATA_BANK,
                                    Access.RW,
                                    ValueType.UINT,
                                    "must be 0 (spec 6)",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CBUF_CON0_WEIGHT_BANK,
                                    Access.RW,
                                    ValueType.UINT,
                                    "banks for weights",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CBUF_CON0_DATA_BANK,
                                    Access.RW,
                                    ValueType.UINT,
                                    "banks for features; the two sum to 12",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_CBUF_CON1,
                    "CNA_CBUF_CON1",
                    List.of(new RegisterField(
                            CNA_CBUF_CON1_DATA_ENTRIES,
                            Access.RW,
                            ValueType.UINT,
                            "64-byte entries a feature row takes",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_CVT_CON0,
                    "CNA_CVT_CON0",
                    List.of(
                            new RegisterField(
                                    CNA_CVT_CON0_CVT_TRUNCATE_3,
                                    Access.RW,
                                    ValueType.UINT,
                                    "shift of channel 3",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CVT_CON0_CVT_TRUNCATE_2,
                                    Access.RW,
                                    ValueType.UINT,
                                    "shift of channel 2",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CVT_CON0_CVT_TRUNCATE_1,
                                    Access.RW,
                                    ValueType.UINT,
                                    "shift of channel 1",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CVT_CON0_CVT_TRUNCATE_0,
                                    Access.RW,
                                    ValueType.UINT,
                                    "shift of channel 0",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CVT_CON0_DATA_SIGN,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "signed input",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CVT_CON0_ROUND_TYPE,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "rounding",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CVT_CON0_CVT_TYPE,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "order of scale and offset",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CVT_CON0_CVT_BYPASS,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "no conversion",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_CVT_CON1,
                    "CNA_CVT_CON1",
                    List.of(
                            new RegisterField(
                                    CNA_CVT_CON1_CVT_SCALE,
                                    Access.RW,
                                    ValueType.INT,
                                    "scale of channel 0",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CVT_CON1_CVT_OFFSET,
                                    Access.RW,
                                    ValueType.INT,
                                    "offset of channel 0",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_CVT_CON2,
                    "CNA_CVT_CON2",
                    List.of(
                            new RegisterField(
                                    CNA_CVT_CON2_CVT_SCALE,
                                    Access.RW,
                                    ValueType.INT,
                                    "scale of channel 1",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CVT_CON2_CVT_OFFSET,
                                    Access.RW,
                                    ValueType.INT,
                                    "offset of channel 1",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_CVT_CON3,
                    "CNA_CVT_CON3",
                    List.of(
                            new RegisterField(
                                    CNA_CVT_CON3_CVT_SCALE,
                                    Access.RW,
                                    ValueType.INT,
                                    "scale of channel 2",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CVT_CON3_CVT_OFFSET,
                                    Access.RW,
                                    ValueType.INT,
                                    "offset of channel 2",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_CVT_CON4,
                    "CNA_CVT_CON4",
                    List.of(
                            new RegisterField(
                                    CNA_CVT_CON4_CVT_SCALE,
                                    Access.RW,
                                    ValueType.INT,
                                    "scale of channel 3",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_CVT_CON4_CVT_OFFSET,
                                    Access.RW,
                                    ValueType.INT,
                                    "offset of channel 3",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_FC_CON0,
                    "CNA_FC_CON0",
                    List.of(new RegisterField(
                            CNA_FC_CON0_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "full-connect skip enable",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_FC_CON1,
                    "CNA_FC_CON1",
                    List.of(new RegisterField(
                            CNA_FC_CON1_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "full-connect data offset",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_PAD_CON0,
                    "CNA_PAD_CON0",
                    List.of(
                            new RegisterField(
                                    CNA_PAD_CON0_PAD_LEFT,
                                    Access.RW,
                                    ValueType.UINT,
                                    "padding left",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_PAD_CON0_PAD_TOP,
                                    Access.RW,
                                    ValueType.UINT,
                                    "padding above",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_FEATURE_DATA_ADDR,
                    "CNA_FEATURE_DATA_ADDR",
                    List.of(new RegisterField(
                            CNA_FEATURE_DATA_ADDR_FEATURE_BASE_ADDR,
                            Access.RW,
                            ValueType.ADDR,
                            "IOVA of the features: A",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_FC_CON2,
                    "CNA_FC_CON2",
                    List.of(new RegisterField(
                            CNA_FC_CON2_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "full-connect weight offset",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DMA_CON0,
                    "CNA_DMA_CON0",
                    List.of(
                            new RegisterField(
                                    CNA_DMA_CON0_OV4K_BYPASS,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "bursts may cross 4 KiB",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_DMA_CON0_WEIGHT_BURST_LEN,
                                    Access.RW,
                                    ValueType.UINT,
                                    "burst of the weight DMA",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_DMA_CON0_DATA_BURST_LEN,
                                    Access.RW,
                                    ValueType.UINT,
                                    "burst of the feature DMA",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DMA_CON1,
                    "CNA_DMA_CON1",
                    List.of(new RegisterField(
                            CNA_DMA_CON1_LINE_STRIDE,
                            Access.RW,
                            ValueType.UINT,
                            "from one line group to the next, in 16-byte units",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DMA_CON2,
                    "CNA_DMA_CON2",
                    List.of(new RegisterField(
                            CNA_DMA_CON2_SURF_STRIDE,
                            Access.RW,
                            ValueType.INT,
                            "added to the surface pitch, in 16-byte units",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_FC_DATA_SIZE0,
                    "CNA_FC_DATA_SIZE0",
                    List.of(
                            new RegisterField(
                                    CNA_FC_DATA_SIZE0_DMA_WIDTH,
                                    Access.RW,
                                    ValueType.UINT,
                                    "mirror of DATAIN_WIDTH",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CNA_FC_DATA_SIZE0_DMA_HEIGHT,
                                    Access.RW,
                                    ValueType.UINT,
                                    "mirror of DATAIN_HEIGHT",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_FC_DATA_SIZE1,
                    "CNA_FC_DATA_SIZE1",
                    List.of(new RegisterField(
                            CNA_FC_DATA_SIZE1_DMA_CHANNEL,
                            Access.RW,
                            ValueType.UINT,
                            "mirror of the channels",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DCOMP_CTRL,
                    "CNA_DCOMP_CTRL",
                    List.of(new RegisterField(
                            CNA_DCOMP_CTRL_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "weight decompression",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DCOMP_REGNUM,
                    "CNA_DCOMP_REGNUM",
                    List.of(new RegisterField(
                            CNA_DCOMP_REGNUM_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "weight decompression",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DCOMP_ADDR0,
                    "CNA_DCOMP_ADDR0",
                    List.of(new RegisterField(
                            CNA_DCOMP_ADDR0_DECOMPRESS_ADDR0,
                            Access.RW,
                            ValueType.ADDR,
                            "IOVA of the weights: B",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DCOMP_AMOUNT0,
                    "CNA_DCOMP_AMOUNT0",
                    List.of(new RegisterField(
                            CNA_DCOMP_AMOUNT0_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "weight decompression",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DCOMP_AMOUNT1,
                    "CNA_DCOMP_AMOUNT1",
                    List.of(new RegisterField(
                            CNA_DCOMP_AMOUNT1_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "weight decompression",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DCOMP_AMOUNT2,
                    "CNA_DCOMP_AMOUNT2",
                    List.of(new RegisterField(
                            CNA_DCOMP_AMOUNT2_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "weight decompression",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DCOMP_AMOUNT3,
                    "CNA_DCOMP_AMOUNT3",
                    List.of(new RegisterField(
                            CNA_DCOMP_AMOUNT3_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "weight decompression",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DCOMP_AMOUNT4,
                    "CNA_DCOMP_AMOUNT4",
                    List.of(new RegisterField(
                            CNA_DCOMP_AMOUNT4_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "weight decompression",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DCOMP_AMOUNT5,
                    "CNA_DCOMP_AMOUNT5",
                    List.of(new RegisterField(
                            CNA_DCOMP_AMOUNT5_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "weight decompression",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DCOMP_AMOUNT6,
                    "CNA_DCOMP_AMOUNT6",
                    List.of(new RegisterField(
                            CNA_DCOMP_AMOUNT6_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "weight decompression",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DCOMP_AMOUNT7,
                    "CNA_DCOMP_AMOUNT7",
                    List.of(new RegisterField(
                            CNA_DCOMP_AMOUNT7_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "weight decompression",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DCOMP_AMOUNT8,
                    "CNA_DCOMP_AMOUNT8",
                    List.of(new RegisterField(
                            CNA_DCOMP_AMOUNT8_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "weight decompression",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DCOMP_AMOUNT9,
                    "CNA_DCOMP_AMOUNT9",
                    List.of(new RegisterField(
                            CNA_DCOMP_AMOUNT9_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "weight decompression",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DCOMP_AMOUNT10,
                    "CNA_DCOMP_AMOUNT10",
                    List.of(new RegisterField(
                            CNA_DCOMP_AMOUNT10_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "weight decompression",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DCOMP_AMOUNT11,
                    "CNA_DCOMP_AMOUNT11",
                    List.of(new RegisterField(
                            CNA_DCOMP_AMOUNT11_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "weight decompression",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DCOMP_AMOUNT12,
                    "CNA_DCOMP_AMOUNT12",
                    List.of(new RegisterField(
                            CNA_DCOMP_AMOUNT12_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "weight decompression",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DCOMP_AMOUNT13,
                    "CNA_DCOMP_AMOUNT13",
                    List.of(new RegisterField(
                            CNA_DCOMP_AMOUNT13_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "weight decompression",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DCOMP_AMOUNT14,
                    "CNA_DCOMP_AMOUNT14",
                    List.of(new RegisterField(
                            CNA_DCOMP_AMOUNT14_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "weight decompression",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_DCOMP_AMOUNT15,
                    "CNA_DCOMP_AMOUNT15",
                    List.of(new RegisterField(
                            CNA_DCOMP_AMOUNT15_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "weight decompression",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_CVT_CON5,
                    "CNA_CVT_CON5",
                    List.of(new RegisterField(
                            CNA_CVT_CON5_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "per-channel conversion enable",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CNA,
                    CNA_PAD_CON1,
                    "CNA_PAD_CON1",
                    List.of(new RegisterField(
                            CNA_PAD_CON1_VALUE,
                            Access.RW,
                            ValueType.INT,
                            "value of padded elements",
                            "spec 4",
                            Confidence.DOCUMENTED))));

    private CnaRegisters() {}
}
