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
                    FetchException.Kind.NO_NETWORK,
                    "no network for " + wanted + " (" + line(outcome.output())
                            + "); check the connection or the proxy of " + program
                            + ", then run this again: what is already there is kept");
        }
        if (outcome.output().contains("ENOSPC") || outcome.output().contains("No space left")) {
            return new FetchException(
                    FetchException.Kind.UNAVAILABLE,
                    "no space for " + wanted + " (" + outcome.reason() + "); free some on the disk of Portal's home and"
                            + " of the cache of " + program + ", then run this again");
        }
        return new FetchException(
                FetchException.Kind.FAILED,
                program + " did not bring " + wanted + " (" + outcome.reason()
                        + "); run this again, and if it stays so, " + "try '" + program + "' by hand");
    }

    private static String line(String output) {
        return output.lines()
                .filter(SourceFailure::soundsLikeNoNetwork)
                .findFirst()
                .orElse("")
                .strip();
    }

    static boolean soundsLikeNoNetwork(String output) {
        return NO_NETWORK.matcher(output).find();
    }
}
