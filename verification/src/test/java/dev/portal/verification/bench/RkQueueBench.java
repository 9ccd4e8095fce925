package dev.portal.verification.bench;

import java.util.Locale;

/**
 * The seed's table of dispatch (seed section 4) beside ours: {@code ./portal bench rk-queue}. The seed's column is its
 * board's, ours is the emulated board's clock, which counts no work of the host.
 */
public final class RkQueueBench {
    private static final int STEPS = 32;

    /** A short chain, as a decoder's small matrices make: one program a core. */
    private static final int FEW = 3;

    private RkQueueBench() {}

    /** Prints the table. */
    public static void main(String[] args) {
        try (ModelBoard board = new ModelBoard(STEPS)) {
            long single = board.queue(1);
            long several = board.queue(3);
            long together = board.queueWithOneSubmit();
            long blocking = board.blockingStream();
            System.out.println("rk-queue: " + STEPS + " products, M=1, int8, K=N=512");
            System.out.println("  path                                       us (seed)   us (model)");
            row("single-core queue", 988, single);
            row("multi-core NONBLOCK, three cores", 436, several);
            System.out.printf(Locale.ROOT, "  %-40s %10s %12.1f%n", "the same with one submit", "-", together / 1e3);
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
        try (ModelBoard board = new ModelBoard(FEW)) {
            long each = board.compiled(3);
            long together = board.compiledWithOneSubmit();
            System.out.printf(
                    Locale.ROOT,
                    "  one program a core, compiled:       three submits %.1f us, one submit %.1f us (model), %.2f%n",
                    each / 1e3,
                    together / 1e3,
                    (double) each / together);
        }
    }

    private static void row(String what, int seed, long nanos) {
        System.out.printf(Locale.ROOT, "  %-40s %10d %12.1f%n", what, seed, nanos / 1e3);
    }
}
