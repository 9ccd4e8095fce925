package dev.portal.hardware.rk3588;

import dev.portal.hardware.rk3588.RegisterField.Access;
import dev.portal.hardware.rk3588.RegisterField.Confidence;
import dev.portal.hardware.rk3588.RegisterField.ValueType;
import java.util.List;

/** Registers of DPU_RDMA. Generated from {@code dpu_rdma.tsv}; do not edit. */
public final class DpuRdmaRegisters {
    public static final int DPU_RDMA_S_STATUS = 0x5000;
    /** executer 1: 0 idle, 1 operating, 2 operating with the other waiting (TRM 36; spec 7.1). */
    public static final BitField DPU_RDMA_S_STATUS_STATUS_1 = new BitField("DPU_RDMA_S_STATUS", "STATUS_1", 17, 16);
    /** executer 0 (TRM 36; spec 7.1). */
    public static final BitField DPU_RDMA_S_STATUS_STATUS_0 = new BitField("DPU_RDMA_S_STATUS", "STATUS_0", 1, 0);

    public static final int DPU_RDMA_S_POINTER = 0x5004;
    /** core number, set by the driver (spec 8.3). */
    public static final BitField DPU_RDMA_S_POINTER_CORE_INDEX =
            new BitField("DPU_RDMA_S_POINTER", "CORE_INDEX", 29, 28);
    /** executer in use (TRM 36; spec 7.1). */
    public static final BitField DPU_RDMA_S_POINTER_EXECUTER = new BitField("DPU_RDMA_S_POINTER", "EXECUTER", 16, 16);
    /** clears the executer pointer (TRM 36; spec 7.1). */
    public static final BitField DPU_RDMA_S_POINTER_EXECUTER_PP_CLEAR =
            new BitField("DPU_RDMA_S_POINTER", "EXECUTER_PP_CLEAR", 5, 5);
    /** clears the pointer (TRM 36; spec 7.1). */
    public static final BitField DPU_RDMA_S_POINTER_POINTER_PP_CLEAR =
            new BitField("DPU_RDMA_S_POINTER", "POINTER_PP_CLEAR", 4, 4);
    /** 1 = toggle by pointer (TRM 36; spec 7.1). */
    public static final BitField DPU_RDMA_S_POINTER_POINTER_PP_MODE =
            new BitField("DPU_RDMA_S_POINTER", "POINTER_PP_MODE", 3, 3);
    /** executer ping-pong (TRM 36; spec 7.1). */
    public static final BitField DPU_RDMA_S_POINTER_EXECUTER_PP_EN =
            new BitField("DPU_RDMA_S_POINTER", "EXECUTER_PP_EN", 2, 2);
    /** pointer ping-pong (TRM 36; spec 7.1). */
    public static final BitField DPU_RDMA_S_POINTER_POINTER_PP_EN =
            new BitField("DPU_RDMA_S_POINTER", "POINTER_PP_EN", 1, 1);
    /** register group that writes go to (TRM 36; spec 7.1). */
    public static final BitField DPU_RDMA_S_POINTER_POINTER = new BitField("DPU_RDMA_S_POINTER", "POINTER", 0, 0);

    public static final int DPU_RDMA_OPERATION_ENABLE = 0x5008;
    /** starts the block in slave mode (TRM 36). */
    public static final BitField DPU_RDMA_OPERATION_ENABLE_OP_EN =
            new BitField("DPU_RDMA_OPERATION_ENABLE", "OP_EN", 0, 0);

    public static final int DPU_RDMA_DATA_CUBE_WIDTH = 0x500c;
    /** operand width (spec 4.2). */
    public static final BitField DPU_RDMA_DATA_CUBE_WIDTH_WIDTH =
            new BitField("DPU_RDMA_DATA_CUBE_WIDTH", "WIDTH", 12, 0);

    public static final int DPU_RDMA_DATA_CUBE_HEIGHT = 0x5010;
    /** operand height (spec 4.2). */
    public static final BitField DPU_RDMA_DATA_CUBE_HEIGHT_HEIGHT =
            new BitField("DPU_RDMA_DATA_CUBE_HEIGHT", "HEIGHT", 12, 0);

