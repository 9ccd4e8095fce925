package dev.portal.rknpu;

/**
 * The places at which a cacheable buffer must be synchronised (spec 9). Named so that a test can leave one out and see a
 * result go wrong: a missing sync is invisible in the code and rare on a board.
 */
public enum SyncPoint {
    /** After A was written, before the chip reads it. */
    FEATURES_TO_DEVICE,
    /** After B was packed. */
    WEIGHTS_TO_DEVICE,
    /** After programs were written. */
    PROGRAMS_TO_DEVICE,
    /** After the task array was written; the kernel reads it. */
    TASKS_TO_DEVICE,
    /** Before the submit: a dirty line of C would be evicted over the result later. */
    RESULT_TO_DEVICE,
    /** Before C is read. */
    RESULT_FROM_DEVICE
}
