package dev.portal.emulator;

/**
 * Something that the hardware would not forgive, or that deserves a look.
 *
 * @param severity what it means for the result
 * @param code short and stable, for tests and the list of known divergences: {@code bank-sum}, {@code dirty-line}
 * @param message values, likely cause and what to do, for a person
 */
public record Diagnostic(Severity severity, String code, String message) {
    /** How bad it is. */
    public enum Severity {
        /** The result stands; a careful encoder would do otherwise. */
        NOTE,
        /** The chip completes, with wrong or missing results. */
        WRONG,
        /** The chip or the kernel does not come back from this without a reset. */
        FATAL
    }

    @Override
    public String toString() {
        return severity + " " + code + ": " + message;
    }
}
