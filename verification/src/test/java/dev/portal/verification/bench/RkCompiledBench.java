package dev.portal.verification.bench;

import java.io.IOException;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * The seed's table of precompiled chains (seed section 6) beside ours: {@code ./portal bench rk-compiled}. The board's time
 * is the model's; the host's work is measured on this machine, on a board that takes no time, beside a C encoder of the
 * same 16 programs.
 */
public final class RkCompiledBench {
    private static final double SEED_BUILD_NANOS = 95_000;

    private RkCompiledBench() {}

    /** Prints the tables. */
    public static void main(String[] args) throws IOException, InterruptedException {
        int steps = HostCosts.STEPS;
        long chain;
        long compiled;
        try (ModelBoard board = new ModelBoard(steps)) {
            chain = board.chain(1);
            compiled = board.compiled(1);
        }
        double built;
        double run;
        double compiling;
        double bytes;
        double pool;
        try (HostCosts host = new HostCosts(true)) {
            built = host.builtEachTime();
            run = host.compiled();
            compiling = host.compiling();
            bytes = host.bytesOfACompiledRun();
            pool = host.pool();
        }
        System.out.println("rk-compiled: " + steps + " products a token, M=1, int8, K=N=512, one core");
        System.out.println("                            us (seed)   board us (model)   host us (host)   both");
        row("built each time", 2652, chain, built);
        row("precompiled", 440, compiled, run);
        System.out.printf(Locale.ROOT, "  %-24s %10d %35.2f%n", "compile, once", 329, compiling / 1e3);
        System.out.printf(
                Locale.ROOT, "  built over precompiled: seed 6.03; the host's work alone %.1f (host)%n", built / run);
        System.out.printf(Locale.ROOT, "  a precompiled run allocates %.1f bytes (host)%n", bytes);
        System.out.printf(
                Locale.ROOT,
                "  a pool of 64 experts: linking and submitting 8 for a token takes %.2f us (host)%n",
                pool / 1e3);
        OptionalDouble c = NativePeer.encodeNanos();
        if (c.isEmpty()) {
            System.out.println("  no gcc here, so no C encoder to compare with; the package gcc brings it");
        } else {
            double native16 = steps * c.getAsDouble();
            System.out.printf(
                    Locale.ROOT,
                    "  C encodes the same %d programs in %.2f us (host); a whole build here over that: %.2f, aim 0.5%n",
                    steps,
                    native16 / 1e3,
                    built / native16);
        }
        System.out.printf(
                Locale.ROOT,
                "  a precompiled run's host work over a build: %.3f of ours (host), %.4f of the seed board's 95 us; aim"
                        + " 0.05%n",
                run / built,
                run / SEED_BUILD_NANOS);
    }

    private static void row(String what, int seed, long boardNanos, double hostNanos) {
        System.out.printf(
                Locale.ROOT,
                "  %-24s %10d %18.1f %16.2f %6.1f%n",
                what,
                seed,
                boardNanos / 1e3,
                hostNanos / 1e3,
                (boardNanos + hostNanos) / 1e3);
    }
}
