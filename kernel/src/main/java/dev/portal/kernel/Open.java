package dev.portal.kernel;

/**
 * How to open a file. These bits are Portal's own; {@link LinuxKernel} translates them, since Linux gives DIRECTORY,
 * NOFOLLOW and DIRECT other numbers on aarch64 than on x86-64.
 */
public final class Open {
    public static final int READ_ONLY = 0;
    public static final int WRITE_ONLY = 1;
    public static final int READ_WRITE = 2;
    public static final int CLOEXEC = 1 << 8;
    public static final int NONBLOCK = 1 << 9;
    public static final int NOFOLLOW = 1 << 10;
    public static final int DIRECTORY = 1 << 11;

    /** How every device node is opened. */
    public static final int DEVICE = READ_WRITE | CLOEXEC;

    private Open() {}
}
