package dev.portal.emulator.hexagon;

/** A container, a graph or a run that QNN would refuse, with QNN's number for it (spec 3.1). */
public final class GraphException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int qnnCode;

    public GraphException(int qnnCode, String message) {
        super(message);
        this.qnnCode = qnnCode;
    }

    public GraphException(int qnnCode, String message, Throwable cause) {
        super(message, cause);
        this.qnnCode = qnnCode;
    }

    public int qnnCode() {
        return qnnCode;
    }
}
