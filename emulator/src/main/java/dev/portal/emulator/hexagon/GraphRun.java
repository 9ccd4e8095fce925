package dev.portal.emulator.hexagon;

/**
 * An execution on the DSP, step by step. {@link #begin}, {@link #wantsToStop}, {@link #progressed} and {@link #finish}
 * need the device's lock; {@link #compute} must not hold it for long and is called without.
 */
interface GraphRun {
    /** Takes the inputs out of the DSP's memory; 0, or the result that the call ends with at once. */
    int begin();

    /** Steps in all. */
    int steps();

    /** How long a step takes, of the model. */
    long nanosOf(int step);

    /** Whether the client asks to stop, or the process is gone. */
    boolean wantsToStop();

    /** Makes a step; what goes wrong is kept for {@link #finish}, and the run is over. */
    boolean compute(int step);

    /** A step is done. */
    void progressed(int done);

    /** The end, by whatever cause: the call's result. */
    int finish();
}
