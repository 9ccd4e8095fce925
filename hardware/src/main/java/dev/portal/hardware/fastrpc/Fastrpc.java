package dev.portal.hardware.fastrpc;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * Numbers of the upstream FastRPC driver, of DMA heaps and of DMA-BUF. Source: {@code misc/fastrpc.h}, {@code
 * linux/dma-heap.h} and {@code linux/dma-buf.h} compiled (spec/hexagon-and-voice.md sections 1.2 to 1.4, 1.11); every
 * value is tested against what that compiler printed. The same on x86-64 and aarch64.
 */
public final class Fastrpc {
    /** Requests of the node, type {@code 'R'} (spec 1.2). The driver compares the whole number. */
    public static final int ALLOC_DMA_BUFF = iowr('R', 1, 16);

    /** In the header and handled by no driver: ENOTTY. Buffers are freed by closing their descriptor. */
    public static final int FREE_DMA_BUFF = iowr('R', 2, 4);

    public static final int INVOKE = iowr('R', 3, 16);
    public static final int INIT_ATTACH = io('R', 4);
    public static final int INIT_CREATE = iowr('R', 5, 24);

    /** Grows the DSP's heap with memory of the kernel's. It does not map a buffer; {@link #MEM_MAP} does. */
    public static final int MMAP = iowr('R', 6, 32);

    public static final int MUNMAP = iowr('R', 7, 16);
    public static final int INIT_ATTACH_SNS = io('R', 8);
    /** Newer than kernel 6.1. */
    public static final int INIT_CREATE_STATIC = iowr('R', 9, 16);

    public static final int MEM_MAP = iowr('R', 10, 64);
    public static final int MEM_UNMAP = iowr('R', 11, 48);
    /** Of a vendor tree only. */
    public static final int SET_OPTION = iowr('R', 12, 32);

    public static final int GET_DSP_INFO = iowr('R', 13, 28);

    /** Of a DMA heap, and of any DMA-BUF (spec 1.11). */
    public static final int DMA_HEAP_ALLOC = iowr('H', 0, 24);

    public static final int DMA_BUF_SYNC = iow('b', 0, 8);
    public static final int DMA_BUF_SET_NAME_A = iow('b', 1, 4);
    public static final int DMA_BUF_SET_NAME_B = iow('b', 1, 8);
    public static final int DMA_BUF_EXPORT_SYNC_FILE = iowr('b', 2, 8);
    public static final int DMA_BUF_IMPORT_SYNC_FILE = iow('b', 3, 8);

    /** {@link MemMap#flags()}. */
    public static final int MAP_STATIC = 0;

    public static final int MAP_RESERVED = 1;
    public static final int MAP_FD = 2;
    public static final int MAP_FD_DELAYED = 3;
    public static final int MAP_FD_NOMAP = 16;
    public static final int MAP_MAX = 17;

    /** {@link InitCreate#attrs()}. */
    public static final int MODE_DEBUG = 1;

    public static final int MODE_PTRACE = 2;
    public static final int MODE_CRC = 4;
    public static final int MODE_UNSIGNED_MODULE = 8;
    public static final int MODE_ADAPTIVE_QOS = 0x10;
    public static final int MODE_SYSTEM_PROCESS = 0x20;
    public static final int MODE_PRIVILEGED = 0x40;

    /** Further process attributes of the user library, which go straight to the DSP. */
    public static final int MODE_ENABLE_PDDUMP = 0x80;

    public static final int MODE_DEBUG_PDDUMP = 0x100;
    public static final int MODE_PERF_KERNEL = 0x200;
    public static final int MODE_PERF_DSP = 0x400;
    public static final int MODE_ENABLE_IREGION_LOG = 0x800;
    public static final int MODE_ENABLE_QTF_TRACING = 0x1000;
    public static final int MODE_ENABLE_UAF = 0x10000;
    public static final int MODE_SYSTEM_UNSIGNED_PD = 0x20000;
    public static final int MODE_LOG_PACKET = 0x40000;

    /** {@link InvokeArgs#attr()}. */
    public static final int ATTR_SECUREMAP = 1;

    /** {@link InvokeArgs#fd()} of plain memory. 0 counts as plain memory too, so DMA-BUF 0 can never be passed. */
    public static final int NO_FD = -1;

    /** {@link ReqMmap#flags()}: what kernel 6.1 accepts, and what newer ones accept as well. */
    public static final int MMAP_ADD_PAGES = 0x1000;

    public static final int MMAP_REMOTE_HEAP = 8;
    /** Flags of the user library that the ioctl refuses. */
    public static final int MMAP_HEAP = 4;

    public static final int MMAP_DMA_BUFFER = 6;
    public static final int MMAP_ADD_PAGES_LLC = 0x3000;

    /** {@link SetOption#requestId()}. */
    public static final int OPTION_POLL_MODE = 1;

