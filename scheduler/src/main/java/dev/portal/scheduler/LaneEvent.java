package dev.portal.scheduler;

/**
 * The kinds of event in the arbiter's flight recorders ({@link dev.portal.base.TraceRing}). The subject is a job's id, the
 * label the job's, and the detail is lane, workload and effective priority in one word, which {@link #core}, {@link
 * #workload}, {@link #priority} and {@link #promoted} take apart.
 */
public enum LaneEvent {
    /** A dispatch after which the job went on waiting, from start to end; the cause is the job it gave way to, or 0. */
    DISPATCH,
    /** The dispatch in which a job completed, from start to end; the cause is the time of its arrival. */
    COMPLETED,
    /** The dispatch in which a job threw, from start to end; the cause is the time of its arrival. */
    FAILED,
    /** A job left unfinished: cancelled, displaced or closed; an instant, and the cause is the time of its arrival. */
    DROPPED,
    /** A running job was asked to stop; the cause is the job that asks, or 0. */
    ASKED,
    /** A waiting job was made HIGH by the starvation bound. */
    PROMOTED,
    /** The language model's reservation let a job pass others; the cause is the first of them. */
    RESERVED,
    /** A job was refused by a full queue. */
    REFUSED,
    /** A job of another lane had borrowed the core and held a job up; from loan to return, and the cause is that job. */
    LENT,
    /** A job looked at the flag later than it declared; from its last look to the next. */
    OVERRAN;

    static long detail(NpuCore core, NpuWorkload workload, NpuPriority effective, boolean promoted) {
        return core.index() | workload.ordinal() << 8 | effective.ordinal() << 16 | (promoted ? 1 << 24 : 0);
    }

    /** The core in a detail. */
    public static NpuCore core(long detail) {
        return new NpuCore((int) detail & 0xff);
    }

    /** The workload in a detail. */
    public static NpuWorkload workload(long detail) {
        return NpuWorkload.values()[(int) (detail >> 8) & 0xff];
    }

    /** The priority in a detail: the effective one. */
    public static NpuPriority priority(long detail) {
        return NpuPriority.values()[(int) (detail >> 16) & 0xff];
    }

    /** Whether the job of a detail was promoted. */
    public static boolean promoted(long detail) {
        return (detail >> 24 & 1) != 0;
    }
}
