package dev.portal.rknpu;

/**
 * What becomes of a job whose chain was halted: an open question of the vendor driver (spec 7.2), so it is measured
 * ({@link HaltProbe}).
 */
public enum HaltBehaviour {
    /** Nobody looked. */
    UNKNOWN,
    /** The completion interrupt comes, and the core is free. */
    RETIRES,
    /** No interrupt comes: the driver owns the job until a reset. */
    STICKS
}
