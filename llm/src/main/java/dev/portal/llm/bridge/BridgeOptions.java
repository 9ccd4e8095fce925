package dev.portal.llm.bridge;

import java.time.Duration;

/**
 * Limits of the bridge. The defaults are the protocol's (section 4.3, rules 3, 6 and 8).
 *
 * @param contextTokens the context asked for; the child answers with the one it has
 * @param handshakeLimit from start to the answer of {@code initialize}
 * @param readyWait how long a request waits for a child that is starting or about to be restarted
 * @param pingEvery between pings of an idle child
 * @param answerLimit for ping, status, reset, pause and resume
 * @param stallLimit between two signs of life of a generation
 * @param cancelLimit from a cancel to the child's answer, before the child is killed
 * @param shutdownLimit from the shutdown request to the exit, before the child is killed
 * @param backoffFirst pause before the first restart; doubles with each failure in the window
 * @param backoffLongest the longest pause
 * @param failureLimit this many failures within {@code failureWindow} end the attempts
 * @param failureWindow see there
 * @param queueTokens tokens that wait for a slow consumer before its request is cancelled
 * @param errorLinesPerSecond of the child's standard error that are passed on; the rest is counted
 */
public record BridgeOptions(
        int contextTokens,
        Duration handshakeLimit,
        Duration readyWait,
        Duration pingEvery,
        Duration answerLimit,
        Duration stallLimit,
        Duration cancelLimit,
        Duration shutdownLimit,
        Duration backoffFirst,
        Duration backoffLongest,
        int failureLimit,
        Duration failureWindow,
        int queueTokens,
        int errorLinesPerSecond) {
    /** The protocol's own numbers. */
    public static BridgeOptions defaults() {
        return new BridgeOptions(
                512,
                Duration.ofSeconds(60),
                Duration.ofSeconds(60),
                Duration.ofSeconds(5),
                Duration.ofSeconds(5),
                Duration.ofSeconds(60),
                Duration.ofSeconds(2),
                Duration.ofSeconds(2),
                Duration.ofMillis(500),
                Duration.ofSeconds(30),
                5,
                Duration.ofMinutes(10),
                256,
                50);
    }

    /** The pause before the restart that follows the {@code failures}-th failure in the window, 1 or more. */
    Duration backoff(int failures) {
        Duration pause = backoffFirst;
        for (int i = 1; i < failures && pause.compareTo(backoffLongest) < 0; i++) {
            pause = pause.multipliedBy(2);
        }
        return pause.compareTo(backoffLongest) < 0 ? pause : backoffLongest;
    }
}
