package dev.portal.app;

/** Ends a command with one clear line on standard error and an exit code: 1 failed, 2 usage, 3 not available here. */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    /** The command failed: exit code 1. */
    public Failure(String message) {
        this(1, message);
    }

    private Failure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** What the command needs is not on this machine: exit code 3. */
    public static Failure notAvailable(String message) {
        return new Failure(3, message);
    }

    /** What was typed means nothing here, as is only seen when it is used: exit code 2. */
    public static Failure usage(String message) {
        return new Failure(2, message);
    }

    int exitCode() {
        return exitCode;
    }
}
