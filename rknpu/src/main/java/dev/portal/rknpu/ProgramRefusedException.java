package dev.portal.rknpu;

/** One program cannot do what was asked: the message gives the number that broke the rule, the rule, and a way out. */
public final class ProgramRefusedException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public ProgramRefusedException(String message) {
        super(message);
    }
}
