package dev.portal.app.models;

import java.util.List;

/** Something could not be brought. Each line of the message names the fact, the likely cause and the next step. */
public final class FetchException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Whose fault it is, which decides what to do next. */
    enum Kind {
        /** The wrong thing came, or nothing for a reason that another attempt may not have. */
        FAILED,
        /** This machine lacks a program, space or a package version. */
        UNAVAILABLE,
        /** A registry cannot be reached: no sense in asking it for the next package. */
        NO_NETWORK
    }

    private final Kind kind;

    FetchException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    /** Several failures as one. */
    static FetchException of(List<FetchException> failures) {
        return new FetchException(
                failures.stream().allMatch(FetchException::unavailable) ? Kind.UNAVAILABLE : Kind.FAILED,
                String.join(
                        "\n",
                        failures.stream().map(FetchException::text).distinct().toList()));
    }

    Kind kind() {
        return kind;
    }

    /** True when this machine lacks something, so that the command ends with 3 and not with 1. */
    public boolean unavailable() {
        return kind != Kind.FAILED;
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
