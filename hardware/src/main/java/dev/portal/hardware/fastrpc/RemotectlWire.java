package dev.portal.hardware.fastrpc;

/**
 * Module loading on the wire: {@code remotectl} on handle 0, and {@code remotectl1}, the same shifted by two, on handle 8
 * (spec 2.3, 2.5).
 *
 * <pre>
 *   open    in  name_len u32 @0 (with NUL), dlerror_len u32 @4 | name bytes       out handle u32 @0, n_err s32 @4 | dlerror
 *   close   in  handle u32 @0, dlerror_len u32 @4                                 out n_err s32 @0 | dlerror
 * </pre>
 *
 * <p>Two results: the RPC's says whether remotectl ran; n_err says whether the loading worked.
 */
public final class RemotectlWire {
    public static final int OPEN = 0;
    public static final int CLOSE = 1;
    public static final int GROW_HEAP = 2;
    public static final int SET_PARAM = 3;
    /** What {@code remotectl1} adds to each number. */
    public static final int HANDLE_INTERFACE_SHIFT = 2;

    public static final int OPEN_SCALARS = Scalars.of(OPEN, 2, 2);
    public static final int CLOSE_SCALARS = Scalars.of(CLOSE, 1, 2);
    public static final int OPEN1_SCALARS = Scalars.of(OPEN + HANDLE_INTERFACE_SHIFT, 2, 2);
    public static final int CLOSE1_SCALARS = Scalars.of(CLOSE + HANDLE_INTERFACE_SHIFT, 1, 2);

    public static final int OPEN_NAME_LENGTH = 0;
    public static final int OPEN_DLERROR_LENGTH = 4;
    public static final int OPEN_IN_BYTES = 8;
    public static final int OPEN_OUT_HANDLE = 0;
    public static final int OPEN_OUT_ERROR = 4;
    public static final int OPEN_OUT_BYTES = 8;

    public static final int CLOSE_HANDLE = 0;
    public static final int CLOSE_DLERROR_LENGTH = 4;
    public static final int CLOSE_IN_BYTES = 8;
    public static final int CLOSE_OUT_ERROR = 0;
    public static final int CLOSE_OUT_BYTES = 4;

    /** The customary room for the loader's text. */
    public static final int DLERROR_BYTES = 255;

    private RemotectlWire() {}
}
