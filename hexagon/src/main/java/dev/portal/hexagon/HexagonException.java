package dev.portal.hexagon;

import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.kernel.DeviceException.Recovery;
import dev.portal.kernel.Errno;

/**
 * What a DSP, its kernel driver or this runtime refuses, or dies of. The three outcomes of an ioctl stay apart: {@link
 * Refused} by the kernel with an errno, {@link DspFailed} by the DSP with a code of its own, and the lost calls {@link
 * DspRestarted} and {@link DspHung} (spec 1.5, 9).
 */
public abstract sealed class HexagonException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Recovery recovery;

    private HexagonException(String message, Recovery recovery) {
        super(message);
        this.recovery = recovery;
    }

    /** What the caller may do about it. */
    public final Recovery recovery() {
        return recovery;
    }

    /** There is no compute-DSP node here. */
    public static final class Unavailable extends HexagonException {
        private static final long serialVersionUID = 1L;

        public Unavailable(String message) {
            super(message, Recovery.GIVE_UP);
        }
    }

    /** The node is there and this user may not open it. */
    public static final class Denied extends HexagonException {
        private static final long serialVersionUID = 1L;

        public Denied(String message) {
            super(message, Recovery.GIVE_UP);
        }
    }

    /** Every session of the channel is taken. */
    public static final class NoSession extends HexagonException {
        private static final long serialVersionUID = 1L;

        public NoSession(String message) {
            super(message, Recovery.RETRY);
        }
    }

    /** The kernel said no. */
    public static final class Refused extends HexagonException {
        private static final long serialVersionUID = 1L;
        private final int errno;

        public Refused(String what, int errno, String next) {
            super(what + ": " + Errno.describe(errno) + " from the kernel; " + next, Recovery.GIVE_UP);
            this.errno = errno;
        }

        public int errno() {
            return errno;
        }
    }

    /** The DSP ran the call and answered with an error. */
    public static final class DspFailed extends HexagonException {
        private static final long serialVersionUID = 1L;
        private final int result;
        private final int qnnCode;

        public DspFailed(String what, int result, String next) {
            this(what, result, 0, next);
        }

        private DspFailed(String what, int result, int qnnCode, String next) {
            super(what + ": the DSP answered " + AeeError.describe(result) + "; " + next, Recovery.GIVE_UP);
            this.result = result;
            this.qnnCode = qnnCode;
        }

        /** A general failure behind which QNN has a number of its own. */
        static DspFailed ofQnn(String what, int result, int qnnCode) {
            return new DspFailed(what, result, qnnCode, "QNN says " + qnnCode + " (docs/hexagon.md)");
        }

        /** QNN's own number, or 0. */
        public int qnnCode() {
            return qnnCode;
        }

        /** As the ioctl returned it. */
        public int result() {
            return result;
        }
    }

    /** The graph stopped because it was asked to. */
    public static final class Aborted extends HexagonException {
        private static final long serialVersionUID = 1L;

        public Aborted(String what) {
            super(what + " stopped between two steps, as was asked", Recovery.RETRY);
        }
    }

    /** A module could not be loaded on the DSP, or could not be closed. */
    public static final class ModuleFailed extends HexagonException {
        private static final long serialVersionUID = 1L;
        private final int error;

        public ModuleFailed(String message, int error) {
            super(message, Recovery.GIVE_UP);
            this.error = error;
        }

        /** What {@code remotectl} said of the loading. */
        public int error() {
            return error;
        }
    }

    /** The DSP restarted under the call: it may have run or not. The session is over. */
    public static final class DspRestarted extends HexagonException {
        private static final long serialVersionUID = 1L;

        public DspRestarted(String what) {
            super(
                    what + ": the DSP restarted (EPIPE); open a new session, load the models again, and repeat the call"
                            + " if it may run twice",
                    Recovery.REOPEN);
        }
    }

    /** A call did not come back in time and was given up. The session is over; the DSP may still write to its buffers. */
    public static final class DspHung extends HexagonException {
        private static final long serialVersionUID = 1L;

        public DspHung(String what, long limitMillis) {
            super(
                    what + " did not come back within " + limitMillis + " ms; its session is given up, and a new one"
                            + " is opened for the next call. If it happens again, restart the DSP",
                    Recovery.REOPEN);
        }
    }

    /** A signal ended a call that nobody gave up. The DSP may run it a second time, so the session is over (spec 1.8). */
    public static final class Interrupted extends HexagonException {
        private static final long serialVersionUID = 1L;

        public Interrupted(String what) {
            super(
                    what + " was interrupted by a signal (EINTR); the session is given up, since the DSP may still be"
                            + " busy with it. Block signals in threads that call a DSP",
                    Recovery.REOPEN);
        }
    }

    /** The session was closed or given up before the call. */
    public static final class SessionOver extends HexagonException {
        private static final long serialVersionUID = 1L;

        public SessionOver(String message) {
            super(message, Recovery.REOPEN);
        }
    }

    /** More models, graphs or DSP addresses than there are. */
    public static final class BudgetExceeded extends HexagonException {
        private static final long serialVersionUID = 1L;

        public BudgetExceeded(String message) {
            super(message, Recovery.GIVE_UP);
        }
    }

    /** The shell is not the one that the board's owner vouches for; nothing was loaded. */
    public static final class ShellRefused extends HexagonException {
        private static final long serialVersionUID = 1L;

        /** Why (spec 7.4). */
        public enum Reason {
            /** It cannot be read as a whole: missing, a link on the way, no regular file, or changed meanwhile. */
            UNREADABLE,
            /** Somebody else than the owner may write it. */
            BAD_OWNERSHIP,
            /** Empty, or above 2 MiB. */
            TOO_LARGE,
            /** Not an ELF32 library for Hexagon. */
            NOT_HEXAGON,
            /** Not the file that the manifest names. */
            HASH_MISMATCH,
            /** No signature, or not one by the board's key over this file and domain. */
            SIGNATURE_INVALID,
            /** No public key, or one that vouches for anything. */
            KEY_MISSING,
            /** The manifest is past its last day. */
            EXPIRED,
            /** Made for another firmware build than the one that runs. */
            WRONG_BUILD
        }

        private final Reason reason;

        public ShellRefused(Reason reason, String message) {
            super("shell refused, " + reason + ": " + message, Recovery.GIVE_UP);
            this.reason = reason;
        }

        public Reason reason() {
            return reason;
        }
    }
}
