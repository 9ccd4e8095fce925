package dev.portal.app.models;

import java.util.regex.Pattern;

/** Turns what a package program said into one line: the fact, the likely cause, the next step. */
final class SourceFailure {
    private static final Pattern NO_NETWORK =
            Pattern.compile("(?i)ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|could not resolve|"
                    + "temporary failure resolving|could not connect|unable to connect|unknown host|connection refused|"
                    + "connection timed out|network is unreachable|no route to host|failed to fetch");

    private SourceFailure() {}

    static FetchException of(PackageRef wanted, String program, Tools.Outcome outcome) {
        if (soundsLikeNoNetwork(outcome.output())) {
            return new FetchException(
                    true,
                    "no network for " + wanted + " (" + outcome.reason() + "); check the connection or the proxy of "
                            + program + ", then run this again: what is already there is kept");
        }
        return new FetchException(
                false,
                program + " did not bring " + wanted + " (" + outcome.reason()
                        + "); run this again, and if it stays so, " + "try '" + program + "' by hand");
    }

    static boolean soundsLikeNoNetwork(String output) {
        return NO_NETWORK.matcher(output).find();
    }
}
