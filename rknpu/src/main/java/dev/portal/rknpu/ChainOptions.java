package dev.portal.rknpu;

/**
 * How a chain runs.
 *
 * @param firstCore the first core that it uses
 * @param cores how many cores share it, from the first one on
 * @param asynchronousHalf whether fp16 runs asynchronously. Off, as on boards it fails one time in seven and nobody knows
 *     why (seed section 7b); an fp16 chain is then done when {@code begin} returns
 * @param oneSubmit whether the cores get their programs in one job, with one call into the driver (spec 8.3), in place of
 *     one each (seed section 4). The driver takes such a job for cores 0 and 1 and for all three; others get one each, as
 *     do the cores that have something left after a stop or a reset when they are others. The job retires when all of its
 *     cores have ended. A chain that is waited for ({@code asynchronousHalf} off) has one each
 */
public record ChainOptions(int firstCore, int cores, boolean asynchronousHalf, boolean oneSubmit) {
    /** Core 0 alone. */
    public static final ChainOptions DEFAULT = new ChainOptions(0, 1, false, false);

    public ChainOptions {
        if (firstCore < 0 || cores < 1) {
            throw new IllegalArgumentException(cores + " core(s) from core " + firstCore + "; at least one from 0 on");
        }
    }

    /** The same on so many cores. */
    public ChainOptions withCores(int number) {
        return new ChainOptions(firstCore, number, asynchronousHalf, oneSubmit);
    }

    /** The same on one core. */
    public ChainOptions onCore(int core) {
        return new ChainOptions(core, 1, asynchronousHalf, oneSubmit);
    }

    /** The same with fp16 asynchronous or not. */
    public ChainOptions withAsynchronousHalf(boolean on) {
        return new ChainOptions(firstCore, cores, on, oneSubmit);
    }

    /** The same with one submit for all cores, or one a core. */
    public ChainOptions withOneSubmit(boolean on) {
        return new ChainOptions(firstCore, cores, asynchronousHalf, on);
    }
}
