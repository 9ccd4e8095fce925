package dev.portal.rknpu;

/** How a running chain is made to end before its last step (design 5.4). */
public enum StopStrategy {
    /**
     * The seed's: the link length of a program that was not fetched yet becomes 0, and the walk ends there. Only where
     * {@link HaltBehaviour#RETIRES} was measured; elsewhere the driver goes on owning the job, and only a reset ends it.
     */
    HALT,
    /**
     * Every program that was not fetched yet is overwritten by a minimal one that writes to scratch: as many programs run
     * as were declared, the job completes, and nothing needs to be known of the board.
     */
    DRAIN,
    /** Short jobs, one after the other: a chain ends when its present job does. */
    CHUNK;

    /** What fits a board: {@link #HALT} where a halted job retires, {@link #DRAIN} where it does not or nobody looked. */
    public static StopStrategy of(HaltBehaviour behaviour) {
        return switch (behaviour) {
            case RETIRES -> HALT;
            case STICKS, UNKNOWN -> DRAIN;
        };
    }
}
