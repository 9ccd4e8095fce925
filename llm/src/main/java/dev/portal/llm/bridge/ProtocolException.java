package dev.portal.llm.bridge;

/** A line that breaks the bridge protocol. The stream cannot be trusted after it. */
public final class ProtocolException extends Exception {
    private static final long serialVersionUID = 1L;

    private final long offset;

    ProtocolException(long offset, String message) {
        super(message + " (byte " + offset + " of the stream)");
        this.offset = offset;
    }

    /** Where, in bytes from the start of the stream. */
    public long offset() {
        return offset;
    }
}
