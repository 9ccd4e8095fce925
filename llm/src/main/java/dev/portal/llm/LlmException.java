package dev.portal.llm;

/** A request that failed, with the bridge protocol's code for it. */
public final class LlmException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Kinds of failure, with the JSON-RPC codes of the bridge protocol. */
    public enum Kind {
        BUSY(-32001),
        NOT_READY(-32002),
        CONTEXT_LENGTH(-32003),
        PROMPT_TOO_LONG(-32004),
        BACKEND(-32005),
        OUT_OF_MEMORY(-32006);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        public int code() {
            return code;
        }

        /** The kind with this code; {@link #BACKEND} for a code that is none of them. */
        public static Kind of(int code) {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            return BACKEND;
        }
    }

    private final Kind kind;

    public LlmException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public LlmException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
