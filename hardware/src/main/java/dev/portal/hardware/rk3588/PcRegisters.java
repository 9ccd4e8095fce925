package dev.portal.hardware.rk3588;

import dev.portal.hardware.rk3588.RegisterField.Access;
import dev.portal.hardware.rk3588.RegisterField.Confidence;
import dev.portal.hardware.rk3588.RegisterField.ValueType;
import java.util.List;

/** Registers of PC. Generated from {@code pc.tsv}; do not edit. */
public final class PcRegisters {
    public static final int PC_VERSION = 0x0000;
    /** hardware version (TRM 36; spec 7.1). */
    public static final BitField PC_VERSION_VALUE = new BitField("PC_VERSION", "VALUE", 31, 0);

    public static final int PC_VERSION_NUM = 0x0004;
    /** version number; GET_HW_VERSION adds its low 16 bits (TRM 36; spec 7.1). */
    public static final BitField PC_VERSION_NUM_VALUE = new BitField("PC_VERSION_NUM", "VALUE", 31, 0);

    public static final int PC_OPERATION_ENABLE = 0x0008;
    /** enable broadcast: starts PPU_RDMA (TRM 36; spec 1, 7.1). */
    public static final BitField PC_OPERATION_ENABLE_OP_EN_PPU_RDMA =
            new BitField("PC_OPERATION_ENABLE", "OP_EN_PPU_RDMA", 6, 6);
    /** enable broadcast: starts PPU (TRM 36; spec 1, 7.1). */
    public static final BitField PC_OPERATION_ENABLE_OP_EN_PPU = new BitField("PC_OPERATION_ENABLE", "OP_EN_PPU", 5, 5);
    /** enable broadcast: starts DPU_RDMA (TRM 36; spec 1, 7.1). */
    public static final BitField PC_OPERATION_ENABLE_OP_EN_DPU_RDMA =
            new BitField("PC_OPERATION_ENABLE", "OP_EN_DPU_RDMA", 4, 4);
    /** enable broadcast: starts DPU (TRM 36; spec 1, 7.1). */
    public static final BitField PC_OPERATION_ENABLE_OP_EN_DPU = new BitField("PC_OPERATION_ENABLE", "OP_EN_DPU", 3, 3);
    /** enable broadcast: starts CORE (TRM 36; spec 1, 7.1). */
    public static final BitField PC_OPERATION_ENABLE_OP_EN_CORE =
            new BitField("PC_OPERATION_ENABLE", "OP_EN_CORE", 2, 2);
    /** start fetching when the CPU writes it; in an enable broadcast, starts CNA (TRM 36; spec 1, 7.1). */
    public static final BitField PC_OPERATION_ENABLE_OP_EN_CNA = new BitField("PC_OPERATION_ENABLE", "OP_EN_CNA", 0, 0);

    public static final int PC_BASE_ADDRESS = 0x0010;
    /** address of the program to fetch, in 16-byte units (TRM 36; spec 7.1). */
    public static final BitField PC_BASE_ADDRESS_PC_SOURCE_ADDR =
            new BitField("PC_BASE_ADDRESS", "PC_SOURCE_ADDR", 31, 4);
    /** 1 = slave mode: the CPU writes registers (TRM 36; spec 7.1). */
    public static final BitField PC_BASE_ADDRESS_PC_SEL = new BitField("PC_BASE_ADDRESS", "PC_SEL", 0, 0);

    public static final int PC_REGISTER_AMOUNTS = 0x0014;
    /** cores that share the program, in vendor chains; not part of the length (spec 3.2; vendor_chains.tsv). */
    public static final BitField PC_REGISTER_AMOUNTS_CORES_MINUS_1 =
            new BitField("PC_REGISTER_AMOUNTS", "CORES_MINUS_1", 17, 16);
    /** encoded length: ceil((body + 4) / 2) - 1; 0 ends the walk (TRM 36; spec 3.2, 7.1). */
    public static final BitField PC_REGISTER_AMOUNTS_PC_DATA_AMOUNT =
            new BitField("PC_REGISTER_AMOUNTS", "PC_DATA_AMOUNT", 15, 0);

