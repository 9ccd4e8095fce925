package dev.portal.scheduler;

import java.util.stream.LongStream;

/** The seeds of a random test: a fixed few, or the one in {@code -Dportal.seed}. */
final class Seeds {
    /** A test of one seed. */
    interface Check {
        void run(long seed) throws Exception;
    }

    private Seeds() {}

    /** Runs {@code check} with seeds 1 to {@code count}, and tells how to repeat a failure. */
    static void each(Class<?> test, int count, Check check) throws Exception {
        Long only = Long.getLong("portal.seed");
        for (long seed : only == null ? LongStream.rangeClosed(1, count).toArray() : new long[] {only}) {
            try {
                check.run(seed);
            } catch (AssertionError | Exception e) {
                throw new AssertionError(
                        "seed " + seed + "; again with: mvn -q -pl scheduler -am test -Dtest=" + test.getSimpleName()
                                + " -Dsurefire.failIfNoSpecifiedTests=false -Dportal.seed=" + seed,
                        e);
            }
        }
    }
}