    /** {@link DmaHeap#fdFlags()}: O_CLOEXEC and an access mode. */
    public static final int DMA_HEAP_VALID_FD_FLAGS = 0x80003;

    public static final int DMA_HEAP_FD_FLAGS_RDWR_CLOEXEC = 0x80002;
    public static final long DMA_HEAP_VALID_HEAP_FLAGS = 0;

    /** {@link DmaBufSync#flags()}. Any other bit is EINVAL. */
    public static final long SYNC_READ = 1;

    public static final long SYNC_WRITE = 2;
    public static final long SYNC_RW = 3;
    public static final long SYNC_START = 0;
    public static final long SYNC_END = 4;
    public static final long SYNC_VALID_FLAGS_MASK = 7;

    /** Bytes of a DMA-BUF's name, NUL included. */
    public static final int DMA_BUF_NAME_LEN = 32;

    /** Limits of the driver. */
    public static final int MAX_SESSIONS = 14;

    public static final int DEV_MAX_6_1 = 4;
    /** Context ids run from 1 to 255, cyclically by channel. */
    public static final int CTX_MAX = 256;

    public static final int CTXID_SHIFT = 4;
    public static final int CTXID_MASK = 0xff0;
    /** Alignment of inline data in a payload. */
    public static final int ALIGN = 128;

    public static final int MAX_FDLIST = 16;
    public static final int MAX_CRCLIST = 64;
    public static final int MAX_VMIDS = 16;
    public static final int INIT_FILELEN_MAX = 2 * 1024 * 1024;
    public static final int INIT_FILE_NAMELEN_MAX = 128;
    /** Attributes from here on are answered in user space. */
    public static final int MAX_DSP_ATTRIBUTES = 256;

    /** How long the kernel waits for its own calls to the DSP, in seconds. */
    public static final int KERNEL_INVOKE_TIMEOUT_S = 10;

    /** Domains. The kernel never routes by them: the node that was opened decides. */
    public static final int DOMAIN_ADSP = 0;

    public static final int DOMAIN_MDSP = 1;
    public static final int DOMAIN_SDSP = 2;
    /** {@code CDSP_DOMAIN_ID} of the scheduling seed. */
    public static final int DOMAIN_CDSP = 3;

    public static final int DOMAIN_CDSP1 = 4;
    public static final int DOMAIN_GDSP0 = 5;
    public static final int DOMAIN_GDSP1 = 6;
    /** The user library's "effective domain" is the domain plus this times the session. */
    public static final int SESSION_STRIDE = 8;

    /** Process ids on the wire, below the context id. */
    public static final int PD_ROOT = 0;

    public static final int PD_USER = 1;
    public static final int PD_SENSORS = 2;

    /** Static handles (spec 2.3). */
    public static final int HANDLE_REMOTECTL = 0;

    /** EPERM from user space. */
    public static final int HANDLE_KERNEL = 1;

    public static final int HANDLE_DSP_UTILITIES = 2;
    public static final int HANDLE_LISTENER = 3;
    public static final int HANDLE_CURRENT_PROCESS1 = 4;
    public static final int HANDLE_MSGD1 = 5;
    public static final int HANDLE_PERF = 6;
    public static final int HANDLE_LISTENER1 = 7;
    public static final int HANDLE_REMOTECTL1 = 8;
    public static final int HANDLE_PERF1 = 9;
    public static final int HANDLE_MAX_STATIC = 10;

    /** {@link Capability#attributeId()}. */
    public static final int ATTRIBUTE_DOMAIN_SUPPORT = 0;

    public static final int ATTRIBUTE_UNSIGNED_PD_SUPPORT = 1;
    public static final int ATTRIBUTE_HVX_SUPPORT_64B = 2;
    public static final int ATTRIBUTE_HVX_SUPPORT_128B = 3;
    public static final int ATTRIBUTE_VTCM_PAGE = 4;
    public static final int ATTRIBUTE_VTCM_COUNT = 5;
    public static final int ATTRIBUTE_ARCH_VER = 6;
    public static final int ATTRIBUTE_HMX_SUPPORT_DEPTH = 7;
    public static final int ATTRIBUTE_HMX_SUPPORT_SPATIAL = 8;
    public static final int ATTRIBUTE_ASYNC_FASTRPC_SUPPORT = 9;
    public static final int ATTRIBUTE_STATUS_NOTIFICATION_SUPPORT = 10;
    public static final int ATTRIBUTE_MCID_MULTICAST = 11;
    public static final int ATTRIBUTE_PERF_V2_DSP_SUPPORT = 128;
    public static final int ATTRIBUTE_MAP_DMA_HANDLE_REVERSERPC = 129;
    public static final int ATTRIBUTE_DSPSIGNAL_DSP_SUPPORT = 130;
    public static final int ATTRIBUTE_PROC_SHARED_BUFFER_SUPPORT = 131;
    public static final int ATTRIBUTE_PERF_V2_DRIVER_SUPPORT = 256;
    public static final int ATTRIBUTE_DRIVER_ERROR_CODE_CHANGE = 257;
    public static final int ATTRIBUTE_USERSPACE_ALLOCATION_SUPPORT = 258;
    public static final int ATTRIBUTE_DSPSIGNAL_DRIVER_SUPPORT = 259;

