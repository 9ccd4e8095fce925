package dev.portal.scheduler;

/**
 * The flag that a running job polls. Once it reads true, the job should end its present segment and return {@link
 * NpuJobResult.Yielded}; it is run again later and goes on where it stopped. A job that cannot stop may ignore it: that
 * is measured, and reported when it lasts longer than the segment that the job declared.
 *
 * <p>Any thread may read it.
 */
@FunctionalInterface
public interface Preemption {
    /** A flag that is never set: for direct execution without a scheduler. */
    Preemption NEVER = () -> false;

    /** Whether something more urgent waits. */
    boolean requested();
}
