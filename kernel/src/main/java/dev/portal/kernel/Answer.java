package dev.portal.kernel;

/**
 * The answer of a system call in one {@code long}: errno in the high half, the returned {@code int} in the low half.
 * Errno is zero unless the call returned -1.
 */
public final class Answer {
    private Answer() {}

    /** A call that returned {@code value} without setting errno. */
    public static long of(int value) {
        return value & 0xffff_ffffL;
    }

    /** A call that returned -1 and set errno. */
    public static long error(int errno) {
        return (long) errno << 32 | 0xffff_ffffL;
    }

    /** What the call returned. */
    public static int value(long answer) {
        return (int) answer;
    }

    /** The errno, or 0 when the call did not fail in the C library's sense. */
    public static int errno(long answer) {
        return (int) (answer >>> 32);
    }

    /** Whether the call returned -1 with an errno. Other negative values are answers, and the caller's to interpret. */
    public static boolean failed(long answer) {
        return errno(answer) != 0;
    }

    /** For messages: {@code 0} or {@code -1 EINVAL (22)}. */
    public static String describe(long answer) {
        return failed(answer) ? value(answer) + " " + Errno.describe(errno(answer)) : Integer.toString(value(answer));
    }
}