    public static final int DPU_RDMA_DATA_CUBE_CHANNEL = 0x5014;
    /** operand channels (spec 4.2). */
    public static final BitField DPU_RDMA_DATA_CUBE_CHANNEL_CHANNEL =
            new BitField("DPU_RDMA_DATA_CUBE_CHANNEL", "CHANNEL", 12, 0);

    public static final int DPU_RDMA_SRC_BASE_ADDR = 0x5018;
    /** IOVA of the main operand (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_SRC_BASE_ADDR_SRC_BASE_ADDR =
            new BitField("DPU_RDMA_SRC_BASE_ADDR", "SRC_BASE_ADDR", 31, 0);

    public static final int DPU_RDMA_BRDMA_CFG = 0x501c;
    /** bias operand (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_BRDMA_CFG_VALUE = new BitField("DPU_RDMA_BRDMA_CFG", "VALUE", 31, 0);

    public static final int DPU_RDMA_BS_BASE_ADDR = 0x5020;
    /** IOVA of the bias operand (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_BS_BASE_ADDR_VALUE = new BitField("DPU_RDMA_BS_BASE_ADDR", "VALUE", 31, 0);

    public static final int DPU_RDMA_NRDMA_CFG = 0x5028;
    /** BN operand (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_NRDMA_CFG_VALUE = new BitField("DPU_RDMA_NRDMA_CFG", "VALUE", 31, 0);

    public static final int DPU_RDMA_BN_BASE_ADDR = 0x502c;
    /** IOVA of the BN operand (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_BN_BASE_ADDR_VALUE = new BitField("DPU_RDMA_BN_BASE_ADDR", "VALUE", 31, 0);

    public static final int DPU_RDMA_ERDMA_CFG = 0x5034;
    /** operand mode (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_ERDMA_CFG_ERDMA_DATA_MODE =
            new BitField("DPU_RDMA_ERDMA_CFG", "ERDMA_DATA_MODE", 31, 30);
    /** operand size (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_ERDMA_CFG_ERDMA_DATA_SIZE =
            new BitField("DPU_RDMA_ERDMA_CFG", "ERDMA_DATA_SIZE", 3, 2);
    /** no elementwise operand (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_ERDMA_CFG_ERDMA_DISABLE =
            new BitField("DPU_RDMA_ERDMA_CFG", "ERDMA_DISABLE", 0, 0);

    public static final int DPU_RDMA_EW_BASE_ADDR = 0x5038;
    /** IOVA of the elementwise operand (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_EW_BASE_ADDR_EW_BASE_ADDR =
            new BitField("DPU_RDMA_EW_BASE_ADDR", "EW_BASE_ADDR", 31, 0);

    public static final int DPU_RDMA_EW_SURF_STRIDE = 0x5040;
    /** operand surface stride, in 16-byte units (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_EW_SURF_STRIDE_EW_SURF_STRIDE =
            new BitField("DPU_RDMA_EW_SURF_STRIDE", "EW_SURF_STRIDE", 31, 4);

    public static final int DPU_RDMA_FEATURE_MODE_CFG = 0x5044;
    /** operand precision (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_FEATURE_MODE_CFG_IN_PRECISION =
            new BitField("DPU_RDMA_FEATURE_MODE_CFG", "IN_PRECISION", 17, 15);
    /** burst of the read DMA (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_FEATURE_MODE_CFG_BURST_LEN =
            new BitField("DPU_RDMA_FEATURE_MODE_CFG", "BURST_LEN", 14, 11);
    /** operands combined (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_FEATURE_MODE_CFG_COMB_USE =
            new BitField("DPU_RDMA_FEATURE_MODE_CFG", "COMB_USE", 10, 8);
    /** arithmetic (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_FEATURE_MODE_CFG_PROC_PRECISION =
            new BitField("DPU_RDMA_FEATURE_MODE_CFG", "PROC_PRECISION", 7, 5);
    /** no main operand; must be set when none is meant (Q19) (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_FEATURE_MODE_CFG_MRDMA_DISABLE =
            new BitField("DPU_RDMA_FEATURE_MODE_CFG", "MRDMA_DISABLE", 4, 4);
    /** widen fp16 (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_FEATURE_MODE_CFG_MRDMA_FP16TOFP32_EN =
            new BitField("DPU_RDMA_FEATURE_MODE_CFG", "MRDMA_FP16TOFP32_EN", 3, 3);
    /** convolution mode (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_FEATURE_MODE_CFG_CONV_MODE =
            new BitField("DPU_RDMA_FEATURE_MODE_CFG", "CONV_MODE", 2, 1);
    /** input from CORE (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_FEATURE_MODE_CFG_FLYING_MODE =
            new BitField("DPU_RDMA_FEATURE_MODE_CFG", "FLYING_MODE", 0, 0);

    public static final int DPU_RDMA_SRC_DMA_CFG = 0x5048;
    /** main operand DMA (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_SRC_DMA_CFG_VALUE = new BitField("DPU_RDMA_SRC_DMA_CFG", "VALUE", 31, 0);

    public static final int DPU_RDMA_SURF_NOTCH = 0x504c;
    /** main operand notch (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_SURF_NOTCH_VALUE = new BitField("DPU_RDMA_SURF_NOTCH", "VALUE", 31, 0);

    public static final int DPU_RDMA_PAD_CFG = 0x5064;
    /** main operand padding (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_PAD_CFG_VALUE = new BitField("DPU_RDMA_PAD_CFG", "VALUE", 31, 0);

    public static final int DPU_RDMA_WEIGHT = 0x5068;
    /** arbitration weight (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_WEIGHT_E_WEIGHT = new BitField("DPU_RDMA_WEIGHT", "E_WEIGHT", 31, 24);
    /** arbitration weight (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_WEIGHT_N_WEIGHT = new BitField("DPU_RDMA_WEIGHT", "N_WEIGHT", 23, 16);
    /** arbitration weight (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_WEIGHT_B_WEIGHT = new BitField("DPU_RDMA_WEIGHT", "B_WEIGHT", 15, 8);
    /** arbitration weight (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_WEIGHT_M_WEIGHT = new BitField("DPU_RDMA_WEIGHT", "M_WEIGHT", 7, 0);

    public static final int DPU_RDMA_EW_SURF_NOTCH = 0x506c;
    /** elementwise operand notch (spec 4.2; Mesa registers.xml). */
    public static final BitField DPU_RDMA_EW_SURF_NOTCH_VALUE = new BitField("DPU_RDMA_EW_SURF_NOTCH", "VALUE", 31, 0);

