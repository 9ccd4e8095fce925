package dev.portal.hardware.rk3588;

import dev.portal.hardware.rk3588.RegisterField.Access;
import dev.portal.hardware.rk3588.RegisterField.Confidence;
import dev.portal.hardware.rk3588.RegisterField.ValueType;
import java.util.List;

/** Registers of CORE. Generated from {@code core.tsv}; do not edit. */
public final class CoreRegisters {
    public static final int CORE_S_STATUS = 0x3000;
    /** executer 1: 0 idle, 1 operating, 2 operating with the other waiting (TRM 36; spec 7.1). */
    public static final BitField CORE_S_STATUS_STATUS_1 = new BitField("CORE_S_STATUS", "STATUS_1", 17, 16);
    /** executer 0 (TRM 36; spec 7.1). */
    public static final BitField CORE_S_STATUS_STATUS_0 = new BitField("CORE_S_STATUS", "STATUS_0", 1, 0);

    public static final int CORE_S_POINTER = 0x3004;
    /** core number, set by the driver (spec 8.3). */
    public static final BitField CORE_S_POINTER_CORE_INDEX = new BitField("CORE_S_POINTER", "CORE_INDEX", 29, 28);
    /** executer in use (TRM 36; spec 7.1). */
    public static final BitField CORE_S_POINTER_EXECUTER = new BitField("CORE_S_POINTER", "EXECUTER", 16, 16);
    /** clears the executer pointer (TRM 36; spec 7.1). */
    public static final BitField CORE_S_POINTER_EXECUTER_PP_CLEAR =
            new BitField("CORE_S_POINTER", "EXECUTER_PP_CLEAR", 5, 5);
    /** clears the pointer (TRM 36; spec 7.1). */
    public static final BitField CORE_S_POINTER_POINTER_PP_CLEAR =
            new BitField("CORE_S_POINTER", "POINTER_PP_CLEAR", 4, 4);
    /** 1 = toggle by pointer (TRM 36; spec 7.1). */
    public static final BitField CORE_S_POINTER_POINTER_PP_MODE =
            new BitField("CORE_S_POINTER", "POINTER_PP_MODE", 3, 3);
    /** executer ping-pong (TRM 36; spec 7.1). */
    public static final BitField CORE_S_POINTER_EXECUTER_PP_EN = new BitField("CORE_S_POINTER", "EXECUTER_PP_EN", 2, 2);
    /** pointer ping-pong (TRM 36; spec 7.1). */
    public static final BitField CORE_S_POINTER_POINTER_PP_EN = new BitField("CORE_S_POINTER", "POINTER_PP_EN", 1, 1);
    /** register group that writes go to (TRM 36; spec 7.1). */
    public static final BitField CORE_S_POINTER_POINTER = new BitField("CORE_S_POINTER", "POINTER", 0, 0);

    public static final int CORE_OPERATION_ENABLE = 0x3008;
    /** starts the block in slave mode (TRM 36). */
    public static final BitField CORE_OPERATION_ENABLE_OP_EN = new BitField("CORE_OPERATION_ENABLE", "OP_EN", 0, 0);

    public static final int CORE_MISC_CFG = 0x3010;
    /** precision of the array (spec 4). */
    public static final BitField CORE_MISC_CFG_PROC_PRECISION = new BitField("CORE_MISC_CFG", "PROC_PRECISION", 10, 8);
    /** depthwise (spec 4). */
    public static final BitField CORE_MISC_CFG_DW_EN = new BitField("CORE_MISC_CFG", "DW_EN", 1, 1);
    /** quantised dot product (spec 4). */
    public static final BitField CORE_MISC_CFG_QD_EN = new BitField("CORE_MISC_CFG", "QD_EN", 0, 0);

    public static final int CORE_DATAOUT_SIZE_0 = 0x3014;
    /** output height: M (spec 4). */
    public static final BitField CORE_DATAOUT_SIZE_0_DATAOUT_HEIGHT =
            new BitField("CORE_DATAOUT_SIZE_0", "DATAOUT_HEIGHT", 31, 16);
    /** output width (spec 4). */
    public static final BitField CORE_DATAOUT_SIZE_0_DATAOUT_WIDTH =
            new BitField("CORE_DATAOUT_SIZE_0", "DATAOUT_WIDTH", 15, 0);

