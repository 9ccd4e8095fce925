package dev.portal.hardware.fastrpc;

import java.util.Optional;

/**
 * The {@code portal_qnn} interface on the wire: method numbers, and where each primitive stands in the packed buffers
 * (spec 3.3, QAIC rules of spec 2.5). A handle interface, so 0 and 1 are open and close.
 *
 * <pre>
 *   model_load     in  model_so_dsp_addr u64 @0, model_so_size u32 @8          out model_handle u32 @0, n_graphs u32 @4
 *   set_input      in  model_handle u32 @0, graph_idx u32 @4, tensor_idx u32 @8, data_dsp_addr u64 @16, data_size u32 @24
 *   execute        in  model_handle u32 @0, graph_idx u32 @4 [, abort_epoch u32 @8]
 *   get_output     in  as set_input
 *   model_unload   in  model_handle u32 @0
 *   last_error     out qnn_code u32 @0
 *   set_control    in  model_handle u32 @0, control_dsp_addr u64 @8
 * </pre>
 *
 * <p>{@code data_size} may be absent (24 bytes): then the declared size of the tensor is meant. {@code last_error} and
 * {@code set_control} are ours, and optional: a skeleton without them answers EUNSUPPORTED.
 *
 * <p><b>Cooperative stop.</b> The five methods of the seed have no abort. {@code set_control} names a block of {@link
 * #CONTROL_BYTES} bytes in a mapped buffer, one for each model:
 *
 * <pre>
 *   magic u32 @0 = CONTROL_MAGIC | abort_epoch u32 @4 | progress u32 @8 | reserved
 * </pre>
 *
 * The client writes {@code abort_epoch}; the skeleton writes {@code progress}, the graph steps done in the present
 * execution. Between steps the skeleton reads {@code abort_epoch} and ends with EFAILED and the QNN code {@link
 * #QNN_ABORTED} once it differs from the epoch that {@code execute} carried as its optional third word, or, without that
 * word, from the value at the start of the execution. An abort that comes before the DSP has begun is therefore not lost.
 */
public final class QnnWire {
    public static final String INTERFACE = "portal_qnn";

    /** What {@code remotectl_open} is given (spec 3.3). */
    public static final String SKELETON_URI =
            "file:///libportal_qnn_skel.so?portal_qnn_skel_handle_invoke&_modver=1.0&_dom=cdsp";

    /** Limits of the skeleton (scheduling seed). */
    public static final int MAX_MODELS = 4;

    public static final int MAX_GRAPHS_PER_MODEL = 8;

    public static final int MODEL_LOAD = 2;
    public static final int SET_INPUT = 3;
    public static final int EXECUTE = 4;
    public static final int GET_OUTPUT = 5;
    public static final int MODEL_UNLOAD = 6;
    public static final int LAST_ERROR = 7;
    public static final int SET_CONTROL = 8;

    public static final int MODEL_LOAD_SCALARS = Scalars.of(MODEL_LOAD, 1, 1);
    public static final int SET_INPUT_SCALARS = Scalars.of(SET_INPUT, 1, 0);
    public static final int EXECUTE_SCALARS = Scalars.of(EXECUTE, 1, 0);
    public static final int GET_OUTPUT_SCALARS = Scalars.of(GET_OUTPUT, 1, 0);
    public static final int MODEL_UNLOAD_SCALARS = Scalars.of(MODEL_UNLOAD, 1, 0);
    public static final int LAST_ERROR_SCALARS = Scalars.of(LAST_ERROR, 0, 1);
    public static final int SET_CONTROL_SCALARS = Scalars.of(SET_CONTROL, 1, 0);

    /** {@code model_load}. */
    public static final int LOAD_ADDRESS = 0;

    public static final int LOAD_SIZE = 8;
    public static final int LOAD_IN_BYTES = 12;
    public static final int LOAD_OUT_HANDLE = 0;
    public static final int LOAD_OUT_GRAPHS = 4;
    public static final int LOAD_OUT_BYTES = 8;

    /** {@code set_input} and {@code get_output}. */
    public static final int TENSOR_MODEL = 0;

    public static final int TENSOR_GRAPH = 4;
    public static final int TENSOR_INDEX = 8;
    public static final int TENSOR_ADDRESS = 16;
    public static final int TENSOR_SIZE = 24;
    public static final int TENSOR_IN_BYTES = 28;
    /** Without the size. */
    public static final int TENSOR_IN_BYTES_SIZELESS = 24;

    /** {@code execute}. */
    public static final int EXECUTE_MODEL = 0;

