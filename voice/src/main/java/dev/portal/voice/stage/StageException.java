package dev.portal.voice.stage;

/** A model that cannot be opened, is not what its engine expects, or failed while it ran. Says which and why. */
public final class StageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StageException(String message) {
        super(message);
    }

    public StageException(String message, Throwable cause) {
        super(message, cause);
    }
}