    static final List<Register> ALL = List.of(
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_S_STATUS,
                    "DPU_RDMA_S_STATUS",
                    List.of(
                            new RegisterField(
                                    DPU_RDMA_S_STATUS_STATUS_1,
                                    Access.RO,
                                    ValueType.UINT,
                                    "executer 1: 0 idle, 1 operating, 2 operating with the other waiting",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_RDMA_S_STATUS_STATUS_0,
                                    Access.RO,
                                    ValueType.UINT,
                                    "executer 0",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_S_POINTER,
                    "DPU_RDMA_S_POINTER",
                    List.of(
                            new RegisterField(
                                    DPU_RDMA_S_POINTER_CORE_INDEX,
                                    Access.RW,
                                    ValueType.UINT,
                                    "core number, set by the driver",
                                    "spec 8.3",
                                    Confidence.OBSERVED),
                            new RegisterField(
                                    DPU_RDMA_S_POINTER_EXECUTER,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "executer in use",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_RDMA_S_POINTER_EXECUTER_PP_CLEAR,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "clears the executer pointer",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_RDMA_S_POINTER_POINTER_PP_CLEAR,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "clears the pointer",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_RDMA_S_POINTER_POINTER_PP_MODE,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = toggle by pointer",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_RDMA_S_POINTER_EXECUTER_PP_EN,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "executer ping-pong",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_RDMA_S_POINTER_POINTER_PP_EN,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "pointer ping-pong",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_RDMA_S_POINTER_POINTER,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "register group that writes go to",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_OPERATION_ENABLE,
                    "DPU_RDMA_OPERATION_ENABLE",
                    List.of(new RegisterField(
                            DPU_RDMA_OPERATION_ENABLE_OP_EN,
                            Access.RW,
                            ValueType.FLAG,
                            "starts the block in slave mode",
                            "TRM 36",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_DATA_CUBE_WIDTH,
                    "DPU_RDMA_DATA_CUBE_WIDTH",
                    List.of(new RegisterField(
                            DPU_RDMA_DATA_CUBE_WIDTH_WIDTH,
                            Access.RW,
                            ValueType.MINUS1,
                            "operand width",
                            "spec 4.2",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_DATA_CUBE_HEIGHT,
                    "DPU_RDMA_DATA_CUBE_HEIGHT",
                    List.of(new RegisterField(
                            DPU_RDMA_DATA_CUBE_HEIGHT_HEIGHT,
                            Access.RW,
                            ValueType.MINUS1,
                            "operand height",
                            "spec 4.2",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_DATA_CUBE_CHANNEL,
                    "DPU_RDMA_DATA_CUBE_CHANNEL",
                    List.of(new RegisterField(
                            DPU_RDMA_DATA_CUBE_CHANNEL_CHANNEL,
                            Access.RW,
                            ValueType.MINUS1,
                            "operand channels",
                            "spec 4.2",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_SRC_BASE_ADDR,
                    "DPU_RDMA_SRC_BASE_ADDR",
                    List.of(new RegisterField(
                            DPU_RDMA_SRC_BASE_ADDR_SRC_BASE_ADDR,
                            Access.RW,
                            ValueType.ADDR,
                            "IOVA of the main operand",
                            "spec 4.2; Mesa registers.xml",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_BRDMA_CFG,
                    "DPU_RDMA_BRDMA_CFG",
                    List.of(new RegisterField(
                            DPU_RDMA_BRDMA_CFG_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "bias operand",
                            "spec 4.2; Mesa registers.xml",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_BS_BASE_ADDR,
                    "DPU_RDMA_BS_BASE_ADDR",
                    List.of(new RegisterField(
                            DPU_RDMA_BS_BASE_ADDR_VALUE,
                            Access.RW,
                            ValueType.ADDR,
                            "IOVA of the bias operand",
                            "spec 4.2; Mesa registers.xml",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_NRDMA_CFG,
                    "DPU_RDMA_NRDMA_CFG",
                    List.of(new RegisterField(
                            DPU_RDMA_NRDMA_CFG_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "BN operand",
                            "spec 4.2; Mesa registers.xml",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_BN_BASE_ADDR,
                    "DPU_RDMA_BN_BASE_ADDR",
                    List.of(new RegisterField(
                            DPU_RDMA_BN_BASE_ADDR_VALUE,
                            Access.RW,
                            ValueType.ADDR,
                            "IOVA of the BN operand",
                            "spec 4.2; Mesa registers.xml",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_ERDMA_CFG,
                    "DPU_RDMA_ERDMA_CFG",
                    List.of(
                            new RegisterField(
                                    DPU_RDMA_ERDMA_CFG_ERDMA_DATA_MODE,
                                    Access.RW,
                                    ValueType.UINT,
                                    "operand mode",
                                    "spec 4.2; Mesa registers.xml",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_RDMA_ERDMA_CFG_ERDMA_DATA_SIZE,
                                    Access.RW,
                                    ValueType.UINT,
                                    "operand size",
                                    "spec 4.2; Mesa registers.xml",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_RDMA_ERDMA_CFG_ERDMA_DISABLE,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "no elementwise operand",
                                    "spec 4.2; Mesa registers.xml",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_EW_BASE_ADDR,
                    "DPU_RDMA_EW_BASE_ADDR",
                    List.of(new RegisterField(
                            DPU_RDMA_EW_BASE_ADDR_EW_BASE_ADDR,
                            Access.RW,
                            ValueType.ADDR,
                            "IOVA of the elementwise operand",
                            "spec 4.2; Mesa registers.xml",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_EW_SURF_STRIDE,
                    "DPU_RDMA_EW_SURF_STRIDE",
                    List.of(new RegisterField(
                            DPU_RDMA_EW_SURF_STRIDE_EW_SURF_STRIDE,
                            Access.RW,
                            ValueType.STRIDE,
                            "operand surface stride, in 16-byte units",
                            "spec 4.2; Mesa registers.xml",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_FEATURE_MODE_CFG,
                    "DPU_RDMA_FEATURE_MODE_CFG",
                    List.of(
                            new RegisterField(
                                    DPU_RDMA_FEATURE_MODE_CFG_IN_PRECISION,
                                    Access.RW,
                                    ValueType.PRECISION,
                                    "operand precision",
                                    "spec 4.2; Mesa registers.xml",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_RDMA_FEATURE_MODE_CFG_BURST_LEN,
                                    Access.RW,
                                    ValueType.UINT,
                                    "burst of the read DMA",
                                    "spec 4.2; Mesa registers.xml",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_RDMA_FEATURE_MODE_CFG_COMB_USE,
                                    Access.RW,
                                    ValueType.UINT,
                                    "operands combined",
                                    "spec 4.2; Mesa registers.xml",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_RDMA_FEATURE_MODE_CFG_PROC_PRECISION,
                                    Access.RW,
                                    ValueType.PRECISION,
                                    "arithmetic",
                                    "spec 4.2; Mesa registers.xml",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_RDMA_FEATURE_MODE_CFG_MRDMA_DISABLE,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "no main operand; must be set when none is meant (Q19)",
                                    "spec 4.2; Mesa registers.xml",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_RDMA_FEATURE_MODE_CFG_MRDMA_FP16TOFP32_EN,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "widen fp16",
                                    "spec 4.2; Mesa registers.xml",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_RDMA_FEATURE_MODE_CFG_CONV_MODE,
                                    Access.RW,
                                    ValueType.UINT,
                                    "convolution mode",
                                    "spec 4.2; Mesa registers.xml",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_RDMA_FEATURE_MODE_CFG_FLYING_MODE,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "input from CORE",
                                    "spec 4.2; Mesa registers.xml",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_SRC_DMA_CFG,
                    "DPU_RDMA_SRC_DMA_CFG",
                    List.of(new RegisterField(
                            DPU_RDMA_SRC_DMA_CFG_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "main operand DMA",
                            "spec 4.2; Mesa registers.xml",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_SURF_NOTCH,
                    "DPU_RDMA_SURF_NOTCH",
                    List.of(new RegisterField(
                            DPU_RDMA_SURF_NOTCH_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "main operand notch",
                            "spec 4.2; Mesa registers.xml",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_PAD_CFG,
                    "DPU_RDMA_PAD_CFG",
                    List.of(new RegisterField(
                            DPU_RDMA_PAD_CFG_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "main operand padding",
                            "spec 4.2; Mesa registers.xml",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_WEIGHT,
                    "DPU_RDMA_WEIGHT",
                    List.of(
                            new RegisterField(
                                    DPU_RDMA_WEIGHT_E_WEIGHT,
                                    Access.RW,
                                    ValueType.UINT,
                                    "arbitration weight",
                                    "spec 4.2; Mesa registers.xml",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_RDMA_WEIGHT_N_WEIGHT,
                                    Access.RW,
                                    ValueType.UINT,
                                    "arbitration weight",
                                    "spec 4.2; Mesa registers.xml",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_RDMA_WEIGHT_B_WEIGHT,
                                    Access.RW,
                                    ValueType.UINT,
                                    "arbitration weight",
                                    "spec 4.2; Mesa registers.xml",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    DPU_RDMA_WEIGHT_M_WEIGHT,
                                    Access.RW,
                                    ValueType.UINT,
                                    "arbitration weight",
                                    "spec 4.2; Mesa registers.xml",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.DPU_RDMA,
                    DPU_RDMA_EW_SURF_NOTCH,
                    "DPU_RDMA_EW_SURF_NOTCH",
                    List.of(new RegisterField(
                            DPU_RDMA_EW_SURF_NOTCH_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "elementwise operand notch",
                            "spec 4.2; Mesa registers.xml",
                            Confidence.DOCUMENTED))));

    private DpuRdmaRegisters() {}
}