    public static final int EXECUTE_GRAPH = 4;
    public static final int EXECUTE_IN_BYTES = 8;
    public static final int EXECUTE_EPOCH = 8;
    /** With the epoch. */
    public static final int EXECUTE_IN_BYTES_EPOCH = 12;

    /** {@code model_unload}. */
    public static final int UNLOAD_MODEL = 0;

    public static final int UNLOAD_IN_BYTES = 4;

    /** {@code last_error}. */
    public static final int LAST_ERROR_CODE = 0;

    public static final int LAST_ERROR_OUT_BYTES = 4;

    /** {@code set_control}; address 0 takes the block away. */
    public static final int CONTROL_MODEL = 0;

    public static final int CONTROL_ADDRESS = 8;
    public static final int CONTROL_IN_BYTES = 16;

    /** The control block. */
    public static final int CONTROL_BYTES = 64;

    /** The letters "PQC1". */
    public static final int CONTROL_MAGIC = 0x31435150;

    public static final int CONTROL_BLOCK_MAGIC = 0;
    public static final int CONTROL_BLOCK_ABORT_EPOCH = 4;
    public static final int CONTROL_BLOCK_PROGRESS = 8;

    /** QNN codes that the skeleton keeps for {@code last_error} (spec 3.1). */
    public static final int QNN_NOT_SUPPORTED = 1000;

    public static final int QNN_MEM_ALLOC = 1002;
    public static final int QNN_SYSTEM = 1003;
    public static final int QNN_INVALID_ARGUMENT = 1004;
    public static final int QNN_OPERATION_NOT_PERMITTED = 1005;
    public static final int QNN_SYSTEM_COMMUNICATION = 1007;
    public static final int QNN_INCOMPATIBLE_BINARIES = 1008;
    public static final int QNN_LOADING_BINARIES = 1009;
    public static final int QNN_RESOURCE_UNAVAILABLE = 1010;
    public static final int QNN_SYSTEM_COMMUNICATION_FATAL = 1011;
    public static final int QNN_CONTEXT_INVALID_HANDLE = 5002;
    public static final int QNN_BINARY_VERSION = 5004;
    public static final int QNN_CREATE_FROM_BINARY = 5005;
    public static final int QNN_GRAPH_INVALID_ARGUMENT = 6000;
    public static final int QNN_GRAPH_DOES_NOT_EXIST = 6002;
    public static final int QNN_INVALID_TENSOR = 6004;
    public static final int QNN_GRAPH_NOT_FINALIZED = 6023;
    public static final int QNN_ABORTED = 6031;
    public static final int QNN_TIMED_OUT = 6033;
    public static final int QNN_DEVICE_INVALID_CONFIG = 14001;

    /** The methods by number. */
    public enum Method {
        MODEL_LOAD(QnnWire.MODEL_LOAD, MODEL_LOAD_SCALARS, LOAD_IN_BYTES, LOAD_OUT_BYTES),
        SET_INPUT(QnnWire.SET_INPUT, SET_INPUT_SCALARS, TENSOR_IN_BYTES, 0),
        EXECUTE(QnnWire.EXECUTE, EXECUTE_SCALARS, EXECUTE_IN_BYTES, 0),
        GET_OUTPUT(QnnWire.GET_OUTPUT, GET_OUTPUT_SCALARS, TENSOR_IN_BYTES, 0),
        MODEL_UNLOAD(QnnWire.MODEL_UNLOAD, MODEL_UNLOAD_SCALARS, UNLOAD_IN_BYTES, 0),
        LAST_ERROR(QnnWire.LAST_ERROR, LAST_ERROR_SCALARS, 0, LAST_ERROR_OUT_BYTES),
        SET_CONTROL(QnnWire.SET_CONTROL, SET_CONTROL_SCALARS, CONTROL_IN_BYTES, 0);

        private final int number;
        private final int scalars;
        private final int inBytes;
        private final int outBytes;

        Method(int number, int scalars, int inBytes, int outBytes) {
            this.number = number;
            this.scalars = scalars;
            this.inBytes = inBytes;
            this.outBytes = outBytes;
        }

        public int number() {
            return number;
        }

        public int scalars() {
            return scalars;
        }

        /** Bytes of the primitive-in buffer; 0 when there is none. */
        public int inBytes() {
            return inBytes;
        }

        /** Bytes of the primitive-out buffer; 0 when there is none. */
        public int outBytes() {
            return outBytes;
        }

        /** As the interface definition spells it. */
        public String idlName() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }

        public static Optional<Method> of(int number) {
            for (Method method : values()) {
                if (method.number == number) {
                    return Optional.of(method);
                }
            }
            return Optional.empty();
        }
    }

    private QnnWire() {}
}