    public static final int PC_INTERRUPT_MASK = 0x0020;
    /** 1 = enabled; the mask of the last task applies (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_MASK_DMA_WRITE_ERROR =
            new BitField("PC_INTERRUPT_MASK", "DMA_WRITE_ERROR", 13, 13);
    /** 1 = enabled; the mask of the last task applies (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_MASK_DMA_READ_ERROR =
            new BitField("PC_INTERRUPT_MASK", "DMA_READ_ERROR", 12, 12);
    /** 1 = enabled; the mask of the last task applies (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_MASK_PPU_1 = new BitField("PC_INTERRUPT_MASK", "PPU_1", 11, 11);
    /** 1 = enabled; the mask of the last task applies (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_MASK_PPU_0 = new BitField("PC_INTERRUPT_MASK", "PPU_0", 10, 10);
    /** 1 = enabled; the mask of the last task applies (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_MASK_DPU_1 = new BitField("PC_INTERRUPT_MASK", "DPU_1", 9, 9);
    /** 1 = enabled; the mask of the last task applies (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_MASK_DPU_0 = new BitField("PC_INTERRUPT_MASK", "DPU_0", 8, 8);
    /** 1 = enabled; the mask of the last task applies (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_MASK_CORE_1 = new BitField("PC_INTERRUPT_MASK", "CORE_1", 7, 7);
    /** 1 = enabled; the mask of the last task applies (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_MASK_CORE_0 = new BitField("PC_INTERRUPT_MASK", "CORE_0", 6, 6);
    /** 1 = enabled; the mask of the last task applies (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_MASK_CSC_1 = new BitField("PC_INTERRUPT_MASK", "CSC_1", 5, 5);
    /** 1 = enabled; the mask of the last task applies (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_MASK_CSC_0 = new BitField("PC_INTERRUPT_MASK", "CSC_0", 4, 4);
    /** 1 = enabled; the mask of the last task applies (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_MASK_CNA_WEIGHT_1 =
            new BitField("PC_INTERRUPT_MASK", "CNA_WEIGHT_1", 3, 3);
    /** 1 = enabled; the mask of the last task applies (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_MASK_CNA_WEIGHT_0 =
            new BitField("PC_INTERRUPT_MASK", "CNA_WEIGHT_0", 2, 2);
    /** 1 = enabled; the mask of the last task applies (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_MASK_CNA_FEATURE_1 =
            new BitField("PC_INTERRUPT_MASK", "CNA_FEATURE_1", 1, 1);
    /** 1 = enabled; the mask of the last task applies (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_MASK_CNA_FEATURE_0 =
            new BitField("PC_INTERRUPT_MASK", "CNA_FEATURE_0", 0, 0);

    public static final int PC_INTERRUPT_CLEAR = 0x0024;
    /** write 1 to clear (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_CLEAR_DMA_WRITE_ERROR =
            new BitField("PC_INTERRUPT_CLEAR", "DMA_WRITE_ERROR", 13, 13);
    /** write 1 to clear (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_CLEAR_DMA_READ_ERROR =
            new BitField("PC_INTERRUPT_CLEAR", "DMA_READ_ERROR", 12, 12);
    /** write 1 to clear (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_CLEAR_PPU_1 = new BitField("PC_INTERRUPT_CLEAR", "PPU_1", 11, 11);
    /** write 1 to clear (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_CLEAR_PPU_0 = new BitField("PC_INTERRUPT_CLEAR", "PPU_0", 10, 10);
    /** write 1 to clear (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_CLEAR_DPU_1 = new BitField("PC_INTERRUPT_CLEAR", "DPU_1", 9, 9);
    /** write 1 to clear (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_CLEAR_DPU_0 = new BitField("PC_INTERRUPT_CLEAR", "DPU_0", 8, 8);
    /** write 1 to clear (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_CLEAR_CORE_1 = new BitField("PC_INTERRUPT_CLEAR", "CORE_1", 7, 7);
    /** write 1 to clear (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_CLEAR_CORE_0 = new BitField("PC_INTERRUPT_CLEAR", "CORE_0", 6, 6);
    /** write 1 to clear (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_CLEAR_CSC_1 = new BitField("PC_INTERRUPT_CLEAR", "CSC_1", 5, 5);
    /** write 1 to clear (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_CLEAR_CSC_0 = new BitField("PC_INTERRUPT_CLEAR", "CSC_0", 4, 4);
    /** write 1 to clear (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_CLEAR_CNA_WEIGHT_1 =
            new BitField("PC_INTERRUPT_CLEAR", "CNA_WEIGHT_1", 3, 3);
    /** write 1 to clear (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_CLEAR_CNA_WEIGHT_0 =
            new BitField("PC_INTERRUPT_CLEAR", "CNA_WEIGHT_0", 2, 2);
    /** write 1 to clear (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_CLEAR_CNA_FEATURE_1 =
            new BitField("PC_INTERRUPT_CLEAR", "CNA_FEATURE_1", 1, 1);
    /** write 1 to clear (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_CLEAR_CNA_FEATURE_0 =
            new BitField("PC_INTERRUPT_CLEAR", "CNA_FEATURE_0", 0, 0);

    public static final int PC_INTERRUPT_STATUS = 0x0028;
    /** raw status and mask (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_STATUS_DMA_WRITE_ERROR =
            new BitField("PC_INTERRUPT_STATUS", "DMA_WRITE_ERROR", 13, 13);
    /** raw status and mask (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_STATUS_DMA_READ_ERROR =
            new BitField("PC_INTERRUPT_STATUS", "DMA_READ_ERROR", 12, 12);
    /** raw status and mask (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_STATUS_PPU_1 = new BitField("PC_INTERRUPT_STATUS", "PPU_1", 11, 11);
    /** raw status and mask (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_STATUS_PPU_0 = new BitField("PC_INTERRUPT_STATUS", "PPU_0", 10, 10);
    /** raw status and mask (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_STATUS_DPU_1 = new BitField("PC_INTERRUPT_STATUS", "DPU_1", 9, 9);
    /** raw status and mask (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_STATUS_DPU_0 = new BitField("PC_INTERRUPT_STATUS", "DPU_0", 8, 8);
    /** raw status and mask (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_STATUS_CORE_1 = new BitField("PC_INTERRUPT_STATUS", "CORE_1", 7, 7);
    /** raw status and mask (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_STATUS_CORE_0 = new BitField("PC_INTERRUPT_STATUS", "CORE_0", 6, 6);
    /** raw status and mask (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_STATUS_CSC_1 = new BitField("PC_INTERRUPT_STATUS", "CSC_1", 5, 5);
    /** raw status and mask (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_STATUS_CSC_0 = new BitField("PC_INTERRUPT_STATUS", "CSC_0", 4, 4);
    /** raw status and mask (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_STATUS_CNA_WEIGHT_1 =
            new BitField("PC_INTERRUPT_STATUS", "CNA_WEIGHT_1", 3, 3);
    /** raw status and mask (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_STATUS_CNA_WEIGHT_0 =
            new BitField("PC_INTERRUPT_STATUS", "CNA_WEIGHT_0", 2, 2);
    /** raw status and mask (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_STATUS_CNA_FEATURE_1 =
            new BitField("PC_INTERRUPT_STATUS", "CNA_FEATURE_1", 1, 1);
    /** raw status and mask (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_STATUS_CNA_FEATURE_0 =
            new BitField("PC_INTERRUPT_STATUS", "CNA_FEATURE_0", 0, 0);

    public static final int PC_INTERRUPT_RAW_STATUS = 0x002c;
    /** raw status (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_RAW_STATUS_DMA_WRITE_ERROR =
            new BitField("PC_INTERRUPT_RAW_STATUS", "DMA_WRITE_ERROR", 13, 13);
    /** raw status (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_RAW_STATUS_DMA_READ_ERROR =
            new BitField("PC_INTERRUPT_RAW_STATUS", "DMA_READ_ERROR", 12, 12);
    /** raw status (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_RAW_STATUS_PPU_1 =
            new BitField("PC_INTERRUPT_RAW_STATUS", "PPU_1", 11, 11);
    /** raw status (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_RAW_STATUS_PPU_0 =
            new BitField("PC_INTERRUPT_RAW_STATUS", "PPU_0", 10, 10);
    /** raw status (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_RAW_STATUS_DPU_1 = new BitField("PC_INTERRUPT_RAW_STATUS", "DPU_1", 9, 9);
    /** raw status (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_RAW_STATUS_DPU_0 = new BitField("PC_INTERRUPT_RAW_STATUS", "DPU_0", 8, 8);
    /** raw status (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_RAW_STATUS_CORE_1 =
            new BitField("PC_INTERRUPT_RAW_STATUS", "CORE_1", 7, 7);
    /** raw status (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_RAW_STATUS_CORE_0 =
            new BitField("PC_INTERRUPT_RAW_STATUS", "CORE_0", 6, 6);
    /** raw status (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_RAW_STATUS_CSC_1 = new BitField("PC_INTERRUPT_RAW_STATUS", "CSC_1", 5, 5);
    /** raw status (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_RAW_STATUS_CSC_0 = new BitField("PC_INTERRUPT_RAW_STATUS", "CSC_0", 4, 4);
    /** raw status (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_RAW_STATUS_CNA_WEIGHT_1 =
            new BitField("PC_INTERRUPT_RAW_STATUS", "CNA_WEIGHT_1", 3, 3);
    /** raw status (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_RAW_STATUS_CNA_WEIGHT_0 =
            new BitField("PC_INTERRUPT_RAW_STATUS", "CNA_WEIGHT_0", 2, 2);
    /** raw status (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_RAW_STATUS_CNA_FEATURE_1 =
            new BitField("PC_INTERRUPT_RAW_STATUS", "CNA_FEATURE_1", 1, 1);
    /** raw status (TRM 36; spec 7.1). */
    public static final BitField PC_INTERRUPT_RAW_STATUS_CNA_FEATURE_0 =
            new BitField("PC_INTERRUPT_RAW_STATUS", "CNA_FEATURE_0", 0, 0);

