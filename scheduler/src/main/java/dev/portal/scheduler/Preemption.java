package dev.portal.scheduler;

/**
 * The flag that a running job polls. Once it reads true, the job should end its present segment and return {@link
 * NpuJobResult.Yielded}; it is run again later and goes on where it stopped. A job that cannot stop may ignore it: that
 * is measured, and reported when it lasts longer than the segment that the job declared.
 *
 * <p>Any thread may read it. The arbiter measures segments between the looks of the thread that runs the job.
 */
@FunctionalInterface
public interface Preemption {
    /** A flag that is never set: for direct execution without a scheduler. */
    Preemption NEVER = () -> false;

    /** What a running job is busy with, for its trace. */
    enum Phase {
        /** Inputs on their way to the device. */
        COPY_IN,
        /** The computation. Each call of {@link NpuJob#execute} starts in this phase. */
        DEVICE,
        /** Outputs on their way back. */
        COPY_OUT
    }

    /** Why a running job is asked to stop. */
    enum Cause {
        /** A job of a higher priority arrived. */
        PRIORITY,
        /** Other work has waited behind speech recognition for the starvation threshold. */
        STARVATION,
        /** The language model's reservation is due, or its quantum is over. */
        RESERVATION,
        /** Its future was cancelled, or completed from outside. */
        CANCELLED,
        /** The arbiter is closing. */
        CLOSED
    }

    /** Whether something more urgent waits, or nobody waits for the job any more. */
    boolean requested();

    /** Says that the job is in {@code phase} from now on. One thread at a time; without a scheduler it does nothing. */
    default void enter(Phase phase) {}

    /** The cores of other lanes that the job may use beside its own. */
    default CoreLoans loans() {
        return CoreLoans.UNLIMITED;
    }
}
