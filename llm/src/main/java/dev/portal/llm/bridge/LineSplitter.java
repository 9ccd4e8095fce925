package dev.portal.llm.bridge;

import java.util.Arrays;

/**
 * Cuts a byte stream into lines, whatever the pieces it arrives in. Lines end with LF; a CR before it belongs to the
 * end. Only the line that is being collected is held. Not safe for use by several threads.
 */
final class LineSplitter {
    /** A line without its end, and where it began in the stream. */
    record Line(byte[] bytes, long offset) {}

    /** Takes the lines as they are complete. */
    @FunctionalInterface
    interface Sink {
        void line(Line line) throws ProtocolException;
    }

    private final int limitBytes;
    private byte[] held = new byte[256];
    private int heldBytes;
    private long lineOffset;

    /** Lines longer than {@code limitBytes} without their end are refused. */
    LineSplitter(int limitBytes) {
        this.limitBytes = limitBytes;
    }

    /**
     * Takes the next {@code count} bytes of the stream.
     *
     * @throws ProtocolException when a line is too long, or from the sink; the splitter is of no use afterwards
     */
    void feed(byte[] bytes, int count, Sink sink) throws ProtocolException {
        int start = 0;
        for (int i = 0; i < count; i++) {
            if (bytes[i] == '\n') {
                hold(bytes, start, i);
                start = i + 1;
                int end = heldBytes > 0 && held[heldBytes - 1] == '\r' ? heldBytes - 1 : heldBytes;
                if (end > limitBytes) {
                    throw tooLong();
                }
                Line line = new Line(Arrays.copyOf(held, end), lineOffset);
                lineOffset += heldBytes + 1;
                heldBytes = 0;
                sink.line(line);
            }
        }
        hold(bytes, start, count);
    }

    /** Bytes of a line whose end has not come. */
    int unfinishedBytes() {
        return heldBytes;
    }

    private void hold(byte[] bytes, int from, int to) throws ProtocolException {
        int needed = heldBytes + to - from;
        // One more for the CR that may stand before the LF.
        if (needed > limitBytes + 1) {
            throw tooLong();
        }
        if (needed > held.length) {
            held = Arrays.copyOf(held, Math.max(needed, Math.min(2 * held.length, limitBytes + 1)));
        }
        System.arraycopy(bytes, from, held, heldBytes, to - from);
        heldBytes = needed;
    }

    private ProtocolException tooLong() {
        return new ProtocolException(lineOffset, "a line longer than " + limitBytes + " bytes");
    }
}
