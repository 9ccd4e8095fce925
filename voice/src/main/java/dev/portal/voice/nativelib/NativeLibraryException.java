package dev.portal.voice.nativelib;

/** A native speech library cannot be loaded on this machine. The message says which, where it was looked for, and the remedy. */
public final class NativeLibraryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NativeLibraryException(String message) {
        super(message);
    }

    NativeLibraryException(String message, Throwable cause) {
        super(message, cause);
    }
}