    public static final int PC_TASK_CON = 0x0030;
    /** set by drivers, purpose unknown (spec 7.1). */
    public static final BitField PC_TASK_CON_UNKNOWN_14 = new BitField("PC_TASK_CON", "UNKNOWN_14", 14, 14);
    /** clears the task counter; clears itself (TRM 36; spec 7.1). */
    public static final BitField PC_TASK_CON_TASK_COUNT_CLEAR = new BitField("PC_TASK_CON", "TASK_COUNT_CLEAR", 13, 13);
    /** fetch the next program as soon as this one is fetched (TRM 36; spec 7.1). */
    public static final BitField PC_TASK_CON_TASK_PP_EN = new BitField("PC_TASK_CON", "TASK_PP_EN", 12, 12);
    /** programs in this kick (TRM 36; spec 7.1). */
    public static final BitField PC_TASK_CON_TASK_NUMBER = new BitField("PC_TASK_CON", "TASK_NUMBER", 11, 0);

    public static final int PC_TASK_DMA_BASE_ADDR = 0x0034;
    /** added to every data address, in 16-byte units (TRM 36; spec 7.1). */
    public static final BitField PC_TASK_DMA_BASE_ADDR_DMA_BASE_ADDR =
            new BitField("PC_TASK_DMA_BASE_ADDR", "DMA_BASE_ADDR", 31, 4);

