package dev.portal.hardware.fastrpc;

import dev.portal.hardware.fastrpc.QnnWire.Method;

/**
 * The scalars word: which method, and how many arguments of each kind (spec 1.4).
 *
 * <pre>
 *   31..29 attribute | 28..24 method | 23..16 in buffers | 15..8 out buffers | 7..4 in handles | 3..0 out handles
 * </pre>
 *
 * <p>Arguments stand in that order: in buffers, out buffers, in handles, out handles.
 */
public final class Scalars {
    /** Method index that says: the true number is the first u32 of the first in buffer. */
    public static final int METHOD_ESCAPE = 31;

    /** The most arguments that a word can count: 255 + 255 + 15 + 15. */
    public static final int MAX_ARGS = 540;

    /** What stubs use at most of each kind of buffer, and of handles (spec 2.5). */
    public static final int MAX_STUB_BUFFERS = 254;

    public static final int MAX_HANDLES = 15;

    /** Calls of the kernel itself, on {@link Fastrpc#HANDLE_KERNEL} (spec 1.4, 1.6). */
    public static final int KERNEL_ATTACH = 0x0001_0000;

    public static final int KERNEL_RELEASE = 0x0101_0000;
    public static final int KERNEL_MMAP = 0x0402_0100;
    public static final int KERNEL_MUNMAP = 0x0501_0000;
    public static final int KERNEL_CREATE = 0x0604_0000;
    public static final int KERNEL_CREATE_ATTR = 0x0704_0000;
    public static final int KERNEL_CREATE_STATIC = 0x0803_0000;
    public static final int KERNEL_MEM_MAP = 0x0A03_0100;
    public static final int KERNEL_MEM_UNMAP = 0x0B01_0000;
    /** On {@link Fastrpc#HANDLE_DSP_UTILITIES}. */
    public static final int KERNEL_GET_ATTRIBUTES = 0x0001_0100;

    private Scalars() {}

    /**
     * A word.
     *
     * @throws IllegalArgumentException for a count that its field does not hold
     */
    public static int of(int method, int inBuffers, int outBuffers, int inHandles, int outHandles) {
        return field("method", method, 31) << 24
                | field("in buffers", inBuffers, 255) << 16
                | field("out buffers", outBuffers, 255) << 8
                | field("in handles", inHandles, 15) << 4
                | field("out handles", outHandles, 15);
    }

    /** A word of a method without handles. */
    public static int of(int method, int inBuffers, int outBuffers) {
        return of(method, inBuffers, outBuffers, 0, 0);
    }

    private static int field(String name, int value, int limit) {
        if (value < 0 || value > limit) {
            throw new IllegalArgumentException(name + " " + value + " in a scalars word; 0 to " + limit + " fit");
        }
        return value;
    }

    public static int attribute(int scalars) {
        return scalars >>> 29;
    }

    public static int method(int scalars) {
        return scalars >>> 24 & 31;
    }

    public static int inBuffers(int scalars) {
        return scalars >>> 16 & 255;
    }

    public static int outBuffers(int scalars) {
        return scalars >>> 8 & 255;
    }

    public static int inHandles(int scalars) {
        return scalars >>> 4 & 15;
    }

    public static int outHandles(int scalars) {
        return scalars & 15;
    }

    /** In and out buffers together: the index of the first handle. */
    public static int buffers(int scalars) {
        return inBuffers(scalars) + outBuffers(scalars);
    }

    /** Arguments in all. */
    public static int count(int scalars) {
        return buffers(scalars) + inHandles(scalars) + outHandles(scalars);
    }

    /** Decodes a word, for traces: {@code method 3, 1 in, 0 out}. */
    public static String describe(int scalars) {
        StringBuilder text = new StringBuilder("method ").append(method(scalars));
        text.append(", ").append(inBuffers(scalars)).append(" in, ");
        text.append(outBuffers(scalars)).append(" out");
        if (inHandles(scalars) + outHandles(scalars) > 0) {
            text.append(", handles ").append(inHandles(scalars)).append(" in, ");
            text.append(outHandles(scalars)).append(" out");
        }
        if (attribute(scalars) != 0) {
            text.append(", attribute ").append(attribute(scalars));
        }
        return text.toString();
    }

    /**
     * Decodes a call, for traces: the interface by its static handle where it has one, and the method by name where the
     * interface is one of ours.
     *
     * @param portalQnn whether {@code handle} is a {@code portal_qnn} module
     */
    public static String describeCall(int handle, int scalars, boolean portalQnn) {
        String target = switch (handle) {
            case Fastrpc.HANDLE_REMOTECTL -> "remotectl";
            case Fastrpc.HANDLE_KERNEL -> "kernel";
            case Fastrpc.HANDLE_DSP_UTILITIES -> "dsp_utilities";
            case Fastrpc.HANDLE_LISTENER -> "adsp_listener";
            case Fastrpc.HANDLE_CURRENT_PROCESS1 -> "adsp_current_process1";
            case Fastrpc.HANDLE_MSGD1 -> "adspmsgd_adsp1";
            case Fastrpc.HANDLE_PERF -> "adsp_perf";
            case Fastrpc.HANDLE_LISTENER1 -> "adsp_listener1";
            case Fastrpc.HANDLE_REMOTECTL1 -> "remotectl1";
            case Fastrpc.HANDLE_PERF1 -> "adsp_perf1";
            default -> (portalQnn ? "portal_qnn 0x" : "handle 0x") + Integer.toHexString(handle);
        };
        String method =
                portalQnn ? Method.of(method(scalars)).map(Method::idlName).orElse("unknown") : "";
        return target + (method.isEmpty() ? "" : "." + method) + " (" + describe(scalars) + ")";
    }
}