    public static final int CORE_DATAOUT_SIZE_1 = 0x3018;
    /** output channels: N (spec 4). */
    public static final BitField CORE_DATAOUT_SIZE_1_DATAOUT_CHANNEL =
            new BitField("CORE_DATAOUT_SIZE_1", "DATAOUT_CHANNEL", 15, 0);

    public static final int CORE_CLIP_TRUNCATE = 0x301c;
    /** accumulator shift (spec 4). */
    public static final BitField CORE_CLIP_TRUNCATE_VALUE = new BitField("CORE_CLIP_TRUNCATE", "VALUE", 31, 0);

    public static final int CORE_3030 = 0x3030;
    /** undocumented, always written as 0 (spec 4). */
    public static final BitField CORE_3030_UNKNOWN = new BitField("CORE_3030", "UNKNOWN", 31, 0);

    static final List<Register> ALL = List.of(
            new Register(
                    Block.CORE,
                    CORE_S_STATUS,
                    "CORE_S_STATUS",
                    List.of(
                            new RegisterField(
                                    CORE_S_STATUS_STATUS_1,
                                    Access.RO,
                                    ValueType.UINT,
                                    "executer 1: 0 idle, 1 operating, 2 operating with the other waiting",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CORE_S_STATUS_STATUS_0,
                                    Access.RO,
                                    ValueType.UINT,
                                    "executer 0",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CORE,
                    CORE_S_POINTER,
                    "CORE_S_POINTER",
                    List.of(
                            new RegisterField(
                                    CORE_S_POINTER_CORE_INDEX,
                                    Access.RW,
                                    ValueType.UINT,
                                    "core number, set by the driver",
                                    "spec 8.3",
                                    Confidence.OBSERVED),
                            new RegisterField(
                                    CORE_S_POINTER_EXECUTER,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "executer in use",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CORE_S_POINTER_EXECUTER_PP_CLEAR,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "clears the executer pointer",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CORE_S_POINTER_POINTER_PP_CLEAR,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "clears the pointer",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CORE_S_POINTER_POINTER_PP_MODE,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = toggle by pointer",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CORE_S_POINTER_EXECUTER_PP_EN,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "executer ping-pong",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CORE_S_POINTER_POINTER_PP_EN,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "pointer ping-pong",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CORE_S_POINTER_POINTER,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "register group that writes go to",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CORE,
                    CORE_OPERATION_ENABLE,
                    "CORE_OPERATION_ENABLE",
                    List.of(new RegisterField(
                            CORE_OPERATION_ENABLE_OP_EN,
                            Access.RW,
                            ValueType.FLAG,
                            "starts the block in slave mode",
                            "TRM 36",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CORE,
                    CORE_MISC_CFG,
                    "CORE_MISC_CFG",
                    List.of(
                            new RegisterField(
                                    CORE_MISC_CFG_PROC_PRECISION,
                                    Access.RW,
                                    ValueType.PRECISION,
                                    "precision of the array",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CORE_MISC_CFG_DW_EN,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "depthwise",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CORE_MISC_CFG_QD_EN,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "quantised dot product",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CORE,
                    CORE_DATAOUT_SIZE_0,
                    "CORE_DATAOUT_SIZE_0",
                    List.of(
                            new RegisterField(
                                    CORE_DATAOUT_SIZE_0_DATAOUT_HEIGHT,
                                    Access.RW,
                                    ValueType.MINUS1,
                                    "output height: M",
                                    "spec 4",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    CORE_DATAOUT_SIZE_0_DATAOUT_WIDTH,
                                    Access.RW,
                                    ValueType.MINUS1,
                                    "output width",
                                    "spec 4",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.CORE,
                    CORE_DATAOUT_SIZE_1,
                    "CORE_DATAOUT_SIZE_1",
                    List.of(new RegisterField(
                            CORE_DATAOUT_SIZE_1_DATAOUT_CHANNEL,
                            Access.RW,
                            ValueType.MINUS1,
                            "output channels: N",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CORE,
                    CORE_CLIP_TRUNCATE,
                    "CORE_CLIP_TRUNCATE",
                    List.of(new RegisterField(
                            CORE_CLIP_TRUNCATE_VALUE,
                            Access.RW,
                            ValueType.UINT,
                            "accumulator shift",
                            "spec 4",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.CORE,
                    CORE_3030,
                    "CORE_3030",
                    List.of(new RegisterField(
                            CORE_3030_UNKNOWN,
                            Access.RW,
                            ValueType.UINT,
                            "undocumented, always written as 0",
                            "spec 4",
                            Confidence.UNKNOWN))));

    private CoreRegisters() {}
}
