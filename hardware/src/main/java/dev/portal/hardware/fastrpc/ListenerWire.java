package dev.portal.hardware.fastrpc;

/**
 * Reverse calls on the wire: {@code adsp_listener.next2} on handle 3, and {@code adsp_listener1}, shifted by two, on handle
 * 7 (spec 2.6). The host parks a thread in it; it returns when code on the DSP calls back.
 *
 * <pre>
 *   next2   in  prev_ctx u32 @0, prev_result s32 @4, prev_out_len u32 @8, bufs_len u32 @12 | prev_out bytes
 *           out ctx u32 @0, handle u32 @4, sc u32 @8, buf_len_req u32 @12                  | bufs
 *   get_in_bufs2   in ctx u32 @0, offset u32 @4, bufs_len u32 @8                           out buf_len_req u32 @0 | bufs
 * </pre>
 *
 * <p>{@code bufs} holds, for each in buffer, a u32 length, then, if it is not zero, padding to 8 and the bytes; then a u32
 * capacity for each out buffer. {@code prev_out} holds, for each out buffer, u32 length, padding to 8, bytes.
 */
public final class ListenerWire {
    public static final int NEXT2 = 4;
    public static final int GET_IN_BUFS2 = 5;
    public static final int HANDLE_INTERFACE_SHIFT = 2;

    public static final int NEXT2_SCALARS = Scalars.of(NEXT2, 2, 2);
    public static final int NEXT2_1_SCALARS = Scalars.of(NEXT2 + HANDLE_INTERFACE_SHIFT, 2, 2);
    public static final int GET_IN_BUFS2_SCALARS = Scalars.of(GET_IN_BUFS2, 1, 2);
    public static final int GET_IN_BUFS2_1_SCALARS = Scalars.of(GET_IN_BUFS2 + HANDLE_INTERFACE_SHIFT, 1, 2);

    public static final int NEXT2_PREVIOUS_CONTEXT = 0;
    public static final int NEXT2_PREVIOUS_RESULT = 4;
    public static final int NEXT2_PREVIOUS_OUT_LENGTH = 8;
    public static final int NEXT2_BUFFERS_LENGTH = 12;
    public static final int NEXT2_IN_BYTES = 16;
    public static final int NEXT2_OUT_CONTEXT = 0;
    public static final int NEXT2_OUT_HANDLE = 4;
    public static final int NEXT2_OUT_SCALARS = 8;
    public static final int NEXT2_OUT_LENGTH_REQUIRED = 12;
    public static final int NEXT2_OUT_BYTES = 16;

    public static final int GET_IN_BUFS2_CONTEXT = 0;
    public static final int GET_IN_BUFS2_OFFSET = 4;
    public static final int GET_IN_BUFS2_BUFFERS_LENGTH = 8;
    public static final int GET_IN_BUFS2_IN_BYTES = 12;
    public static final int GET_IN_BUFS2_OUT_LENGTH_REQUIRED = 0;
    public static final int GET_IN_BUFS2_OUT_BYTES = 4;

    /** {@code prev_result} of the first call. */
    public static final int NO_RESULT = -1;

    /** Alignment of the bytes in {@code bufs} and {@code prev_out}. */
    public static final int BYTES_ALIGNMENT = 8;

    /** On the host's own table: {@code apps_remotectl}. */
    public static final int HANDLE_APPS_REMOTECTL = 0;

    private ListenerWire() {}
}
