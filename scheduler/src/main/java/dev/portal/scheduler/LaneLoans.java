package dev.portal.scheduler;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The loans of the job that a lane runs. Each lane has one for all its jobs, since it runs one at a time.
 *
 * <p>What is borrowed belongs to the thread that runs the job. Whether a core is lent, and to whom, belongs to the lock of the
 * lane that lends it; no two locks are ever held at once. What is wanted is raised under those locks and read by the job.
 */
final class LaneLoans implements CoreLoans {
    private final Lane lane;
    private final AtomicInteger wanted = new AtomicInteger();
    private List<Lane> lanes = List.of();
    private int borrowed;

    LaneLoans(Lane lane) {
        this.lane = lane;
    }

    /** Names the lanes that may lend, by core. Before the lane is shared. */
    void among(List<Lane> all) {
        lanes = all;
    }

    @Override
    public int own() {
        return 1 << lane.core.index();
    }

    @Override
    public int borrow(int cores) {
        JobEntry borrower = borrower();
        int granted = 0;
        for (int left = cores & ~own() & ~borrowed; left != 0; left &= left - 1) {
            int core = Integer.numberOfTrailingZeros(left);
            if (core < lanes.size() && lanes.get(core).lend(borrower)) {
                granted |= 1 << core;
            }
        }
        borrowed |= granted;
        return granted;
    }

    private JobEntry borrower() {
        JobEntry running = lane.running;
        if (running == null) {
            throw new IllegalStateException("cores are lent to a running job, and " + lane.name() + " runs none");
        }
        return running;
    }

    @Override
    public int wanted() {
        return wanted.get();
    }

    @Override
    public void giveBack(int cores) {
        int back = cores & borrowed;
        borrowed &= ~back;
        for (int left = back; left != 0; left &= left - 1) {
            lanes.get(Integer.numberOfTrailingZeros(left)).takeBack(borrower());
        }
    }

    /** Ends the loans that the job left. */
    void close() {
        if (borrowed != 0) {
            giveBack(borrowed);
        }
    }

    // Under the lock of the lane that lends.

    void want(NpuCore core) {
        wanted.getAndUpdate(cores -> cores | 1 << core.index());
    }

    void unwant(NpuCore core) {
        wanted.getAndUpdate(cores -> cores & ~(1 << core.index()));
    }
}