    /** Nodes (spec 1.1, 1.10, 1.11). */
    public static final String NODE_CDSP_SECURE = "/dev/fastrpc-cdsp-secure";

    public static final String NODE_CDSP = "/dev/fastrpc-cdsp";
    public static final String NODE_ADSP_SECURE = "/dev/fastrpc-adsp-secure";
    public static final String NODE_ADSP = "/dev/fastrpc-adsp";
    public static final String DMA_HEAP_DIRECTORY = "/dev/dma_heap";
    public static final String DMA_HEAP_SYSTEM = "/dev/dma_heap/system";
    /** Of the scheduling seed; no public kernel has it (spec 7.2). */
    public static final String DMA_HEAP_SEED = "/dev/dma_heap/fastrpc_mem";

    /** Nodes of the downstream driver: the same letter, other numbers with other meanings. Never probe it. */
    public static final String NODE_DOWNSTREAM = "/dev/adsprpc-smd";

    public static final String NODE_DOWNSTREAM_SECURE = "/dev/adsprpc-smd-secure";

    private static final int MIB = 1024 * 1024;

    private Fastrpc() {}

    /** Bytes of a user process for a shell of {@code filelen}: {@code align_up(max(2 MiB, 4 * filelen), 1 MiB)}. */
    public static long initMemoryBytes(int filelen) {
        long bytes = Math.max(2L * MIB, 4L * filelen);
        return (bytes + MIB - 1) / MIB * MIB;
    }

    /** Bytes before the inline data of a payload with {@code args} arguments (spec 1.7). */
    public static int payloadMetadataBytes(int args) {
        return args * (16 + 8 + 16) + MAX_FDLIST * 8 + MAX_CRCLIST * 4;
    }

    /** The kernel's name for a request, or its number in hexadecimal. */
    public static String requestName(int request) {
        for (Request known : Request.values()) {
            if (known.number == request) {
                return known.name();
            }
        }
        return "ioctl 0x" + Integer.toHexString(request);
    }

    /** For {@link #requestName}. */
    private enum Request {
        ALLOC_DMA_BUFF(Fastrpc.ALLOC_DMA_BUFF),
        FREE_DMA_BUFF(Fastrpc.FREE_DMA_BUFF),
        INVOKE(Fastrpc.INVOKE),
        INIT_ATTACH(Fastrpc.INIT_ATTACH),
        INIT_CREATE(Fastrpc.INIT_CREATE),
        MMAP(Fastrpc.MMAP),
        MUNMAP(Fastrpc.MUNMAP),
        INIT_ATTACH_SNS(Fastrpc.INIT_ATTACH_SNS),
        INIT_CREATE_STATIC(Fastrpc.INIT_CREATE_STATIC),
        MEM_MAP(Fastrpc.MEM_MAP),
        MEM_UNMAP(Fastrpc.MEM_UNMAP),
        SET_OPTION(Fastrpc.SET_OPTION),
        GET_DSP_INFO(Fastrpc.GET_DSP_INFO),
        DMA_HEAP_ALLOC(Fastrpc.DMA_HEAP_ALLOC),
        DMA_BUF_SYNC(Fastrpc.DMA_BUF_SYNC),
        DMA_BUF_SET_NAME_A(Fastrpc.DMA_BUF_SET_NAME_A),
        DMA_BUF_SET_NAME_B(Fastrpc.DMA_BUF_SET_NAME_B),
        DMA_BUF_EXPORT_SYNC_FILE(Fastrpc.DMA_BUF_EXPORT_SYNC_FILE),
        DMA_BUF_IMPORT_SYNC_FILE(Fastrpc.DMA_BUF_IMPORT_SYNC_FILE);

        private final int number;

        Request(int number) {
            this.number = number;
        }
    }

    private static int iowr(char type, int number, int size) {
        return 3 << 30 | size << 16 | type << 8 | number;
    }

    private static int iow(char type, int number, int size) {
        return 1 << 30 | size << 16 | type << 8 | number;
    }

    private static int io(char type, int number) {
        return type << 8 | number;
    }

    static StructLayout struct(String name, long sizeBytes, MemoryLayout... members) {
        StructLayout layout = MemoryLayout.structLayout(members).withName(name);
        if (layout.byteSize() != sizeBytes) {
            throw new AssertionError(name + " has " + layout.byteSize() + " bytes, not " + sizeBytes);
        }
        return layout;
    }

    static VarHandle field(StructLayout layout, String name) {
        return layout.varHandle(MemoryLayout.PathElement.groupElement(name)).withInvokeExactBehavior();
    }
}