    public static final int PC_TASK_STATUS = 0x003c;
    /** first and last task operating and fetching (TRM 36; spec 7.1). */
    public static final BitField PC_TASK_STATUS_TASK_STATUS_15_12 =
            new BitField("PC_TASK_STATUS", "TASK_STATUS_15_12", 15, 12);
    /** programs done (TRM 36; spec 7.1). */
    public static final BitField PC_TASK_STATUS_TASK_COUNTER = new BitField("PC_TASK_STATUS", "TASK_COUNTER", 11, 0);

    static final List<Register> ALL = List.of(
            new Register(
                    Block.PC,
                    PC_VERSION,
                    "PC_VERSION",
                    List.of(new RegisterField(
                            PC_VERSION_VALUE,
                            Access.RO,
                            ValueType.UINT,
                            "hardware version",
                            "TRM 36; spec 7.1",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.PC,
                    PC_VERSION_NUM,
                    "PC_VERSION_NUM",
                    List.of(new RegisterField(
                            PC_VERSION_NUM_VALUE,
                            Access.RO,
                            ValueType.UINT,
                            "version number; GET_HW_VERSION adds its low 16 bits",
                            "TRM 36; spec 7.1",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.PC,
                    PC_OPERATION_ENABLE,
                    "PC_OPERATION_ENABLE",
                    List.of(
                            new RegisterField(
                                    PC_OPERATION_ENABLE_OP_EN_PPU_RDMA,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "enable broadcast: starts PPU_RDMA",
                                    "TRM 36; spec 1, 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_OPERATION_ENABLE_OP_EN_PPU,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "enable broadcast: starts PPU",
                                    "TRM 36; spec 1, 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_OPERATION_ENABLE_OP_EN_DPU_RDMA,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "enable broadcast: starts DPU_RDMA",
                                    "TRM 36; spec 1, 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_OPERATION_ENABLE_OP_EN_DPU,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "enable broadcast: starts DPU",
                                    "TRM 36; spec 1, 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_OPERATION_ENABLE_OP_EN_CORE,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "enable broadcast: starts CORE",
                                    "TRM 36; spec 1, 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_OPERATION_ENABLE_OP_EN_CNA,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "start fetching when the CPU writes it; in an enable broadcast, starts CNA",
                                    "TRM 36; spec 1, 7.1",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.PC,
                    PC_BASE_ADDRESS,
                    "PC_BASE_ADDRESS",
                    List.of(
                            new RegisterField(
                                    PC_BASE_ADDRESS_PC_SOURCE_ADDR,
                                    Access.RW,
                                    ValueType.ADDR,
                                    "address of the program to fetch, in 16-byte units",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_BASE_ADDRESS_PC_SEL,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = slave mode: the CPU writes registers",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.PC,
                    PC_REGISTER_AMOUNTS,
                    "PC_REGISTER_AMOUNTS",
                    List.of(
                            new RegisterField(
                                    PC_REGISTER_AMOUNTS_CORES_MINUS_1,
                                    Access.RW,
                                    ValueType.MINUS1,
                                    "cores that share the program, in vendor chains; not part of the length",
                                    "spec 3.2; vendor_chains.tsv",
                                    Confidence.OBSERVED),
                            new RegisterField(
                                    PC_REGISTER_AMOUNTS_PC_DATA_AMOUNT,
                                    Access.RW,
                                    ValueType.UINT,
                                    "encoded length: ceil((body + 4) / 2) - 1; 0 ends the walk",
                                    "TRM 36; spec 3.2, 7.1",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.PC,
                    PC_INTERRUPT_MASK,
                    "PC_INTERRUPT_MASK",
                    List.of(
                            new RegisterField(
                                    PC_INTERRUPT_MASK_DMA_WRITE_ERROR,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = enabled; the mask of the last task applies",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_MASK_DMA_READ_ERROR,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = enabled; the mask of the last task applies",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_MASK_PPU_1,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = enabled; the mask of the last task applies",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_MASK_PPU_0,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = enabled; the mask of the last task applies",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_MASK_DPU_1,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = enabled; the mask of the last task applies",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_MASK_DPU_0,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = enabled; the mask of the last task applies",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_MASK_CORE_1,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = enabled; the mask of the last task applies",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_MASK_CORE_0,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = enabled; the mask of the last task applies",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_MASK_CSC_1,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = enabled; the mask of the last task applies",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_MASK_CSC_0,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = enabled; the mask of the last task applies",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_MASK_CNA_WEIGHT_1,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = enabled; the mask of the last task applies",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_MASK_CNA_WEIGHT_0,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = enabled; the mask of the last task applies",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_MASK_CNA_FEATURE_1,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = enabled; the mask of the last task applies",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_MASK_CNA_FEATURE_0,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "1 = enabled; the mask of the last task applies",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.PC,
                    PC_INTERRUPT_CLEAR,
                    "PC_INTERRUPT_CLEAR",
                    List.of(
                            new RegisterField(
                                    PC_INTERRUPT_CLEAR_DMA_WRITE_ERROR,
                                    Access.W1C,
                                    ValueType.FLAG,
                                    "write 1 to clear",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_CLEAR_DMA_READ_ERROR,
                                    Access.W1C,
                                    ValueType.FLAG,
                                    "write 1 to clear",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_CLEAR_PPU_1,
                                    Access.W1C,
                                    ValueType.FLAG,
                                    "write 1 to clear",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_CLEAR_PPU_0,
                                    Access.W1C,
                                    ValueType.FLAG,
                                    "write 1 to clear",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_CLEAR_DPU_1,
                                    Access.W1C,
                                    ValueType.FLAG,
                                    "write 1 to clear",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_CLEAR_DPU_0,
                                    Access.W1C,
                                    ValueType.FLAG,
                                    "write 1 to clear",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_CLEAR_CORE_1,
                                    Access.W1C,
                                    ValueType.FLAG,
                                    "write 1 to clear",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_CLEAR_CORE_0,
                                    Access.W1C,
                                    ValueType.FLAG,
                                    "write 1 to clear",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_CLEAR_CSC_1,
                                    Access.W1C,
                                    ValueType.FLAG,
                                    "write 1 to clear",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_CLEAR_CSC_0,
                                    Access.W1C,
                                    ValueType.FLAG,
                                    "write 1 to clear",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_CLEAR_CNA_WEIGHT_1,
                                    Access.W1C,
                                    ValueType.FLAG,
                                    "write 1 to clear",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_CLEAR_CNA_WEIGHT_0,
                                    Access.W1C,
                                    ValueType.FLAG,
                                    "write 1 to clear",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_CLEAR_CNA_FEATURE_1,
                                    Access.W1C,
                                    ValueType.FLAG,
                                    "write 1 to clear",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_CLEAR_CNA_FEATURE_0,
                                    Access.W1C,
                                    ValueType.FLAG,
                                    "write 1 to clear",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.PC,
                    PC_INTERRUPT_STATUS,
                    "PC_INTERRUPT_STATUS",
                    List.of(
                            new RegisterField(
                                    PC_INTERRUPT_STATUS_DMA_WRITE_ERROR,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status and mask",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_STATUS_DMA_READ_ERROR,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status and mask",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_STATUS_PPU_1,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status and mask",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_STATUS_PPU_0,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status and mask",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_STATUS_DPU_1,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status and mask",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_STATUS_DPU_0,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status and mask",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_STATUS_CORE_1,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status and mask",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_STATUS_CORE_0,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status and mask",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_STATUS_CSC_1,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status and mask",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_STATUS_CSC_0,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status and mask",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_STATUS_CNA_WEIGHT_1,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status and mask",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_STATUS_CNA_WEIGHT_0,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status and mask",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_STATUS_CNA_FEATURE_1,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status and mask",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_STATUS_CNA_FEATURE_0,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status and mask",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.PC,
                    PC_INTERRUPT_RAW_STATUS,
                    "PC_INTERRUPT_RAW_STATUS",
                    List.of(
                            new RegisterField(
                                    PC_INTERRUPT_RAW_STATUS_DMA_WRITE_ERROR,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_RAW_STATUS_DMA_READ_ERROR,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_RAW_STATUS_PPU_1,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_RAW_STATUS_PPU_0,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_RAW_STATUS_DPU_1,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_RAW_STATUS_DPU_0,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_RAW_STATUS_CORE_1,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_RAW_STATUS_CORE_0,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_RAW_STATUS_CSC_1,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_RAW_STATUS_CSC_0,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_RAW_STATUS_CNA_WEIGHT_1,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_RAW_STATUS_CNA_WEIGHT_0,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_RAW_STATUS_CNA_FEATURE_1,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_INTERRUPT_RAW_STATUS_CNA_FEATURE_0,
                                    Access.RO,
                                    ValueType.FLAG,
                                    "raw status",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.PC,
                    PC_TASK_CON,
                    "PC_TASK_CON",
                    List.of(
                            new RegisterField(
                                    PC_TASK_CON_UNKNOWN_14,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "set by drivers, purpose unknown",
                                    "spec 7.1",
                                    Confidence.UNKNOWN),
                            new RegisterField(
                                    PC_TASK_CON_TASK_COUNT_CLEAR,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "clears the task counter; clears itself",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_TASK_CON_TASK_PP_EN,
                                    Access.RW,
                                    ValueType.FLAG,
                                    "fetch the next program as soon as this one is fetched",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_TASK_CON_TASK_NUMBER,
                                    Access.RW,
                                    ValueType.UINT,
                                    "programs in this kick",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED))),
            new Register(
                    Block.PC,
                    PC_TASK_DMA_BASE_ADDR,
                    "PC_TASK_DMA_BASE_ADDR",
                    List.of(new RegisterField(
                            PC_TASK_DMA_BASE_ADDR_DMA_BASE_ADDR,
                            Access.RW,
                            ValueType.ADDR,
                            "added to every data address, in 16-byte units",
                            "TRM 36; spec 7.1",
                            Confidence.DOCUMENTED))),
            new Register(
                    Block.PC,
                    PC_TASK_STATUS,
                    "PC_TASK_STATUS",
                    List.of(
                            new RegisterField(
                                    PC_TASK_STATUS_TASK_STATUS_15_12,
                                    Access.RO,
                                    ValueType.UINT,
                                    "first and last task operating and fetching",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED),
                            new RegisterField(
                                    PC_TASK_STATUS_TASK_COUNTER,
                                    Access.RO,
                                    ValueType.UINT,
                                    "programs done",
                                    "TRM 36; spec 7.1",
                                    Confidence.DOCUMENTED))));

    private PcRegisters() {}
}
