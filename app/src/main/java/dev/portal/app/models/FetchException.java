package dev.portal.app.models;

import java.util.List;

/** Something could not be brought. Each line of the message names the fact, the likely cause and the next step. */
public final class FetchException extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean unavailable;

    /**
     * @param unavailable whether this machine lacks something (a program, the network, space), as opposed to having
     *     received the wrong thing
     */
    FetchException(boolean unavailable, String message) {
        super(message);
        this.unavailable = unavailable;
    }

    /** Several failures as one. */
    static FetchException of(List<FetchException> failures) {
        return new FetchException(
                failures.stream().allMatch(FetchException::unavailable),
                String.join(
                        "\n",
                        failures.stream().map(FetchException::text).distinct().toList()));
    }

    /** True when this machine lacks something, so that the command ends with 3 and not with 1. */
    public boolean unavailable() {
        return unavailable;
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
