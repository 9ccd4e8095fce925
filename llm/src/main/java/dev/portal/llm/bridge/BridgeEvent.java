package dev.portal.llm.bridge;

import dev.portal.llm.LanguageModel.Message;
import java.util.List;

/** What happened at the bridge, for logs, traces and counters. */
public sealed interface BridgeEvent {
    /** A child was started. */
    record Started(long pid, String engine) implements BridgeEvent {}

    /** A child answered the handshake. */
    record Ready(ChildInfo child, long handshakeUs) implements BridgeEvent {}

    /** A child was lost; {@code failures} in the window so far. */
    record Lost(String why, int failures) implements BridgeEvent {}

    /** The next attempt comes in so many microseconds. */
    record RetryLater(long inUs) implements BridgeEvent {}

    /** No further attempts; the owner falls back. */
    record GaveUp(String why) implements BridgeEvent {}

    /** A line of the child's standard error. */
    record ErrorLine(String line) implements BridgeEvent {}

    /** Lines of standard error that were not passed on since the last report. */
    record ErrorLinesDropped(long lines) implements BridgeEvent {}

    /** The child's own log notification. */
    record Log(String level, String message) implements BridgeEvent {}

    /** Part of the history did not fit into the context and was left out. */
    record Trimmed(String id, List<Message> dropped) implements BridgeEvent {}

    /** A request was cancelled, and how long the child took to obey. */
    record Cancelled(String id, String reason, long obeyedUs) implements BridgeEvent {}

    /** A request's consumer let {@code waiting} tokens pile up; the request is cancelled. */
    record SlowConsumer(String id, int waiting) implements BridgeEvent {}
}
