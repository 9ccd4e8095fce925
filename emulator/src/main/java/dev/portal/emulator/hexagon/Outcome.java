package dev.portal.emulator.hexagon;

/** How the DSP takes a call. */
sealed interface Outcome {
    /** Done. */
    record Reply(int result) implements Outcome {}

    /** A graph runs; the reply comes at its end. */
    record Run(GraphRun run) implements Outcome {}

    /** Kept; something else will answer it, or nothing ever. */
    record Parked() implements Outcome {}

    Outcome PARKED = new Parked();

    static Outcome reply(int result) {
        return new Reply(result);
    }
}
