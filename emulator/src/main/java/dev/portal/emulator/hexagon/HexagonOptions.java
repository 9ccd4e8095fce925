package dev.portal.emulator.hexagon;

import dev.portal.emulator.FaultPlan;
import java.util.List;

/**
 * What kind of board is emulated.
 *
 * @param seed of everything that is random: DSP addresses, handles, faults
 * @param profile the kernel
 * @param sessions context banks of the channel, 1 to 14: how many opens succeed at once (8 on an SM8550)
 * @param secureChannel whether the plain node may create unsigned processes only
 * @param coherent one view of every buffer: a missing sync goes unnoticed. Off, a cached buffer has two views
 * @param heaps names below {@code /dev/dma_heap}; empty where the kernel has none
 * @param firmwareBuild build id that a shell must carry as text, or INIT_CREATE times out
 * @param requireListener whether a module is found only while a thread is parked in the listener
 * @param unsignedSupport what capability 1 says; unsigned processes are possible either way (spec 1.6)
 * @param parallelGraphs how many graphs compute at once, 1 or more
 * @param invokeNanos how long a call travels there and back, of the model; 0 in real time
 * @param faults what goes wrong
 */
public record HexagonOptions(
        long seed,
        DriverProfile profile,
        int sessions,
        boolean secureChannel,
        boolean coherent,
        List<String> heaps,
        String firmwareBuild,
        boolean requireListener,
        boolean unsignedSupport,
        int parallelGraphs,
        long invokeNanos,
        FaultPlan faults) {
    /** The firmware of {@link #standard()}. */
    public static final String STANDARD_BUILD = "CDSP.HT.2.5.c3-00001-PORTAL-1";

    private static final long INVOKE_NANOS = 60_000;

    public HexagonOptions {
        heaps = List.copyOf(heaps);
        if (sessions < 1 || sessions > 14) {
            throw new IllegalArgumentException(sessions + " sessions; the driver has 1 to 14 by channel");
        }
        if (parallelGraphs < 1) {
            throw new IllegalArgumentException(parallelGraphs + " graphs at once; 1 is the least");
        }
    }

    /** A board with a secure channel, a system heap and a new kernel, on which nothing goes wrong. */
    public static HexagonOptions standard() {
        return new HexagonOptions(
                1,
                DriverProfile.V7,
                8,
                true,
                false,
                List.of("system"),
                STANDARD_BUILD,
                false,
                true,
                3,
                INVOKE_NANOS,
                FaultPlan.NONE);
    }

    public HexagonOptions withSeed(long value) {
        return new HexagonOptions(
                value,
                profile,
                sessions,
                secureChannel,
                coherent,
                heaps,
                firmwareBuild,
                requireListener,
                unsignedSupport,
                parallelGraphs,
                invokeNanos,
                faults);
    }

    public HexagonOptions withProfile(DriverProfile value) {
        return new HexagonOptions(
                seed,
                value,
                sessions,
                secureChannel,
                coherent,
                heaps,
                firmwareBuild,
                requireListener,
                unsignedSupport,
                parallelGraphs,
                invokeNanos,
                faults);
    }

    public HexagonOptions withSessions(int value) {
        return new HexagonOptions(
                seed,
                profile,
                value,
                secureChannel,
                coherent,
                heaps,
                firmwareBuild,
                requireListener,
                unsignedSupport,
                parallelGraphs,
                invokeNanos,
                faults);
    }

    public HexagonOptions withCoherent(boolean value) {
        return new HexagonOptions(
                seed,
                profile,
                sessions,
                secureChannel,
                value,
                heaps,
                firmwareBuild,
                requireListener,
                unsignedSupport,
                parallelGraphs,
                invokeNanos,
                faults);
    }

    public HexagonOptions withHeaps(List<String> value) {
        return new HexagonOptions(
                seed,
                profile,
                sessions,
                secureChannel,
                coherent,
                value,
                firmwareBuild,
                requireListener,
                unsignedSupport,
                parallelGraphs,
                invokeNanos,
                faults);
    }

    public HexagonOptions withFirmwareBuild(String value) {
        return new HexagonOptions(
                seed,
                profile,
                sessions,
                secureChannel,
                coherent,
                heaps,
                value,
                requireListener,
                unsignedSupport,
                parallelGraphs,
                invokeNanos,
                faults);
    }

    public HexagonOptions withRequireListener(boolean value) {
        return new HexagonOptions(
                seed,
                profile,
                sessions,
                secureChannel,
                coherent,
                heaps,
                firmwareBuild,
                value,
                unsignedSupport,
                parallelGraphs,
                invokeNanos,
                faults);
    }

    public HexagonOptions withParallelGraphs(int value) {
        return new HexagonOptions(
                seed,
                profile,
                sessions,
                secureChannel,
                coherent,
                heaps,
                firmwareBuild,
                requireListener,
                unsignedSupport,
                value,
                invokeNanos,
                faults);
    }

    public HexagonOptions withInvokeNanos(long value) {
        return new HexagonOptions(
                seed,
                profile,
                sessions,
                secureChannel,
                coherent,
                heaps,
                firmwareBuild,
                requireListener,
                unsignedSupport,
                parallelGraphs,
                value,
                faults);
    }

    public HexagonOptions withFaults(FaultPlan value) {
        return new HexagonOptions(
                seed,
                profile,
                sessions,
                secureChannel,
                coherent,
                heaps,
                firmwareBuild,
                requireListener,
                unsignedSupport,
                parallelGraphs,
                invokeNanos,
                value);
    }
}
