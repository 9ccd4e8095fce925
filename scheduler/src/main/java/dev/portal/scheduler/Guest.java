package dev.portal.scheduler;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The job of another lane that has borrowed a lane's core, if there is one, and what such loans came to. Of the lock. */
final class Guest {
    private final NpuCore core;
    private @Nullable JobEntry job;
    private long sinceNanos;
    /** The first job that waits for the core; 0 for none. */
    private long wantedBy;

    private long wantedNanos;
    private long loans;
    private long lentNanos;
    private long longestReturnNanos;

    Guest(NpuCore core) {
        this.core = core;
    }

    @Nullable
    JobEntry job() {
        return job;
    }

    void enter(JobEntry borrower, long nowNanos) {
        job = borrower;
        sinceNanos = nowNanos;
        wantedBy = 0;
    }

    /** Ends the loan; for how long a job waited for it. */
    long leave(LaneGroup group, long nowNanos) {
        JobEntry left = Objects.requireNonNull(job, "a core came back that was not lent");
        job = null;
        left.lane.loans.unwant(core);
        loans++;
        lentNanos += nowNanos - sinceNanos;
        if (wantedBy == 0) {
            return 0;
        }
        long waited = nowNanos - wantedNanos;
        longestReturnNanos = Math.max(longestReturnNanos, waited);
        // Thousands of loans a second hold nobody up; those would drive everything else out of the recorder.
        group.record(LaneEvent.LENT, core, left, sinceNanos, nowNanos, wantedBy);
        return waited;
    }

    /** An arrival on the lane waits for the guest, if there is one, and the guest is told. */
    void holdUp(JobEntry arrival, long nowNanos) {
        if (job == null) {
            return;
        }
        arrival.blocked = true;
        arrival.blockedBy = job.id;
        if (wantedBy == 0) {
            wantedBy = arrival.id;
            wantedNanos = nowNanos;
        }
        job.lane.loans.want(core);
    }

    /** All that waited are gone: the guest may stay. */
    void nobodyWaits() {
        if (job != null) {
            wantedBy = 0;
            job.lane.loans.unwant(core);
        }
    }

    long loans() {
        return loans;
    }

    long lentNanos(long nowNanos) {
        return lentNanos + (job == null ? 0 : nowNanos - sinceNanos);
    }

    long longestReturnNanos() {
        return longestReturnNanos;
    }
}
