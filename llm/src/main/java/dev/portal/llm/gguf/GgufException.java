package dev.portal.llm.gguf;

/** A GGUF file that is broken, or made for another reader. The message names the key or the tensor. */
public final class GgufException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public GgufException(String message) {
        super(message);
    }
}
