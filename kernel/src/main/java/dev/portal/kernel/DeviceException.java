package dev.portal.kernel;

/**
 * What a device or its kernel driver refuses, or dies of. Messages say what was asked, what came back, the likely cause
 * and the next step; {@link #recovery()} says it to the health monitor.
 */
public abstract sealed class DeviceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What the caller may do about it. */
    public enum Recovery {
        /** The same call may succeed. */
        RETRY,
        /** The device must be reset first. */
        RESET,
        /** The device must be closed and opened again. */
        REOPEN,
        /** Nothing that the program can do. */
        GIVE_UP
    }

    private final String device;
    private final int errno;
    private final Recovery recovery;

    private DeviceException(String device, String message, int errno, Recovery recovery) {
        super(device + ": " + message);
        this.device = device;
        this.errno = errno;
        this.recovery = recovery;
    }

    /** The node, or another name of the device. */
    public final String device() {
        return device;
    }

    /** The errno behind it, or 0. */
    public final int errno() {
        return errno;
    }

    public final Recovery recovery() {
        return recovery;
    }

    /** There is no such device here. */
    public static final class Unavailable extends DeviceException {
        private static final long serialVersionUID = 1L;

        public Unavailable(String device, String message) {
            super(device, message, 0, Recovery.GIVE_UP);
        }
    }

    /** The device is there and this user may not open it. */
    public static final class Denied extends DeviceException {
        private static final long serialVersionUID = 1L;

        public Denied(String device, String message, int errno) {
            super(device, message, errno, Recovery.GIVE_UP);
        }
    }

    /** Another process owns the device. */
    public static final class Busy extends DeviceException {
        private static final long serialVersionUID = 1L;

        public Busy(String device, String message) {
            super(device, message, Errno.EAGAIN, Recovery.RETRY);
        }
    }

    /** The driver is of another kind or version than this code speaks to. */
    public static final class Incompatible extends DeviceException {
        private static final long serialVersionUID = 1L;

        public Incompatible(String device, String message) {
            super(device, message, 0, Recovery.GIVE_UP);
        }
    }

    /** The driver said no. */
    public static final class Rejected extends DeviceException {
        private static final long serialVersionUID = 1L;

        public Rejected(String device, String message, int errno, Recovery recovery) {
            super(device, message, errno, recovery);
        }
    }

    /** The device did not finish in time. */
    public static final class TimedOut extends DeviceException {
        private static final long serialVersionUID = 1L;

        public TimedOut(String device, String message, Recovery recovery) {
            super(device, message, Errno.ETIMEDOUT, recovery);
        }
    }

    /** The device finished and what it left is wrong, or it cannot be used any more. */
    public static final class Faulted extends DeviceException {
        private static final long serialVersionUID = 1L;

        public Faulted(String device, String message, Recovery recovery) {
            super(device, message, 0, recovery);
        }
    }
}
