package dev.portal.voice.audio;

import java.io.IOException;

/** A file that cannot be played, and where in it the trouble is. */
public final class WavException extends IOException {
    private static final long serialVersionUID = 1L;

    private final long byteOffset;

    WavException(long byteOffset, String message) {
        super("byte " + byteOffset + ": " + message);
        this.byteOffset = byteOffset;
    }

    /** The offset from the start of the file. */
    public long byteOffset() {
        return byteOffset;
    }
}
