package dev.portal.rknpu;

/**
 * How a chain runs.
 *
 * @param firstCore the first core that it uses
 * @param cores how many cores share it, from the first one on
 * @param asynchronousHalf whether fp16 runs asynchronously. Off, as on boards it fails one time in seven and nobody knows
 *     why (seed section 7b); an fp16 chain is then done when {@code begin} returns
 */
public record ChainOptions(int firstCore, int cores, boolean asynchronousHalf) {
    /** Core 0 alone. */
    public static final ChainOptions DEFAULT = new ChainOptions(0, 1, false);

    public ChainOptions {
        if (firstCore < 0 || cores < 1) {
            throw new IllegalArgumentException(cores + " core(s) from core " + firstCore + "; at least one from 0 on");
        }
    }

    /** The same on so many cores. */
    public ChainOptions withCores(int number) {
        return new ChainOptions(firstCore, number, asynchronousHalf);
    }

    /** The same on one core. */
    public ChainOptions onCore(int core) {
        return new ChainOptions(core, 1, asynchronousHalf);
    }

    /** The same with fp16 asynchronous or not. */
    public ChainOptions withAsynchronousHalf(boolean on) {
        return new ChainOptions(firstCore, cores, on);
    }
}
