package dev.portal.kernel;

/** The errno values that the drivers answer with; the same numbers on x86-64 and aarch64 (asm-generic/errno.h). */
public final class Errno {
    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int ESRCH = 3;
    public static final int EINTR = 4;
    public static final int EIO = 5;
    public static final int EBADF = 9;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int EFAULT = 14;
    public static final int EBUSY = 16;
    public static final int ENODEV = 19;
    public static final int ENOTDIR = 20;
    public static final int EINVAL = 22;
    public static final int EMFILE = 24;
    public static final int ENOTTY = 25;
    public static final int ENOSPC = 28;
    public static final int EPIPE = 32;
    public static final int ELOOP = 40;
    public static final int ECHRNG = 44;
    public static final int EOVERFLOW = 75;
    public static final int EOPNOTSUPP = 95;
    public static final int ECONNREFUSED = 111;
    public static final int ETIMEDOUT = 110;

    private Errno() {}

    /** The symbolic name, or {@code errno N} for one that is not listed here. */
    public static String name(int errno) {
        return switch (errno) {
            case 0 -> "OK";
            case EPERM -> "EPERM";
            case ENOENT -> "ENOENT";
            case ESRCH -> "ESRCH";
            case EINTR -> "EINTR";
            case EIO -> "EIO";
            case EBADF -> "EBADF";
            case EAGAIN -> "EAGAIN";
            case ENOMEM -> "ENOMEM";
            case EACCES -> "EACCES";
            case EFAULT -> "EFAULT";
            case EBUSY -> "EBUSY";
            case ENODEV -> "ENODEV";
            case ENOTDIR -> "ENOTDIR";
            case EINVAL -> "EINVAL";
            case EMFILE -> "EMFILE";
            case ENOTTY -> "ENOTTY";
            case ENOSPC -> "ENOSPC";
            case EPIPE -> "EPIPE";
            case ELOOP -> "ELOOP";
            case ECHRNG -> "ECHRNG";
            case EOVERFLOW -> "EOVERFLOW";
            case EOPNOTSUPP -> "EOPNOTSUPP";
            case ETIMEDOUT -> "ETIMEDOUT";
            case ECONNREFUSED -> "ECONNREFUSED";
            default -> "errno " + errno;
        };
    }

    /** Name and number, for messages. */
    public static String describe(int errno) {
        String name = name(errno);
        return name.startsWith("errno") ? name : name + " (" + errno + ")";
    }
}
