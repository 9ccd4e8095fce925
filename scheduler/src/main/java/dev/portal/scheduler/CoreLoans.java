package dev.portal.scheduler;

/**
 * Cores of other lanes that a running job uses beside its own. A set of cores is a bit mask, bit i for core i.
 *
 * <p>A loan is only taken where nothing runs and nothing waits, and never waited for, so that no two jobs can wait for each
 * other. The lane stays the home of its jobs: one that arrives there makes {@link #wanted()} name the core, and the borrower
 * gives it back at its next program boundary. What is not given back when {@link NpuJob#execute} ends, by return or by throw,
 * the arbiter gives back.
 *
 * <p>Only the thread that runs the job calls.
 */
public interface CoreLoans {
    /** Without an arbiter: every core is the caller's. */
    CoreLoans UNLIMITED = new CoreLoans() {
        @Override
        public int own() {
            return -1;
        }

        @Override
        public int borrow(int cores) {
            return cores;
        }

        @Override
        public int wanted() {
            return 0;
        }

        @Override
        public void giveBack(int cores) {}
    };

    /** The core of the lane that runs the job, as a set: 4 for core 2. All of them, -1, without an arbiter. */
    int own();

    /**
     * Takes those of {@code cores} whose lanes are idle, without waiting. The caller's own core, and those that it has
     * already, are not idle.
     *
     * @return what was granted by this call; 0 for nothing
     */
    int borrow(int cores);

    /** Borrowed cores that somebody waits for. A volatile read. */
    int wanted();

    /** Ends the loan of {@code cores}; whoever waits there runs. Only when nothing of the job is under way on them. */
    void giveBack(int cores);
}
