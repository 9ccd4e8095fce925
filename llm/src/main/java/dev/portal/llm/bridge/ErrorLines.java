package dev.portal.llm.bridge;

import java.util.ArrayDeque;

/** The child's standard error: so many lines a second go on, the rest is counted, and the last ones are kept. */
final class ErrorLines {
    private static final long SECOND_NANOS = 1_000_000_000L;

    private final int linesPerSecond;
    private final int tailLines;
    private final ArrayDeque<String> tail = new ArrayDeque<>();
    private long secondBegan = Long.MIN_VALUE;
    private int thisSecond;
    private long dropped;

    ErrorLines(int linesPerSecond, int tailLines) {
        this.linesPerSecond = linesPerSecond;
        this.tailLines = tailLines;
    }

    /** Keeps a line; says whether it is to be passed on. */
    boolean take(String line, long nowNanos) {
        tail.addLast(line);
        if (tail.size() > tailLines) {
            tail.removeFirst();
        }
        if (secondBegan == Long.MIN_VALUE || nowNanos - secondBegan >= SECOND_NANOS) {
            secondBegan = nowNanos;
            thisSecond = 0;
        }
        if (thisSecond < linesPerSecond) {
            thisSecond++;
            return true;
        }
        dropped++;
        return false;
    }

    /** Lines not passed on since the last call. */
    long dropped() {
        long count = dropped;
        dropped = 0;
        return count;
    }

    /** The last lines as the end of an error message; empties them, since the next child's have another cause. */
    String tail() {
        if (tail.isEmpty()) {
            return "";
        }
        String text = "; its standard error ends: " + String.join(" | ", tail);
        tail.clear();
        return text;
    }
}
