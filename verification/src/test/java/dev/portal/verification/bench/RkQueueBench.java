package dev.portal.verification.bench;

import java.util.Locale;

/**
 * The seed's table of dispatch (seed section 4) beside ours: {@code ./portal bench rk-queue}. The seed's column is its
 * board's, ours is the emulated board's clock, which counts no work of the host.
 */
public final class RkQueueBench {
    private static final int STEPS = 32;

    private RkQueueBench() {}

    /** Prints the table. */
    public static void main(String[] args) {
        try (ModelBoard board = new ModelBoard(STEPS)) {
            long single = board.queue(1);
            long several = board.queue(3);
            long blocking = board.blockingStream();
            System.out.println("rk-queue: " + STEPS + " products, M=1, int8, K=N=512");
            System.out.println("  path                                       us (seed)   us (model)");
            row("single-core queue", 988, single);
            row("multi-core NONBLOCK, three cores", 436, several);
            row("blocking stream, three cores", 602, blocking);
            System.out.printf(
                    Locale.ROOT,
                    "  multi-core over single core:        seed 2.27          model %.2f%n",
                    (double) single / several);
            System.out.printf(
                    Locale.ROOT,
                    "  multi-core over blocking stream:    seed 1.38 to 2.30  model %.2f%n",
                    (double) blocking / several);
            System.out.println(
                    "  fitted to: 988 and 436 us; predicted: 602 us, with jobs that begin 21 us apart in place of"
                            + " threads that are woken and joined");
        }
    }

    private static void row(String what, int seed, long nanos) {
        System.out.printf(Locale.ROOT, "  %-40s %10d %12.1f%n", what, seed, nanos / 1e3);
    }
}
